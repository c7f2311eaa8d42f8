// What the PEs write by ecall 64, in order of (cycle, PE).
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/types.h"
#include "engine/outcome.h"
#include "engine/simulation.h"

namespace simfarm::reference {

class Console {
 public:
  explicit Console(const RunOptions& options)
      : open_(options.console), limit_(options.console_limit) {}

  /// False: the run would write more than it may.
  bool write(Cycle cycle, PeId pe, std::string text) {
    if (!open_) return true;
    if (text.size() > limit_ - written_) return false;
    written_ += text.size();
    writes_.push_back({cycle, pe, std::move(text)});
    return true;
  }
  bool open() const { return open_; }
  u64 limit() const { return limit_; }

  /// What was written in the cycles before `end`.
  std::vector<ConsoleWrite> take(Cycle end) {
    while (!writes_.empty() && writes_.back().cycle >= end) writes_.pop_back();
    return std::move(writes_);
  }

 private:
  bool open_;
  u64 limit_;
  u64 written_ = 0;
  std::vector<ConsoleWrite> writes_;
};

}  // namespace simfarm::reference
