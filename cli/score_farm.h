// simfarm score --farm: what a farm has queued, instead of what lies in folders.
#pragma once
#include <functional>
#include <string>

#include "base/types.h"

namespace simfarm::cli {

/// Judges all that is queued; returns the exit code. `events`: the file of --events.
int score_farm(const std::string& farm, u32 jobs, bool json, bool trust, const std::string& events,
               const std::function<bool()>& stop);

}  // namespace simfarm::cli
