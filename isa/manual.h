// The instruction-set manual, printed from the rows: what docs/isa.md holds.
#pragma once
#include <string>
#include <string_view>

namespace simfarm {

/// The whole manual, Markdown.
std::string manual();

/// The tables of the instructions whose name contains `text`; empty when there are none.
std::string manual_matching(std::string_view text);

}  // namespace simfarm
