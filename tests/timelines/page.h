// docs/timelines.md, written from the table.
#pragma once
#include <string>

namespace simfarm::timelines {

/// The page's whole text.
std::string page();

}  // namespace simfarm::timelines
