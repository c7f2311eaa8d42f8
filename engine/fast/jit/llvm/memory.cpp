#include "engine/fast/jit/llvm/memory.h"

#include <bit>

#include "engine/fast/marks.h"

namespace simfarm::fast::jit {
namespace {

constexpr u32 word_bytes = 4;

}  // namespace

Memory::Memory(Lanes& lanes, const Config& config, llvm::Value* memory, llvm::Value* epoch,
               const AliasTags& tags)
    : lanes_(lanes),
      b_(lanes.builder()),
      config_(config),
      memory_(memory),
      epoch_(epoch),
      tags_(tags) {}

void Memory::begin(const PlannedNode& planned) {
  planned_ = &planned;
  windows_.assign(planned.guards.size(), {});
}

template <class I>
I* Memory::tagged(I* instruction) {
  instruction->setMetadata(llvm::LLVMContext::MD_tbaa, tags_.memory);
  return instruction;
}

Mask Memory::fails(u32 number, const Value& address, i64 offset) {
  const Guard& guard = planned_->guards[number];
  const u32 to_low = static_cast<u32>(guard.low - offset) - config_.local_base;
  const Value window = address + lanes_.value(to_low);
  windows_[number] = window;
  const i64 last = i64{config_.local_bytes} - (guard.high - guard.low);
  if (last < 0) return {b_.getTrue()};
  // Bits that are set below the alignment become the highest.
  const u32 shift = static_cast<u32>(std::countr_zero(guard.alignment));
  const Value place = shift == 0 ? window : lanes_.rotate_right(window, shift);
  const Mask outside = lanes_.less_unsigned(lanes_.value(static_cast<u32>(last) >> shift), place);
  const u32 stored = static_cast<u32>(guard.store_high - guard.store_low);
  if (stored == 0 || !has_code()) return outside;
  // From where the last byte stored would be the first of the code.
  const u32 to_code = static_cast<u32>(guard.store_low - guard.low) + config_.local_base -
                      config_.code_base + stored - 1;
  const Mask into_code = lanes_.less_unsigned(window + lanes_.value(to_code),
                                              lanes_.value(config_.code_bytes + stored - 1));
  return {b_.CreateOr(outside.value, into_code.value)};
}

void Memory::mark(u32 number) {
  const Guard& guard = planned_->guards[number];
  const auto leave = [&](i64 offset, u64 place) {
    mark(windows_[number], static_cast<u64>(offset - guard.low), place);
  };
  for (const i64 offset : guard.load_marks) leave(offset, load_marks_at(config_.local_bytes));
  for (const i64 offset : guard.store_marks)
    leave(offset, store_marks_at(config_.local_bytes, config_.granule));
}

void Memory::mark(const Value& from_base, u64 ahead, u64 place) {
  const u32 shift = static_cast<u32>(std::countr_zero(config_.granule));
  const Value granule =
      (from_base + lanes_.value(static_cast<u32>(ahead % config_.granule))) >> shift;
  const u64 plus = place + ahead / config_.granule;
  llvm::Instruction* store = nullptr;
  if (granule.uniform()) {
    llvm::Value* word =
        b_.CreateAdd(b_.CreateZExt(granule.value, b_.getInt64Ty()), b_.getInt64(plus));
    llvm::Value* at =
        b_.CreateGEP(b_.getInt32Ty(), memory_, b_.CreateMul(word, b_.getInt64(config_.stride)));
    store = b_.CreateAlignedStore(epoch_, at, llvm::Align(word_bytes));
  } else {
    llvm::SmallVector<llvm::Constant*, gang_lanes> lane;
    for (u32 k = 0; k < gang_lanes; ++k)
      lane.push_back(b_.getInt32(static_cast<u32>(plus * config_.stride) + k));
    llvm::Value* index = b_.CreateMul(granule.value, lanes_.spread(lanes_.value(config_.stride)));
    index = b_.CreateAdd(index, llvm::ConstantVector::get(lane));
    store = b_.CreateMaskedScatter(epoch_, b_.CreateGEP(b_.getInt32Ty(), memory_, index),
                                   llvm::Align(word_bytes));
  }
  store->setMetadata(llvm::LLVMContext::MD_tbaa, tags_.marks);
}

bool Memory::has_code() const {
  const u64 code_end = u64{config_.code_base} + config_.code_bytes;
  const u64 local_end = u64{config_.local_base} + config_.local_bytes;
  return config_.code_bytes != 0 && config_.code_base < local_end && config_.local_base < code_end;
}

Memory::Place Memory::place_of(const Value& from_base) {
  return {from_base & lanes_.value(~3u), from_base & lanes_.value(3), 0};
}

Memory::Place Memory::place(const Access& access, u32 bytes, u32 plus) {
  const Guard& guard = planned_->guards[access.guard];
  const u32 ahead = static_cast<u32>(access.offset - guard.low) + plus;
  const Value& window = windows_[access.guard];
  if (guard.alignment >= word_bytes || bytes >= word_bytes)
    return {window, lanes_.value(ahead % word_bytes), ahead - ahead % word_bytes};
  return place_of(window + lanes_.value(ahead));
}

llvm::Value* Memory::pointer(const Place& place) {
  const u64 plus = u64{place.plus} * config_.stride;
  if (place.word.uniform()) {
    llvm::Value* offset = b_.CreateZExt(place.word.value, b_.getInt64Ty());
    offset = b_.CreateMul(offset, b_.getInt64(config_.stride));
    llvm::Value* at = b_.CreatePtrAdd(memory_, offset);
    return b_.CreatePtrAdd(at, b_.getInt64(plus));
  }
  // Indices in words fit 32 bits, which is what gathers take.
  llvm::SmallVector<llvm::Constant*, gang_lanes> lane;
  for (u32 k = 0; k < gang_lanes; ++k)
    lane.push_back(b_.getInt32(static_cast<u32>(plus / word_bytes) + k));
  llvm::Value* index = b_.CreateMul(place.word.value, lanes_.spread(lanes_.value(word_bytes)));
  index = b_.CreateAdd(index, llvm::ConstantVector::get(lane));
  return b_.CreateGEP(b_.getInt32Ty(), memory_, index);
}

Value Memory::load_word(const Place& place) {
  llvm::Type* type = b_.getInt32Ty();
  if (config_.width != 1) type = llvm::FixedVectorType::get(type, gang_lanes);
  llvm::Value* at = pointer(place);
  if (place.word.uniform())
    return lanes_.wrap(tagged(b_.CreateAlignedLoad(type, at, llvm::Align(word_bytes))));
  return lanes_.wrap(tagged(b_.CreateMaskedGather(type, at, llvm::Align(word_bytes))));
}

void Memory::store_word(const Place& place, const Value& value) {
  llvm::Value* all = config_.width == 1 ? value.value : lanes_.spread(value);
  llvm::Value* at = pointer(place);
  if (place.word.uniform())
    tagged(b_.CreateAlignedStore(all, at, llvm::Align(word_bytes)));
  else
    tagged(b_.CreateMaskedScatter(all, at, llvm::Align(word_bytes)));
}

Value Memory::load(const Place& place, u32 bytes, bool is_signed) {
  const u32 bits = 8 * bytes;
  if (bits == 32) return load_word(place);
  if (config_.width == 1) {
    llvm::Value* at =
        b_.CreatePtrAdd(pointer(place), b_.CreateZExt(place.byte.value, b_.getInt64Ty()));
    llvm::Value* part = tagged(b_.CreateAlignedLoad(b_.getIntNTy(bits), at, llvm::Align(bytes)));
    return lanes_.wrap(is_signed ? b_.CreateSExt(part, b_.getInt32Ty())
                                 : b_.CreateZExt(part, b_.getInt32Ty()));
  }
  const Value above = lanes_.value(32 - bits) - (place.byte << 3u);
  const Value top = load_word(place) << above;
  return is_signed ? lanes_.sar(top, 32 - bits) : top >> (32 - bits);
}

Value Memory::load(const Access& access, u32 bytes, bool is_signed, u32 plus) {
  return load(place(access, bytes, plus), bytes, is_signed);
}

void Memory::store(const Access& access, u32 bytes, const Value& value, u32 plus) {
  const Place where = place(access, bytes, plus);
  const u32 bits = 8 * bytes;
  if (bits == 32) return store_word(where, value);
  if (config_.width == 1) {
    llvm::Value* at =
        b_.CreatePtrAdd(pointer(where), b_.CreateZExt(where.byte.value, b_.getInt64Ty()));
    llvm::Value* part = b_.CreateTrunc(value.value, b_.getIntNTy(bits));
    tagged(b_.CreateAlignedStore(part, at, llvm::Align(bytes)));
    return;
  }
  const Value part = lanes_.value((1u << bits) - 1);
  const Value shift = where.byte << 3u;
  const Value kept = load_word(where) & ~(part << shift);
  store_word(where, kept | (value & part) << shift);
}

Mask Memory::byte_fails(const Value& address) {
  const Value from_base = address - lanes_.value(config_.local_base);
  return lanes_.less_unsigned(lanes_.value(config_.local_bytes - 1), from_base);
}

void Memory::mark_byte(const Value& address) {
  if (config_.granule == no_marks) return;
  mark(address - lanes_.value(config_.local_base), 0, load_marks_at(config_.local_bytes));
}

Value Memory::load_byte(const Value& address) {
  return load(place_of(address - lanes_.value(config_.local_base)), 1, false);
}

}  // namespace simfarm::fast::jit
