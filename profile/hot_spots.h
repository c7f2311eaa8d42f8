// Where an array's cycles go, by instruction, source line, function and region: the profiles of all
// PEs (engine/profile.h) added up, with names from the program. docs/profile.md says what is in it.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/machine.h"
#include "engine/outcome.h"
#include "memory/program.h"
#include "profile/json.h"

namespace simfarm::profile {

/// Cycles of all PEs together, by ProfileEntry::bin.
using BinCycles = std::array<u64, stall_count + 1>;
u64 cycles_of(const BinCycles& bins);

/// One instruction in one region.
struct HotSpot {
  std::string image;  ///< the file
  u8 region = 0;
  u32 pc = 0;
  SourceLine place;         ///< as far as it is known
  std::string instruction;  ///< disassembled
  u32 pes = 0;              ///< that have cycles here
  BinCycles bins{};
};

/// In order of (image, region, pc): all cycles of all PEs. `outcome` was made with
/// RunOptions::profile.
std::vector<HotSpot> hot_spots(const Machine& machine, const Program& program,
                               const Outcome& outcome);

/// For people: functions, lines and stalls, those with most cycles first, at most `limit` of each.
std::string profile_tables(const std::vector<HotSpot>& spots, u32 limit);

/// A line of flame graph tools for each bin of each instruction: "region;function;line;pc;bin
/// cycles".
std::string folded_stacks(const std::vector<HotSpot>& spots);

/// Schema "simfarm.profile". `rerun`: the command that makes the same profile.
Json profile_document(const Machine& machine, const Outcome& outcome,
                      const std::vector<HotSpot>& spots, const std::string& rerun);

/// Schema "simfarm.profile.diff", from two profile documents: which bins moved, in all, by function
/// and by line. Errors: `name`, of a document that is none.
Result<Json> profile_differences(const Json& before, const Json& after, const std::string& name);
/// The same for people, at most `limit` lines a table.
std::string print_differences(const Json& differences, u32 limit);

}  // namespace simfarm::profile
