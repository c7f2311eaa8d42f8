// One child process, bounded: what the farm starts is somebody else's program on somebody else's
// input.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "farm/cancellation.h"

namespace simfarm::farm {

struct ProcessLimits {
  u32 cpu_seconds = 20;          ///< of each process of the child; then SIGXCPU; 0: the caller's
  u64 address_bytes = 1u << 30;  ///< of each process; 0: the caller's
  u64 file_bytes = 64u << 20;    ///< of each file written; then SIGXFSZ
  u32 wall_seconds = 120;        ///< of the whole; then the group is killed
  u64 log_bytes = 64u << 10;     ///< of output kept; what follows is counted, not kept
  u64 output_bytes = 64u << 20;  ///< of output altogether; then the group is killed
  u32 open_files = 256;          ///< of each process
  u32 user = 0;                  ///< user and group to become, if root calls; 0: stay
  const Cancellation* cancellation = nullptr;  ///< then the group is killed
};

/// A pipe that the child writes to, beside its log.
struct ProcessPipe {
  u64 max_bytes = 0;      ///< more is not kept, and the group is killed
  std::vector<u8> bytes;  ///< what came
};

/// The child's only descriptors from 3 on: first copies of `given`, then the ends of `pipes`.
struct ProcessDescriptors {
  std::vector<int> given;
  std::vector<ProcessPipe> pipes;
};

struct ProcessRun {
  enum class End : u8 {
    exited,        ///< `code` is its exit status
    signalled,     ///< `code` is the signal
    wall_limit,    ///< killed for ProcessLimits::wall_seconds
    output_limit,  ///< killed for ProcessLimits::output_bytes or ProcessPipe::max_bytes
    cancelled,     ///< killed for ProcessLimits::cancellation
  } end{};
  int code = 0;
  std::string log;      ///< standard output and error together, as written
  u64 log_dropped = 0;  ///< bytes beyond log_bytes
  u64 cpu_milliseconds = 0;
};

/// Starts `arguments[0]` (a path) with exactly that environment, in that folder, in a process group
/// of its own, standard input empty, output and errors into `output`, from 3 on copies of `given`.
/// The caller waits for it. Of the limits the wall clock and what is about output do nothing here.
/// Error: it could not be started.
Result<int> start_process(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment, const std::string& folder,
                          const ProcessLimits& limits, int output, std::vector<int> given);

/// Starts `arguments[0]` (a path) with exactly that environment, in that folder, in a process group
/// of its own, standard input empty; waits for its end, and ends whatever it left behind in its
/// group. Pipes are read to their end, which is when nobody has them any more. Error: it could not
/// be started.
Result<ProcessRun> run_process(const std::vector<std::string>& arguments,
                               const std::vector<std::string>& environment,
                               const std::string& folder, const ProcessLimits& limits,
                               ProcessDescriptors* descriptors = nullptr);

}  // namespace simfarm::farm
