// One identifier an instruction. The list is the rows themselves (isa/rows/*.def), so that an
// instruction exists as soon as, and only when, it has a row.
#pragma once
#include "base/types.h"

namespace simfarm {

/// An instruction, by the order of its row; 32-bit ones first, then the compressed ones (C_*).
/// Where one mnemonic has several encodings: _PI post-increment by an immediate, _PR by a register,
/// _RR register offset without increment.
enum class Op : u16 {
#define ROW(id, ...) id,
#define ROW_COMPRESSED(id, ...) id,
#include "isa/rows/all.def"
#undef ROW
#undef ROW_COMPRESSED
  count
};

inline constexpr u32 op_count = static_cast<u32>(Op::count);

}  // namespace simfarm
