// Runs a timeline on every engine and keeps what the table speaks of.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/simulation.h"
#include "tests/timelines/timeline.h"

namespace simfarm::timelines {

/// What happened before the run's last cycle, in the table's own words; vectors by PE. (A run that
/// a trap ends may show an observer events of the trap's own cycle, which no counter knows.)
struct Seen {
  Outcome outcome;
  std::unique_ptr<Simulation> simulation;  ///< after its run, for its memories
  std::vector<std::vector<Cycle>> issues;
  std::vector<std::array<u64, issue_class_count>> classes;  ///< of the instructions observed
  std::vector<std::vector<std::pair<Cycle, Cycle>>> spans;  ///< start, completion
  std::vector<std::vector<std::string>> beats;
};

/// An error when the timeline's program does not assemble or the engine refuses it.
Result<Seen> run(const Timeline& timeline);

}  // namespace simfarm::timelines
