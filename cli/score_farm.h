// simfarm score --farm: what a farm has queued, instead of what lies in folders.
#pragma once
#include <functional>
#include <string>

#include "base/types.h"

namespace simfarm::cli {

struct ScoreFarmRequest {
  std::string farm;
  std::string crashes;  ///< folder; empty: crashes/ in the farm
  std::string events;   ///< the file of --events
  u32 jobs = 0;         ///< 0: the host's threads
  bool json = false;
  bool trust = false;
  std::function<bool()> stop;
};

/// Judges all that is queued; returns the exit code.
int score_farm(const ScoreFarmRequest& request);

}  // namespace simfarm::cli
