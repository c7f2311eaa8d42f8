// The parts of an HTML page that are files of their own, farm/page/board.css and board.js; the
// build makes them a part of the program.
#pragma once

namespace simfarm::farm {

extern const char* const page_style;
extern const char* const page_script;

}  // namespace simfarm::farm
