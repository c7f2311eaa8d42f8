// The register rows of a region under way. In the code they are SSA values; while it is emitted
// each row is a stack slot, or two (one value for all lanes, and one a lane), which LLVM promotes.
// Which of the two holds a row is known at every point of the code.
#pragma once
#include <array>

#include "engine/fast/jit/llvm/lanes.h"
#include "engine/fast/jit/region.h"

namespace simfarm::fast::jit {

class Registers {
 public:
  /// Emits the slots and loads `rows` from the frame's x.
  Registers(Lanes& lanes, const Config& config, llvm::Value* x, Rows rows, Rows uniform);

  /// From here on, code of a place that is entered with these rows uniform and these modified.
  void enter(Rows uniform, Rows modified);
  /// Leaves for a place where no more than these rows are uniform.
  void move_to(Rows uniform);

  Value read(u32 row);
  void write(u32 row, const Value& value);
  /// Stores what may have been modified to the frame's x.
  void write_back();

  /// What enter() needs to come back here.
  Rows uniform() const { return uniform_; }
  Rows modified() const { return modified_; }

 private:
  llvm::Value* row_pointer(u32 row);

  Lanes& lanes_;
  llvm::IRBuilder<>& b_;
  const Config& config_;
  llvm::Value* x_;
  Rows rows_;
  Rows uniform_ = 0;
  Rows modified_ = 0;
  llvm::Type* vector_;
  std::array<llvm::Value*, register_rows> single_slots_{};
  std::array<llvm::Value*, register_rows> vector_slots_{};
};

}  // namespace simfarm::fast::jit
