// Where one PE's cycles went. A charge is written down when it is known and settled when it is
// over, so that a run that ends in the middle of a stall, or of a cycle, counts exactly the cycles
// before its end.
#pragma once
#include <map>

#include "base/types.h"
#include "engine/outcome.h"
#include "engine/reference/watch.h"
#include "pe/stall.h"

namespace simfarm::reference {

class Account {
 public:
  Account(PeId pe, Watch& watch, bool profile)
      : pe_(pe), watch_(watch), current_(&regions_[0]), profile_(profile) {}

  /// An instruction issued in `cycle`.
  void issue(Cycle cycle, u32 pc, IssueClass issue) {
    issued_ = true;
    issue_cycle_ = cycle;
    issue_pc_ = pc;
    issue_class_ = issue;
    issue_region_ = current_;
    issue_number_ = number_;
  }

  /// The cycles [from, until) are lost to `bin`; `until` may be `never`: see end_wait.
  void stall(Stall bin, u32 pc, Cycle from, Cycle until, u32 culprit) {
    stall_ = {current_, number_, bin, pc, from, until, culprit, bin, culprit};
  }

  /// The open stall ended before `until`; only now it is known what it waited for. A run that ends
  /// in cycle `until` itself has not seen the end of it.
  void end_wait(Stall bin, Cycle until, u32 culprit) {
    stall_.until = until;
    stall_.bin_at_end = bin;
    stall_.culprit_at_end = culprit;
  }

  /// What follows belongs to this profile region.
  void enter(u8 region) {
    current_ = &regions_[region];
    number_ = region;
  }

  /// Charges what was written down, up to and without `end`.
  void settle(Cycle end) {
    if (issued_) {
      if (issue_cycle_ < end) {
        ++issue_region_->issued[static_cast<u32>(issue_class_)];
        profile_.add(issue_number_, issue_pc_, profile_issued, 1);
      }
      issued_ = false;
    }
    if (stall_.until > stall_.from) settle_stall(end);
  }

  /// The regions' cycles, those without any left out (region 0 excepted), and their sum. Call after
  /// settle(end); checks that they sum to `end`.
  void report(Cycle end, PeReport& report) const;

 private:
  struct Stretch {
    Counters* region = nullptr;
    u8 number = 0;  ///< of the region
    Stall bin{};
    u32 pc = 0;
    Cycle from = 0;
    Cycle until = 0;
    u32 culprit = 0;
    Stall bin_at_end{};  ///< what it was, seen from its end
    u32 culprit_at_end = 0;
  };
  void settle_stall(Cycle end);

  PeId pe_;
  Watch& watch_;
  std::map<u8, Counters> regions_;
  Counters* current_;
  u8 number_ = 0;  ///< of the region
  ProfileTally profile_;
  bool issued_ = false;
  IssueClass issue_class_{};
  Cycle issue_cycle_ = 0;
  u32 issue_pc_ = 0;
  u8 issue_number_ = 0;
  Counters* issue_region_ = nullptr;
  Stretch stall_;
};

}  // namespace simfarm::reference
