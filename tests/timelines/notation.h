// The table's short notations, read and written: "0-4 31" cycles, "setup 4, transfer 2" bins.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "engine/outcome.h"

namespace simfarm::timelines {

/// "0-4 31" as 0 1 2 3 4 31. Throws std::invalid_argument on anything else.
std::vector<Cycle> read_cycles(std::string_view text);
/// The inverse; neighbouring cycles become a range.
std::string write_cycles(const std::vector<Cycle>& cycles);

/// "setup 4, transfer 2" by name. Throws std::invalid_argument on anything else.
std::map<std::string, u64> read_bins(std::string_view text);
/// The bins of a PE or an engine that are not zero, by name.
std::map<std::string, u64> bins_of(const Counters& counters);
std::map<std::string, u64> bins_of(const DmaReport& report);

/// "4-31 17-23" as pairs of start and completion, "4-" as a start without one (`never`).
std::vector<std::pair<Cycle, Cycle>> read_spans(std::string_view text);
std::string write_spans(const std::vector<std::pair<Cycle, Cycle>>& spans);

}  // namespace simfarm::timelines
