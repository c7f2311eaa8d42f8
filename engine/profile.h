// Where one PE's cycles went, by profile region, instruction and bin (RunOptions::profile). Exact
// and exhaustive as its counters are, of which it is the finer division.
#pragma once
#include <unordered_map>
#include <vector>

#include "base/types.h"
#include "pe/stall.h"

namespace simfarm {

/// `bin` of the cycles in which an instruction issued; the others are Stall's.
inline constexpr u8 profile_issued = stall_count;
/// "issued", "load_use", "sem_wait_dma", ...
std::string_view profile_bin_name(u8 bin);

/// Cycles of one bin at one instruction.
struct ProfileEntry {
  u8 region = 0;  ///< docs/machine.md, csr 0x7C0
  u32 pc = 0;     ///< of the instruction that issued, or that the stall is charged to
  u8 bin = 0;
  u64 cycles = 0;  ///< of profile_issued: times that it issued
  friend bool operator==(const ProfileEntry&, const ProfileEntry&) = default;
};

/// In order of (region, pc, bin), each at most once, none of 0 cycles.
using Profile = std::vector<ProfileEntry>;
/// The sum: the run's cycles.
u64 cycles_of(const Profile& profile);

/// Adds a profile up. One that is not on keeps nothing.
class ProfileTally {
 public:
  explicit ProfileTally(bool on = false) : on_(on) {}
  bool on() const { return on_; }
  void add(u8 region, u32 pc, u8 bin, u64 cycles) {
    if (on_ && cycles != 0) cycles_[u64{region} << 40 | u64{pc} << 8 | bin] += cycles;
  }
  void add_stall(u8 region, u32 pc, Stall bin, u64 cycles) {
    add(region, pc, static_cast<u8>(bin), cycles);
  }
  /// What an instruction cost that issued some number of times.
  void add(u8 region, u32 pc, const Counters& costs) {
    add(region, pc, profile_issued, costs.instructions());
    for (u32 k = 0; k < stall_count; ++k)
      add_stall(region, pc, static_cast<Stall>(k), costs.stalls[k]);
  }
  Profile profile() const;

 private:
  bool on_;
  std::unordered_map<u64, u64> cycles_;  ///< by (region, pc, bin)
};

}  // namespace simfarm
