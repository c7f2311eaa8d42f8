#include "engine/fast/jit/llvm/registers.h"

#include "base/check.h"

namespace simfarm::fast::jit {
namespace {

bool in(Rows rows, u32 row) { return (rows >> row & 1) != 0; }

}  // namespace

Registers::Registers(Lanes& lanes, const Config& config, llvm::Value* x, Rows rows, Rows uniform)
    : lanes_(lanes),
      b_(lanes.builder()),
      config_(config),
      x_(x),
      rows_(rows & ~Rows{1}),
      uniform_(uniform),
      vector_(llvm::FixedVectorType::get(b_.getInt32Ty(), gang_lanes)) {
  for (u32 row = 0; row < register_rows; ++row) {
    if (!in(rows_, row)) continue;
    single_slots_[row] = b_.CreateAlloca(b_.getInt32Ty());
    if (config_.width != 1) vector_slots_[row] = b_.CreateAlloca(vector_);
  }
  for (u32 row = 0; row < register_rows; ++row) {
    if (!in(rows_, row)) continue;
    const bool single = in(uniform_, row);
    llvm::Type* type = single ? b_.getInt32Ty() : vector_;
    llvm::Value* value = b_.CreateAlignedLoad(type, row_pointer(row), llvm::Align(4));
    b_.CreateStore(value, single ? single_slots_[row] : vector_slots_[row]);
  }
}

llvm::Value* Registers::row_pointer(u32 row) {
  return b_.CreateConstGEP1_32(b_.getInt32Ty(), x_, row * config_.stride);
}

void Registers::enter(Rows uniform, Rows modified) {
  uniform_ = uniform;
  modified_ = modified;
}

void Registers::move_to(Rows uniform) {
  check((uniform & rows_ & ~uniform_) == 0, "a row said to be uniform is not");
  for (u32 row = 0; row < register_rows; ++row) {
    if (!in(rows_, row) || !in(uniform_, row) || in(uniform, row)) continue;
    b_.CreateStore(lanes_.spread(read(row)), vector_slots_[row]);
  }
}

Value Registers::read(u32 row) {
  if (row == 0) return lanes_.value(0);
  if (in(uniform_, row)) return lanes_.wrap(b_.CreateLoad(b_.getInt32Ty(), single_slots_[row]));
  return lanes_.wrap(b_.CreateLoad(vector_, vector_slots_[row]));
}

void Registers::write(u32 row, const Value& value) {
  if (row == 0) return;
  b_.CreateStore(value.value, value.uniform() ? single_slots_[row] : vector_slots_[row]);
  uniform_ = value.uniform() ? uniform_ | Rows{1} << row : uniform_ & ~(Rows{1} << row);
  modified_ |= Rows{1} << row;
}

void Registers::write_back() {
  for (u32 row = 1; row < register_rows; ++row) {
    if (!in(modified_, row)) continue;
    const Value value = read(row);
    b_.CreateAlignedStore(config_.width == 1 ? value.value : lanes_.spread(value), row_pointer(row),
                          llvm::Align(4));
  }
}

}  // namespace simfarm::fast::jit
