// From operations to words: the decoder's inverse. Used by tests, fuzzers and program generators.
#pragma once
#include <optional>

#include "base/result.h"
#include "base/types.h"
#include "isa/operation.h"

namespace simfarm {

/// The 32-bit word of `operation`, whatever its length; an error names the operand that does not
/// fit, or that the row does not have.
Result<u32> encode(const Operation& operation);

/// The 16-bit word of `operation` in the form of the compressed row `form`.
Result<u16> encode_compressed(Op form, const Operation& operation);

/// The 16-bit word that stands for `operation`, if one does. Hints are not offered.
std::optional<u16> compress(const Operation& operation);

}  // namespace simfarm
