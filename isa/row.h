// What the project knows about each instruction, stated once. Decoder, encoder, disassembler,
// manual, timing unit, table tests and the random program generators read these rows.
#pragma once
#include <array>
#include <span>
#include <string_view>

#include "base/types.h"
#include "isa/immediate.h"
#include "isa/op.h"

namespace simfarm {

/// The extension that an instruction belongs to.
enum class Extension : u8 {
  i,
  m,
  c,
  zicsr,
  zifencei,
  zba,
  zbb,
  xcvmac,
  xcvalu,
  xcvsimd,
  xcvmem,
  xcvbi,
  xcvbitmanip,
  xcvhwlp,
  xgp,  ///< ours: wide MAC, links, DMA, semaphores, barriers
};

/// How an issued cycle is counted (the `issued {class}` part of every report).
enum class IssueClass : u8 { alu, mul, div, mac, load, store, branch, jump, csr, link, dma, sync };
inline constexpr u32 issue_class_count = 12;

/// The instruction's kind for pe/timing: which hazards it can meet and what follows its issue.
enum class TimingClass : u8 {
  single,    ///< one cycle
  mulh,      ///< five cycles
  division,  ///< 3..35 cycles, by operand
  load,      ///< one cycle, result late
  store,
  branch,
  jal,
  jalr,
  csr,  ///< one or four cycles, by csr
  fence,
  fence_i,
  hardware_loop,
  system,  ///< ecall, ebreak, wfi, mret: see docs/timing.md
  sync,    ///< drains, then blocks until its event: gp.dma/wait/post/bar/send/recv
};

/// One instruction.
struct Row {
  Op op;
  std::string_view name;  ///< as assemblers write it: "cv.add.sci.b"
  /// 32 (or 16) characters, most significant bit first: 0 1 fixed; '-' ignored, written as zero;
  /// d s t r the fields rd rs1 rs2 rs3; b rd and rs1 in one field; i j bits of the first and second
  /// immediate; spaces are ignored.
  std::string_view pattern;
  /// Operand text, as assemblers write it: "rd, imm(rs1)". Words: rd rs1 rs2 rs3, loop (the number
  /// in the field d), imm imm2 (simm2 when signed), csr, upper (imm >> 12), target (pc + imm),
  /// pred succ (what a fence orders).
  std::string_view syntax;
  Immediate immediate;
  /// Registers written '<' registers read, by field letter: "d<st", "ds<s" (post-increment load),
  /// "d<dst" (accumulator), "<st" (store).
  std::string_view registers;
  /// Values that fields must not have, as unsigned fields: "t!=0", "i!=0 d!=2". Rows that share a
  /// pattern exclude each other so.
  std::string_view rule;
  Extension extension;
  IssueClass issue;
  TimingClass timing;
  std::string_view meaning;  ///< one line for the manual

  Op expands_to;             ///< a compressed row's 32-bit instruction; else op itself
  std::string_view implied;  ///< a compressed row's unwritten registers, not zero: "d1", "d2 s2"

  constexpr bool compressed() const { return expands_to != op; }
};

namespace detail {

/// A compressed row has the operands, classes and hazards of what it expands to.
consteval std::array<Row, op_count> make_rows() {
  std::array<Row, op_count> table{{
#define ROW(id, name, pattern, syntax, immediate, registers, rule, extension, issue, timing, \
            meaning)                                                                         \
  Row{Op::id,                                                                                \
      name,                                                                                  \
      pattern,                                                                               \
      syntax,                                                                                \
      Immediate::immediate,                                                                  \
      registers,                                                                             \
      rule,                                                                                  \
      Extension::extension,                                                                  \
      IssueClass::issue,                                                                     \
      TimingClass::timing,                                                                   \
      meaning,                                                                               \
      Op::id,                                                                                \
      ""},
#define ROW_COMPRESSED(id, name, pattern, syntax, immediate, implied, rule, expands_to, meaning) \
  Row{Op::id,  name,           pattern,      syntax,          Immediate::immediate,              \
      "",      rule,           Extension::c, IssueClass::alu, TimingClass::single,               \
      meaning, Op::expands_to, implied},
#include "isa/rows/all.def"
#undef ROW
#undef ROW_COMPRESSED
  }};
  for (Row& one : table) {
    const Row& full = table[static_cast<u32>(one.expands_to)];
    one.registers = full.registers;
    one.issue = full.issue;
    one.timing = full.timing;
  }
  return table;
}

inline constexpr std::array<Row, op_count> row_table = make_rows();

}  // namespace detail

/// All rows, in order of Op.
constexpr std::span<const Row> rows() { return detail::row_table; }

/// The row of `op`.
constexpr const Row& row(Op op) { return detail::row_table[static_cast<u32>(op)]; }

}  // namespace simfarm
