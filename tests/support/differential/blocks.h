// Blocks of one PE alone: straight code, branches, loops, calls, jump tables, csrs, console writes;
// and, when asked for, what ends in a trap.
#pragma once
#include "engine/machine.h"
#include "tests/support/differential/operations.h"

namespace simfarm::test {

/// How one program is to be.
struct Style {
  u32 compressed = 2;   ///< one in so many instructions is compressed, where it can be; 0: none
  u32 palette = 0;      ///< different rows in use; 0: all
  u32 wild = 0;         ///< one in so many instructions has any operands; 0: none
  u32 divergence = 1;   ///< 0: every PE has the same data; 1: a register differs; 2: all do
  bool skewed = false;  ///< base registers have another alignment on every PE
  u32 work = 1000;      ///< instructions that a PE shall execute, about
  u32 console = 0;      ///< one in so many blocks writes to the console; 0: none
};

class Blocks {
 public:
  Blocks(const Machine& machine, Code& code, Random& random, const Style& style);

  /// Sets registers up: bases, data.
  void prologue(u32 scratch_centre);
  /// a0 and ecall.
  void exit();

  /// One block of any kind that is not a trap.
  void block(u32 depth = 0);
  void straight(u32 count);
  void trap();
  /// Ends only by the cycle limit.
  void endless();

  /// Runs `body` in a loop of a few rounds, by branch or by hardware.
  template <class Body>
  void repeat(u32 rounds, Body body) {
    if (depth_ >= role::counters) return body();
    const u8 counter = static_cast<u8>(role::counter + depth_++);
    code_.li(counter, rounds);
    const Code::Label top = code_.label();
    code_.bind(top);
    spend_factor_ *= rounds;
    body();
    spend_factor_ /= rounds;
    close_loop(counter, top);
    --depth_;
  }

  bool finished() const { return spent_ >= style_.work; }
  u64 left() const { return finished() ? 0 : style_.work - spent_; }
  Operations& operations() { return operations_; }

 private:
  void spend(u64 instructions) { spent_ += instructions * spend_factor_; }
  Op any_branch() const;
  void branch_on_data(Code::Label target, bool near);
  void forward_branch(u32 depth);
  void counted_loop(u32 depth);
  void close_loop(u8 counter, Code::Label top);
  void hardware_loop();
  void short_loop(u8 loop, u32 rounds, u32 length);
  void nested_loops(u32 rounds, u32 length, u32 flushing);
  void hardware_body(u32 instructions, u32 flushing);
  void set_up_loop(u32 loop, u32 rounds, Code::Label start, Code::Label end);
  void call(u32 depth);
  void indirect_jump();
  void jump_table();
  void machine_return();
  void fence_or_wfi();
  void csr();
  void console();
  void trap_of_loop();
  void trap_of_memory();

  const Machine& machine_;
  Code& code_;
  Random& random_;
  Style style_;
  Operations operations_;
  u32 depth_ = 0;  ///< of counted loops
  u64 spent_ = 0;
  u64 spend_factor_ = 1;
};

}  // namespace simfarm::test
