// What the project knows about each instruction, stated once. Decoder, encoder, disassembler,
// manual, timing unit, table tests and the random program generators read these rows.
#pragma once
#include <span>
#include <string_view>

#include "base/types.h"
#include "isa/op.h"

namespace simfarm {

/// The extension that an instruction belongs to.
enum class Extension : u8 {
  i, m, c, zicsr, zifencei, zba, zbb,
  xcvmac, xcvalu, xcvsimd, xcvmem, xcvbi, xcvbitmanip, xcvhwlp,
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
  csr,       ///< one or four cycles, by csr
  fence,
  fence_i,
  hardware_loop,
  system,    ///< ecall, ebreak, wfi, mret: see docs/timing.md
  sync,      ///< drains, then blocks until its event: gp.dma/wait/post/bar/send/recv
};

/// Where the bits of an immediate sit in the word and how it is extended; see isa/immediate.cpp.
enum class Immediate : u8;

/// One instruction.
struct Row {
  Op op;
  std::string_view name;     ///< as assemblers write it: "cv.add.sci.b"
  /// 32 (or 16) characters, most significant bit first: 0 1 fixed; d s t r the fields rd rs1 rs2
  /// rs3; i j bits of the first and second immediate; spaces and '_' are ignored.
  std::string_view pattern;
  std::string_view syntax;   ///< operand text: "rd, imm(rs1)"
  Immediate immediate;
  /// Registers written '<' registers read, by field letter: "d<st", "ds<s" (post-increment load),
  /// "d<dst" (accumulator), "<st" (store).
  std::string_view registers;
  Extension extension;
  IssueClass issue;
  TimingClass timing;
  std::string_view meaning;  ///< one line for the manual
};

/// All rows, in order of Op.
std::span<const Row> rows();

/// The row of `op`.
const Row& row(Op op);

}  // namespace simfarm
