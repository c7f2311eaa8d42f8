// Programs made in memory, instruction by instruction, for tests of the engines: one for every PE,
// with data in their local memories.
//
//   Kernel kernel;
//   kernel.li(t0, 1).op(Op::GP_WAIT, {.rs1 = t0, .imm = 3}).exit();
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/types.h"
#include "isa/encode.h"
#include "isa/operation.h"
#include "memory/program.h"

namespace simfarm::test {

enum Register : u8 {
  zero,
  ra,
  sp,
  gp,
  tp,
  t0,
  t1,
  t2,
  s0,
  s1,
  a0,
  a1,
  a2,
  a3,
  a4,
  a5,
  a6,
  a7,
  s2,
  s3,
  s4,
  s5,
  s6,
  s7,
  s8,
  s9,
  s10,
  s11,
  t3,
  t4,
  t5,
  t6
};
enum LinkDirection : i32 { north, east, south, west };

inline constexpr u32 code_base = 0x0040'0000;
inline constexpr u32 local_base = 0x1000'0000;
inline constexpr u32 ocm_base = 0x4000'0000;
inline constexpr u32 dram_base = 0x8000'0000;

class Kernel {
 public:
  /// One instruction; `operands.op` is overwritten.
  Kernel& op(Op op, Operation operands = {}) {
    operands.op = op;
    operands.length = 4;
    words_.push_back(*encode(operands));
    return *this;
  }
  /// A word as it is.
  Kernel& word(u32 value) {
    words_.push_back(value);
    return *this;
  }

  /// rd = value: one instruction where 12 bits or an upper immediate alone do, else two.
  Kernel& li(u8 rd, u32 value) {
    const i32 low = static_cast<i32>(value << 20) >> 20;
    const u32 high = value - static_cast<u32>(low);
    if (high == 0) return op(Op::ADDI, {.rd = rd, .imm = low});
    op(Op::LUI, {.rd = rd, .imm = static_cast<i32>(high)});
    return low == 0 ? *this : op(Op::ADDI, {.rd = rd, .rs1 = rd, .imm = low});
  }
  Kernel& nop(u32 count = 1) {
    while (count-- > 0) op(Op::ADDI);
    return *this;
  }
  Kernel& addi(u8 rd, u8 rs1, i32 imm) { return op(Op::ADDI, {.rd = rd, .rs1 = rs1, .imm = imm}); }
  Kernel& add(u8 rd, u8 rs1, u8 rs2) { return op(Op::ADD, {.rd = rd, .rs1 = rs1, .rs2 = rs2}); }
  Kernel& lw(u8 rd, u8 rs1, i32 imm = 0) { return op(Op::LW, {.rd = rd, .rs1 = rs1, .imm = imm}); }
  Kernel& sw(u8 rs2, u8 rs1, i32 imm = 0) {
    return op(Op::SW, {.rs1 = rs1, .rs2 = rs2, .imm = imm});
  }
  Kernel& send(i32 direction, u8 rs1) { return op(Op::GP_SEND, {.rs1 = rs1, .imm = direction}); }
  Kernel& recv(u8 rd, i32 direction) { return op(Op::GP_RECV, {.rd = rd, .imm = direction}); }
  Kernel& wait(i32 semaphore, u8 rs1) { return op(Op::GP_WAIT, {.rs1 = rs1, .imm = semaphore}); }
  Kernel& post(u8 rs1, i32 semaphore) { return op(Op::GP_POST, {.rs1 = rs1, .imm = semaphore}); }
  Kernel& bar(i32 group) { return op(Op::GP_BAR, {.imm = group}); }
  Kernel& dma(u8 rs1) { return op(Op::GP_DMA, {.rs1 = rs1}); }
  Kernel& region(u8 number) { return op(Op::CSRRWI, {.imm2 = number, .imm = 0x7c0}); }

  /// a7 = 93; ecall: two instructions. a0 is the exit code.
  Kernel& exit() { return li(a7, 93).op(Op::ECALL); }
  Kernel& exit(u32 code) { return li(a0, code).exit(); }

  /// Where the next instruction goes.
  u32 here() const { return code_base + 4 * static_cast<u32>(words_.size()); }
  /// Jumps or branches back or forth to an address: kernel.branch(Op::BNE, t0, zero, top).
  Kernel& branch(Op branch, u8 rs1, u8 rs2, u32 target) {
    return op(branch, {.rs1 = rs1, .rs2 = rs2, .imm = static_cast<i32>(target - here())});
  }
  Kernel& jump(u32 target) { return op(Op::JAL, {.imm = static_cast<i32>(target - here())}); }

  /// Bytes in the PE's local memory before cycle 0.
  Kernel& data(u32 address, std::vector<u8> bytes) {
    Segment segment;
    segment.address = address;
    segment.memory_bytes = static_cast<u32>(bytes.size());
    segment.bytes = std::move(bytes);
    segment.writable = true;
    data_.push_back(std::move(segment));
    return *this;
  }

  std::shared_ptr<const Image> image() const {
    auto image = std::make_shared<Image>();
    image->file = "kernel";
    image->entry = code_base;
    Segment code;
    code.address = code_base;
    code.executable = true;
    for (u32 word : words_)
      for (u32 k = 0; k < 4; ++k) code.bytes.push_back(static_cast<u8>(word >> (8 * k)));
    code.memory_bytes = static_cast<u32>(code.bytes.size());
    image->segments = data_;
    image->segments.push_back(std::move(code));
    return image;
  }

 private:
  std::vector<u32> words_;
  std::vector<Segment> data_;
};

/// One kernel on all PEs.
inline Program program_of(const Kernel& kernel) { return {{kernel.image()}, {}}; }

/// Kernel k on PE k, on an array of that many columns.
inline Program program_of(const std::vector<Kernel>& kernels, u32 columns) {
  Program program;
  for (u32 pe = 0; pe < kernels.size(); ++pe) {
    program.images.push_back(kernels[pe].image());
    program.placements.push_back({pe, pe / columns, pe % columns, pe / columns, pe % columns});
  }
  return program;
}

}  // namespace simfarm::test
