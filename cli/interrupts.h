// Ctrl-C and SIGTERM: the first one begins nothing more, the second one ends what runs, the third
// one ends the program.
#pragma once
#include <memory>

#include "farm/cancellation.h"

namespace simfarm::cli {

/// From here on. `at_once`: the first one does what the second one does otherwise.
std::shared_ptr<const farm::Cancellation> catch_interrupts(bool at_once = false);

/// Whether there was one.
bool interrupted();

}  // namespace simfarm::cli
