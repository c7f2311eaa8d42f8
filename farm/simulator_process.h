// One worker process (simulator_worker.h), seen from the farm.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "farm/simulators.h"

namespace simfarm::farm {

/// How a simulation's process ended.
struct SimulationEnd {
  enum class How : u8 {
    exited,     ///< `code` is its exit status
    signalled,  ///< `code` is the signal
    silent,     ///< it was ended: SimulatorLimits::wall_seconds
    flooded,    ///< it was ended: the record was longer than records are
    lost,       ///< the worker itself is gone or says what no worker says
    cancelled,  ///< it was ended: SimulatorOptions::cancellation
    not_begun,  ///< nothing was simulated: `log` says why
  } how{};
  int code = 0;
  std::vector<u8> record;
  std::string log;  ///< as written, cut
};

class SimulatorProcess {
 public:
  /// Error: it cannot be started.
  static Result<std::unique_ptr<SimulatorProcess>> start(const SimulatorOptions& options);
  /// Ends the worker and everything of it.
  ~SimulatorProcess();
  SimulatorProcess(const SimulatorProcess&) = delete;

  /// Has a request simulated. The record is at most `max_record` bytes.
  SimulationEnd run(std::span<const u8> request, u64 max_record);
  /// Whether it can be given another one.
  bool usable() const { return usable_; }

 private:
  SimulatorProcess(const SimulatorOptions& options, int pid, int socket, int output)
      : limits_(options.limits),
        cancellation_(options.cancellation),
        pid_(pid),
        socket_(socket),
        output_(output) {}
  void follow(int record, u64 max_record, SimulationEnd& end);
  bool hear(SimulationEnd& end);

  SimulatorLimits limits_;
  std::shared_ptr<const Cancellation> cancellation_;
  int pid_;
  int socket_;
  int output_;  ///< what it and its children write to standard output and error
  bool usable_ = true;
};

}  // namespace simfarm::farm
