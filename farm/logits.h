// Outputs that are held against real numbers. No floating point decides: references become integers
// by their bits, and errors are sums of integers.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "farm/case.h"

namespace simfarm::farm {

/// The float32 with these bits in units of 2^-fraction_bits, to nearest, ties to even. None: not
/// finite, or 2^53 units and more.
std::optional<i64> fixed_point(u32 float_bits, u32 fraction_bits);

/// An output against its reference.
struct LogitErrors {
  u64 sum = 0;       ///< of |dequantised - reference|, in the rule's units
  std::string told;  ///< lines for people when an element is further off than the bound; else empty
};
LogitErrors logit_errors(const Reference& reference, const PlacedTensor& tensor,
                         std::span<const u8> got);

}  // namespace simfarm::farm
