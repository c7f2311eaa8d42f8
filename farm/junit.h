// A batch for continuous integration.
#pragma once
#include <string>
#include <vector>

#include "farm/board.h"

namespace simfarm::farm {

/// JUnit XML: a test suite for each task, a test case for each submission. A verdict other than
/// ACCEPTED, or than the one that was announced, is a failure; what was not judged is an error, or
/// skipped where it was not begun.
std::string junit_xml(const std::vector<Board>& boards);

}  // namespace simfarm::farm
