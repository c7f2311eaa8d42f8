// What a PE has done, in one number that every synchronising instruction which the whole machine
// sees (gp.wait, gp.bar, gp.dma, ecall) changes by where it is, when it issues and what it says;
// and, now and then, by all registers. Two runs whose PEs have the same checkpoints did the same up
// to there; where they part first lies between two checkpoints.
#pragma once
#include <vector>

#include "base/types.h"
#include "isa/operation.h"

namespace simfarm {

struct Checkpoint {
  Cycle cycle = 0;  ///< in which the instruction issued
  u64 digest = 0;   ///< of the PE up to there
  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

/// Of one PE. Those that are kept are `stride` instructions apart, a power of two that grows with
/// their number: half the limit to all of it is kept, however long the run is.
class Checkpoints {
 public:
  /// Whether the instruction is one of those that count. The others that synchronise, gp.post and
  /// the links', have both their ends in PEs.
  static bool counts(Op op) {
    return op == Op::GP_WAIT || op == Op::GP_BAR || op == Op::GP_DMA || op == Op::ECALL;
  }

  Checkpoints() = default;
  /// `most`: kept, even; 0: nothing is.
  explicit Checkpoints(u32 most) : most_(most) {}

  /// `op` at `pc` has issued in `cycle`; `x(k)` is register k after it.
  template <class X>
  void add(u32 pc, Cycle cycle, const Operation& op, X x) {
    mix(u64{pc} << 32 | said(op, x));
    mix(cycle);
    if (++count_ % all_registers_every == 0)
      for (u32 k = 1; k < 32; ++k) mix(x(k));
    if (count_ % stride_ == 0) keep(cycle);
  }

  bool on() const { return most_ != 0; }
  u64 count() const { return count_; }
  u64 digest() const { return digest_; }
  u64 stride() const { return stride_; }
  /// The first after `stride` instructions.
  const std::vector<Checkpoint>& kept() const { return kept_; }

  /// As they were kept somewhere else.
  static Checkpoints read(u64 count, u64 digest, u64 stride, std::vector<Checkpoint> kept) {
    Checkpoints all;
    all.count_ = count;
    all.digest_ = digest;
    all.stride_ = stride;
    all.kept_ = std::move(kept);
    return all;
  }

  friend bool operator==(const Checkpoints& a, const Checkpoints& b) {
    return a.count_ == b.count_ && a.digest_ == b.digest_ && a.stride_ == b.stride_ &&
           a.kept_ == b.kept_;
  }

 private:
  static constexpr u64 all_registers_every = 32;

  template <class X>
  static u32 said(const Operation& op, X x) {
    if (op.op == Op::GP_BAR) return static_cast<u32>(op.imm);
    return op.op == Op::ECALL ? x(a0) : x(op.rs1);
  }
  void mix(u64 value) {
    constexpr u64 odd = 0x9e3779b97f4a7c15;  // 2^64 / the golden ratio: no two bits go together
    digest_ = (digest_ ^ value) * odd;
    digest_ ^= digest_ >> 32;
  }
  void keep(Cycle cycle);

  static constexpr u32 a0 = 10;
  u32 most_ = 0;
  u64 count_ = 0;
  u64 digest_ = 0;
  u64 stride_ = 1;
  std::vector<Checkpoint> kept_;
};

}  // namespace simfarm
