// What makes a descriptor legal, beyond the bits that it can be written in.
#pragma once
#include "base/result.h"
#include "dma/descriptor.h"

namespace simfarm::dma {

/// Every limit of docs/machine.md, section 4, that needs no index values. The error is
/// "field: reason"; whoever knows the descriptor's address puts it in front.
Result<void> check_limits(const Descriptor& descriptor, const Context& context);

}  // namespace simfarm::dma
