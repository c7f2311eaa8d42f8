// A board as a page for browsers.
#pragma once
#include <string>

#include "farm/board.h"

namespace simfarm::farm {

/// One HTML file that needs nothing else: history, lineage, and the table with everything that a
/// row's parent can be compared with. Long notes and failures are cut, so that a row takes at most
/// a few kilobytes.
std::string board_html(const Board& board);

}  // namespace simfarm::farm
