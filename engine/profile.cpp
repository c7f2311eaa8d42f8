#include "engine/profile.h"

#include <algorithm>
#include <tuple>

namespace simfarm {

std::string_view profile_bin_name(u8 bin) {
  return bin == profile_issued ? "issued" : name(static_cast<Stall>(bin));
}

u64 cycles_of(const Profile& profile) {
  u64 cycles = 0;
  for (const ProfileEntry& entry : profile) cycles += entry.cycles;
  return cycles;
}

Profile ProfileTally::profile() const {
  Profile profile;
  profile.reserve(cycles_.size());
  for (const auto& [key, cycles] : cycles_)
    profile.push_back(
        {static_cast<u8>(key >> 40), static_cast<u32>(key >> 8), static_cast<u8>(key), cycles});
  std::ranges::sort(profile, {}, [](const ProfileEntry& entry) {
    return std::tuple(entry.region, entry.pc, entry.bin);
  });
  return profile;
}

}  // namespace simfarm
