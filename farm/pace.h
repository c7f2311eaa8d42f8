// How far a batch is, and how long the rest of it takes, as far as anybody can know: for people,
// nothing is decided by it. Times are milliseconds of any clock that does not go back.
#pragma once
#include <map>
#include <string>

#include "base/types.h"

namespace simfarm::farm {

class Pace {
 public:
  explicit Pace(u32 threads) : threads_(threads) {}

  /// A task's submissions have taken so long before; what they take now counts more and more.
  void learn(const std::string& task, double milliseconds);
  /// So many more of a task wait.
  void wait(const std::string& task, i64 count);
  /// So many wait altogether, it is known now; of which tasks the others are is not known.
  void wait_in_all(i64 count) { queued_ = count; }
  /// One that waited runs; `label`: what people call it. Others run beside: they are counted in
  /// nothing but what runs.
  void begin(const std::string& label, const std::string& task, i64 now, bool beside = false);
  /// It ended; `good` counts as passed.
  void end(const std::string& label, i64 now, bool good);
  /// One that waited ended without a run.
  void answer(bool good);

  /// Nothing waits or runs, but for what runs beside.
  bool ended() const;
  /// There was anything at all.
  bool any() const { return !idle() || passed_ + failed_ != 0; }
  bool idle() const { return queued_ == 0 && running_.empty(); }
  /// "[Q 12 R 8 P 311 F 2] 61 % eta 4m12s slowest conv1d 3m02s": queued, running, passed, failed;
  /// of those that run the one that has run longest. What is not known is left out.
  std::string line(i64 now) const;

 private:
  struct Run {
    std::string task;
    i64 begun = 0;
    bool beside = false;
  };
  double typical(const std::string& task) const;
  /// Milliseconds; negative: nobody knows.
  double left(i64 now) const;

  u32 threads_;
  i64 queued_ = 0;
  i64 passed_ = 0;
  i64 failed_ = 0;
  std::map<std::string, i64> waiting_;       ///< by task, as far as it is known
  std::map<std::string, double> typical_;    ///< by task, milliseconds
  std::multimap<std::string, Run> running_;  ///< by label
};

/// "3m02s", "1h00m", "7s"; towards more.
std::string duration_text(i64 milliseconds);

}  // namespace simfarm::farm
