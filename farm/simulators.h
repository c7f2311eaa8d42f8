// Simulations in child processes: whatever a stranger's program does to the simulator, it does to
// one process that is about to end anyway. What comes back is a record of bounded length
// (simulation_record.h); a process that crashes, is silent or says anything else is SYSTEM_ERROR or
// HOST_LIMIT, never the author's fault, and a reproducer is kept (crashes.h).
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "farm/cancellation.h"
#include "farm/crashes.h"
#include "farm/simulations.h"
#include "farm/simulator_worker.h"

namespace simfarm::farm {

struct SimulatorOptions {
  /// Starts a worker: a program that calls serve_simulations(worker_socket).
  std::vector<std::string> command;
  std::function<std::string()> version;  ///< of the simulator, for reproducers
  std::string crashes;                   ///< folder for them (crashes.h)
  SimulatorLimits limits;
  std::shared_ptr<const Cancellation> cancellation = nullptr;  ///< then all that runs is CANCELLED
};

class SimulatorProcess;

/// As many workers as threads ask at a time; one that is idle serves the next.
class Simulators : public Simulations {
 public:
  /// `ahead`: how many workers prepare() starts.
  explicit Simulators(SimulatorOptions options, u32 ahead = 1);
  /// Ends all workers, and what they run.
  ~Simulators() override;

  /// Starts workers, the first time: not before, so that answers from a store start no process.
  void prepare() override;
  Judgement judge(const Task& task, const std::vector<Case>& cases, std::span<const u8> elf,
                  const JudgeOptions& options = {}) override;

  /// The same of a request that is packed already (a reproducer's).
  Judgement judge_request(std::span<const u8> request, const Task& task,
                          const std::vector<Case>& cases);

 private:
  std::unique_ptr<SimulatorProcess> take();
  void give_back(std::unique_ptr<SimulatorProcess> worker);

  SimulatorOptions options_;
  Crashes crashes_;
  std::mutex mutex_;
  u32 ahead_;
  std::vector<std::unique_ptr<SimulatorProcess>> idle_;
};

}  // namespace simfarm::farm
