// What strangers' compilers and simulations may ask of the kernel: the only includer of libseccomp.
#pragma once
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace simfarm::farm {

/// The build sandbox's filter as a program for the kernel. Whatever it does not name fails with
/// ENOSYS, as on a kernel that has not got it: C libraries know what to do then. It names files,
/// memory, threads, processes and signals; it does not name sockets, ptrace, mount, namespaces,
/// bpf, keys, perf events, io_uring, userfaultfd, modules and kexec.
Result<std::vector<u8>> seccomp_program();

/// The filter of a process that simulates: memory, what is open already, its own signals, clocks.
/// It names no way to open a file, start a process or a thread, or reach another one.
Result<std::vector<u8>> simulation_filter();

/// From here on the calling thread, and what it starts, has that filter and no way to new rights.
/// Error: the kernel has no filters, or forbids them.
Result<void> take_filter(const std::vector<u8>& program);

}  // namespace simfarm::farm
