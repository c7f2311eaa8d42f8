// Random programs for whole arrays: arithmetic, memory, links, posts, barriers and DMA, put
// together so that they match up; and, when asked for, spoilt, so that they trap, race or deadlock.
#pragma once
#include <random>
#include <vector>

#include "engine/machine.h"
#include "tests/support/kernel.h"
#include "tests/support/transfers.h"

namespace simfarm::test {

class RandomPrograms {
 public:
  RandomPrograms(const Machine& machine, u64 seed) : machine_(machine), random_(seed) {}

  /// A kernel for every PE. `spoil`: one in so many synchronising instructions is left out; 0:
  /// none.
  std::vector<Kernel> make(u32 steps, u32 spoil) {
    spoil_ = spoil;
    kernels_.assign(machine_.pes(), {});
    next_descriptor_.assign(machine_.pes(), descriptors);
    for (PeId pe = 0; pe < machine_.pes(); ++pe)
      kernels_[pe].li(s0, scratch).li(t1, 1).li(s1, pe * 977 + 1);
    for (u32 k = 0; k < steps; ++k) step();
    for (Kernel& kernel : kernels_) kernel.add(a0, s1, t2).exit();
    return std::move(kernels_);
  }

 private:
  static constexpr u32 descriptors = local_base;        // up to 32 a PE
  static constexpr u32 scratch = local_base + 0x1000;   // the PE's own
  static constexpr u32 from_dma = local_base + 0x2000;  // written by DMA alone

  u32 below(u32 n) { return static_cast<u32>(random_() % n); }
  bool left_out() { return spoil_ != 0 && below(spoil_) == 0; }

  void step() {
    const PeId pe = below(machine_.pes());
    switch (below(8)) {
      case 0:
      case 1:
        arithmetic(kernels_[pe]);
        break;
      case 2:
        memory(kernels_[pe]);
        break;
      case 3:
        link(pe);
        break;
      case 4:
        post(pe);
        break;
      case 5:
        if (below(3) == 0) barrier();
        break;
      case 6:
        copy(pe);
        break;
      default:
        push(pe);
    }
  }

  void arithmetic(Kernel& kernel) {
    const u8 rd = static_cast<u8>(t2 + below(1)), rs = s1;
    switch (below(5)) {
      case 0:
        kernel.op(Op::MULH, {.rd = rd, .rs1 = rs, .rs2 = t1});
        break;
      case 1:
        kernel.op(Op::DIVU, {.rd = rd, .rs1 = rs, .rs2 = t1});
        break;
      case 2: {
        // A loop of a few rounds.
        kernel.li(t3, 1 + below(4));
        const u32 top = kernel.here();
        kernel.add(s1, s1, s1).addi(s1, s1, 3).addi(t3, t3, -1).branch(Op::BNE, t3, zero, top);
        break;
      }
      case 3:
        kernel.region(static_cast<u8>(below(4)));
        break;
      default:
        kernel.add(s1, s1, t2).op(Op::XORI, {.rd = s1, .rs1 = s1, .imm = 0x155});
    }
  }

  void memory(Kernel& kernel) {
    const i32 offset = static_cast<i32>(below(200));
    kernel.sw(s1, s0, offset).lw(t2, s0, offset);
    if (below(2)) kernel.add(s1, s1, t2);
  }

  void link(PeId pe) {
    const u32 row = machine_.row_of(pe), column = machine_.column_of(pe);
    const i32 direction = static_cast<i32>(below(4));
    const u32 to_row = row + (direction == south) - (direction == north);
    const u32 to_column = column + (direction == east) - (direction == west);
    if (to_row >= machine_.rows || to_column >= machine_.columns) return;
    if (!left_out()) kernels_[pe].send(direction, s1);
    if (!left_out()) kernels_[to_row * machine_.columns + to_column].recv(s1, (direction + 2) % 4);
  }

  void post(PeId pe) {
    const PeId to = below(machine_.pes());
    if (!left_out()) kernels_[pe].li(t3, to).post(t3, 9);
    if (!left_out()) kernels_[to].wait(9, t1);
  }

  void barrier() {
    for (Kernel& kernel : kernels_)
      if (!left_out()) kernel.bar(0);
  }

  void queue(PeId pe, const dma::Descriptor& descriptor) {
    put_descriptors(kernels_[pe], next_descriptor_[pe], {descriptor});
    kernels_[pe].li(t0, next_descriptor_[pe]).dma(t0);
    next_descriptor_[pe] += 128;
  }
  bool has_room(PeId pe) const { return next_descriptor_[pe] < descriptors + 32 * 128; }

  void copy(PeId pe) {
    if (!has_room(pe)) return;
    const u32 elements = 1 + below(100);
    const u32 shared = (below(2) ? ocm_base : dram_base) + 0x1000 * pe;
    const bool load = below(2) == 0;
    dma::Descriptor d = load ? linear_copy(shared, from_dma, static_cast<u16>(elements), 4)
                             : linear_copy(from_dma, shared, static_cast<u16>(elements), 4);
    queue(pe, d);
    if (!left_out()) kernels_[pe].wait(0, t1);
    if (load && below(2)) kernels_[pe].li(t3, from_dma).lw(t2, t3);
  }

  void push(PeId pe) {
    if (!has_room(pe)) return;
    const u32 x = below(machine_.columns), y = below(machine_.rows);
    dma::Descriptor d = linear_copy(scratch, from_dma + 0x1000 - local_base + 0x100 * pe, 16, 4);
    d.multicast = true;
    d.rectangle = {static_cast<u8>(x), static_cast<u8>(y),
                   static_cast<u8>(x + below(machine_.columns - x)),
                   static_cast<u8>(y + below(machine_.rows - y))};
    d.release_receivers = {10, 1};
    queue(pe, d);
    if (!left_out()) kernels_[pe].wait(0, t1);
    for (u32 row = y; row <= d.rectangle[3]; ++row)
      for (u32 column = x; column <= d.rectangle[2]; ++column) {
        const PeId receiver = row * machine_.columns + column;
        if (receiver != pe && !left_out()) kernels_[receiver].wait(10, t1);
      }
  }

  const Machine& machine_;
  std::mt19937_64 random_;
  u32 spoil_ = 0;
  std::vector<Kernel> kernels_;
  std::vector<u32> next_descriptor_;
};

}  // namespace simfarm::test
