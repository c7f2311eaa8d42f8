// What a compiler in the build sandbox may ask of the kernel: the only includer of libseccomp.
#pragma once
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace simfarm::farm {

/// The filter as a program for the kernel. Whatever it does not name fails with ENOSYS, as on a
/// kernel that has not got it: C libraries know what to do then. It names files, memory, threads,
/// processes and signals; it does not name sockets, ptrace, mount, namespaces, bpf, keys, perf
/// events, io_uring, userfaultfd, modules and kexec.
Result<std::vector<u8>> seccomp_program();

}  // namespace simfarm::farm
