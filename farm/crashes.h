// Reproducers: what a simulation was given when its process failed, so that whoever mends the
// simulator can have the failure again.
#pragma once
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "farm/simulation_record.h"

namespace simfarm::farm {

struct CrashReport {
  std::string simulator;  ///< version and digest of the program
  std::string how;        ///< "ended by signal 11 (Segmentation fault)"
  std::string log;        ///< what the process said; printable
};

/// A folder of reproducers, named by the digest of the request: one crash is saved once. Each holds
/// `request` (what `simfarm rerun` takes), `program.elf` and `about.txt`.
class Crashes {
 public:
  /// No more than these are kept, so that a bad build of the simulator does not fill the disk.
  static constexpr size_t most = 32;
  static constexpr u64 most_bytes = u64{1} << 30;  ///< of one request

  /// `folder` is made when it is needed; empty: a fresh one among the system's temporary ones.
  explicit Crashes(std::string folder) : folder_(std::move(folder)) {}

  /// Saves it; several threads may. Returns the reproducer's folder, or, in words, why there is
  /// none.
  Result<std::string> save(std::span<const u8> request, const CrashReport& report);

 private:
  std::mutex mutex_;
  std::string folder_;
};

/// Reads a reproducer's request, to be unpacked.
Result<std::vector<u8>> load_crash(const std::string& folder);

}  // namespace simfarm::farm
