// From words to operations. Every word has an answer: an operation, or "illegal".
#pragma once
#include <optional>

#include "base/types.h"
#include "isa/operation.h"

namespace simfarm {

/// True when the halfword at an instruction's address starts a 16-bit instruction.
constexpr bool is_compressed(u32 word) { return (word & 3u) != 3u; }

/// The row that a 32-bit word belongs to.
std::optional<Op> find_row(u32 word);

/// The row (C_*) that a 16-bit word belongs to.
std::optional<Op> find_compressed_row(u16 word);

/// A 32-bit instruction.
std::optional<Operation> decode(u32 word);

/// A 16-bit instruction, as the 32-bit one that it stands for, with length 2.
std::optional<Operation> decode_compressed(u16 word);

/// Either, by the lowest bits; the upper half is ignored when they say 16 bits.
inline std::optional<Operation> decode_any(u32 word) {
  return is_compressed(word) ? decode_compressed(static_cast<u16>(word)) : decode(word);
}

/// Rules that span several fields, the same for decoder and encoder:
///  - Xgp: an instruction's written registers differ from each other. (In XCV a load may name its
///    base: the core's loaded value wins.)
///  - csr instructions: the csr exists, and a write does not meet a read-only one.
bool operands_are_legal(const Operation& operation);

}  // namespace simfarm
