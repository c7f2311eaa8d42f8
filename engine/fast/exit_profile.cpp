#include "engine/fast/exit_profile.h"

#include <algorithm>
#include <tuple>

namespace simfarm::fast {
namespace {

auto key_of(const ProfileEntry& entry) { return std::tuple(entry.region, entry.pc, entry.bin); }

}  // namespace

ExitProfile::ExitProfile(const Graph& graph) {
  std::vector<Profile> of_exits;
  for (u32 k = 0; k < graph.exits(); ++k) {
    ProfileTally tally(true);
    for (const Graph::Share& share : graph.shares(k))
      tally.add(graph.cost(k).region, share.pc, share.costs);
    of_exits.push_back(tally.profile());
    keys_.insert(keys_.end(), of_exits.back().begin(), of_exits.back().end());
  }
  std::ranges::sort(keys_, {}, key_of);
  const auto rest = std::ranges::unique(keys_, {}, key_of);
  keys_.erase(rest.begin(), rest.end());
  for (const Profile& profile : of_exits) {
    for (const ProfileEntry& entry : profile) {
      const auto at = std::ranges::lower_bound(keys_, key_of(entry), {}, key_of);
      costs_.push_back({static_cast<u32>(at - keys_.begin()), static_cast<u32>(entry.cycles)});
    }
    ends_.push_back(static_cast<u32>(costs_.size()));
  }
}

void ExitProfile::add(const u64* counts, const u64* together, ProfileTally& to) const {
  std::vector<u64> cycles(keys_.size());
  u32 begin = 0;
  for (u32 k = 0; k < ends_.size(); ++k) {
    const u64 times = counts[k] + together[k];
    if (times != 0)
      for (u32 at = begin; at < ends_[k]; ++at) cycles[costs_[at].key] += times * costs_[at].cycles;
    begin = ends_[k];
  }
  for (u32 k = 0; k < keys_.size(); ++k)
    to.add(keys_[k].region, keys_[k].pc, keys_[k].bin, cycles[k]);
}

}  // namespace simfarm::fast
