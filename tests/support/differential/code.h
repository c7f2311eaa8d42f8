// Machine code in the making, for the program generator: 16- and 32-bit instructions, labels that
// are bound later, and hardware-loop bodies in which only 32-bit instructions may stand.
#pragma once
#include <optional>
#include <vector>

#include "isa/operation.h"
#include "tests/support/kernel.h"
#include "tests/support/random.h"

namespace simfarm::test {

class Code {
 public:
  /// Where jumps go; bound once.
  using Label = u32;

  /// `compressed`: one in so many instructions that have a 16-bit form gets it; 0: none.
  Code(u32 base, Random& random, u32 compressed)
      : base_(base), random_(random), compressed_(compressed) {}

  u32 here() const { return base_ + static_cast<u32>(bytes_.size()); }
  u32 base() const { return base_; }
  u64 emitted() const { return emitted_; }
  const std::vector<u8>& bytes() const { return bytes_; }

  /// One legal instruction.
  Code& emit(Op op, Operation operands = {});
  Code& emit(Operation operation);
  /// A word as it is, 2 or 4 bytes.
  Code& word(u32 value, u32 length);

  /// rd = value, in one instruction or two; always two with `fixed_length`.
  Code& li(u8 rd, u32 value, bool fixed_length = false);
  Code& csr_read(u8 rd, u32 number) { return emit(Op::CSRRS, {.rd = rd, .imm = i32(number)}); }
  Code& nops(u32 count);
  /// c.nop up to a word boundary.
  Code& align();

  Label label();
  void bind(Label label);
  u32 address(Label label) const { return *labels_[label]; }
  /// A branch or jump to a label, now or later. `near`: a forward target is within 200 bytes. A
  /// branch that does not reach becomes a nop.
  Code& go(Operation operation, Label target, bool near = false);
  /// rd = address of a label, in two 32-bit instructions.
  Code& address_of(u8 rd, Label target);

  /// Fills in what waits for labels. All of them are bound.
  void finish();

  /// While true, nothing is compressed.
  bool wide = false;

 private:
  struct Fixup {
    u32 at = 0;  ///< offset of the instruction
    Operation operation;
    u32 length = 4;
    Label target = 0;
    bool is_address = false;
  };

  bool reaches(const Operation& operation, u32 length, u32& word) const;
  void put(u32 at, u32 value, u32 length);
  void resolve(const Fixup& fixup);
  bool wants_compressed() { return !wide && compressed_ != 0 && random_.one_in(compressed_); }

  u32 base_;
  Random& random_;
  u32 compressed_;
  u64 emitted_ = 0;
  std::vector<u8> bytes_;
  std::vector<std::optional<u32>> labels_;
  std::vector<Fixup> fixups_;
};

}  // namespace simfarm::test
