// Single random instructions out of the rows: operands as the rows allow, registers and addresses
// by the conventions below, so that most programs go on for long.
#pragma once
#include <vector>

#include "tests/support/differential/code.h"

namespace simfarm::test {

/// What the generator's programs keep in registers. All others are data.
namespace role {
inline constexpr u8 stack = sp;      ///< in the scratch area, word aligned
inline constexpr u8 centre = gp;     ///< the middle of the scratch area, never written
inline constexpr u8 base = s0;       ///< in the scratch area, any alignment
inline constexpr u8 wide_base = s1;  ///< in the scratch area, a multiple of 8
inline constexpr u8 counter = s2;    ///< s2 ... s5: loop counters by depth
inline constexpr u32 counters = 4;
inline constexpr u8 offset = t5;  ///< small, set just before its use
inline constexpr u8 temporary = t3, other_temporary = t4;
}  // namespace role

class Operations {
 public:
  /// `palette`: as many different rows, 0: all. `wild`: one in so many instructions has any
  /// operands at all; 0: none.
  Operations(Random& random, u32 palette, u32 wild);

  /// One instruction, and what it needs before it.
  void emit(Code& code);
  /// The base registers as they should be.
  void restore_bases(Code& code);
  void interesting_value(Code& code);

  /// A data register: any, or one that may be written.
  u8 source() { return static_cast<u8>(random_.below(32)); }
  u8 destination();

  void reserve(u8 reg) { reserved_ |= 1u << reg; }
  void release(u8 reg) { reserved_ &= ~(1u << reg); }
  bool reserved(u8 reg) const { return (reserved_ >> reg & 1) != 0; }

  /// Bits that the base register gets in addition, per program: misaligned accesses.
  u32 base_skew = 0;

 private:
  std::optional<Operation> random_operation(Op op);
  bool adjust(Operation& operation);
  void adjust_access(Operation& operation);
  bool acceptable(const Operation& operation) const;
  void emit_wide(Code& code, Op op);
  void emit_compressed(Code& code, Op op);
  void restore(Code& code, u8 reg);
  void emit_wild(Code& code);

  Random& random_;
  u32 wild_;
  std::vector<Op> palette_;
  u32 reserved_ = 0;
};

}  // namespace simfarm::test
