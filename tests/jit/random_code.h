// Random programs for generated code: a few blocks of random instructions, whose loads and stores
// mostly hit local memory, joined by branches, jumps and a hardware loop.
#pragma once
#include <optional>
#include <span>

#include "engine/fast/node.h"
#include "tests/jit/lockstep.h"
#include "tests/support/kernel.h"
#include "tests/support/random.h"

namespace simfarm::test {

class RandomCode {
 public:
  explicit RandomCode(u64 seed);
  /// One instruction of each of these rows, and the end.
  RandomCode(u64 seed, std::span<const Op> ops);

  /// Rows that nodes can have beside those that end them.
  static std::vector<Op> all_rows();

  Program program() const { return program_of(kernel_); }
  fast::Entry entry() const { return entry_; }
  /// Registers and memory to start with; `uniform`: rows equal in all lanes.
  void fill(Tile& tile, fast::jit::Rows& uniform);

 private:
  static constexpr u32 blocks = 4, block_length = 10;
  static constexpr u8 pointers = 4;       // x1..x4: into local memory
  static constexpr u8 target = 27;        // a block's address
  static constexpr u8 counter = 29;       // counts down
  static constexpr u8 small_offset = 30;  // a small multiple of 8
  static u32 address(u64 block) { return code_base + 4 * block_length * static_cast<u32>(block); }

  Operation draw();
  std::optional<Operation> draw(Op op);
  void place_registers(Operation& operation);
  void set_loop();
  void end_block();
  u32 any_value();

  Random random_;
  Kernel kernel_;
  fast::Entry entry_;
};

}  // namespace simfarm::test
