#include "tests/support/differential/code.h"

#include "isa/decode.h"
#include "isa/encode.h"
#include "isa/row.h"

namespace simfarm::test {
namespace {

constexpr u32 nop = 0x13, short_nop = 0x01;

}  // namespace

Code& Code::emit(Op op, Operation operands) {
  operands.op = op;
  return emit(operands);
}

Code& Code::emit(Operation operation) {
  operation.length = 4;
  if (wants_compressed())
    if (const auto half = compress(operation)) return word(*half, 2);
  return word(*encode(operation), 4);
}

Code& Code::word(u32 value, u32 length) {
  bytes_.resize(bytes_.size() + length);
  put(static_cast<u32>(bytes_.size()) - length, value, length);
  ++emitted_;
  return *this;
}

void Code::put(u32 at, u32 value, u32 length) {
  for (u32 k = 0; k < length; ++k) bytes_[at + k] = static_cast<u8>(value >> 8 * k);
}

Code& Code::li(u8 rd, u32 value, bool fixed_length) {
  const i32 low = static_cast<i32>(value << 20) >> 20;
  const u32 high = value - static_cast<u32>(low);
  if (high == 0 && !fixed_length) return emit(Op::ADDI, {.rd = rd, .imm = low});
  emit(Op::LUI, {.rd = rd, .imm = static_cast<i32>(high)});
  if (low == 0 && !fixed_length) return *this;
  return emit(Op::ADDI, {.rd = rd, .rs1 = rd, .imm = low});
}

Code& Code::nops(u32 count) {
  while (count-- > 0) emit(Op::ADDI);
  return *this;
}

Code& Code::align() { return bytes_.size() % 4 != base_ % 4 ? word(short_nop, 2) : *this; }

Code::Label Code::label() {
  labels_.emplace_back();
  return static_cast<Label>(labels_.size() - 1);
}

void Code::bind(Label label) { labels_[label] = here(); }

bool Code::reaches(const Operation& operation, u32 length, u32& word) const {
  if (length == 2) {
    const auto half = compress(operation);
    if (half) word = *half;
    return half.has_value();
  }
  const Result<u32> full = encode(operation);
  if (full) word = *full;
  return static_cast<bool>(full);
}

Code& Code::go(Operation operation, Label target, bool near) {
  operation.length = 4;
  const bool known = labels_[target].has_value();
  // A stand-in offset says whether there is a 16-bit form at all.
  operation.imm = known ? static_cast<i32>(*labels_[target] - here()) : 64;
  u32 value = 0;
  const bool compressed = wants_compressed() && (known || near) && reaches(operation, 2, value);
  const u32 length = compressed ? 2 : 4;
  fixups_.push_back({static_cast<u32>(bytes_.size()), operation, length, target});
  return word(compressed ? short_nop : nop, length);
}

Code& Code::address_of(u8 rd, Label target) {
  fixups_.push_back({static_cast<u32>(bytes_.size()), {.rd = rd}, 4, target, true});
  return word(nop, 4).word(nop, 4);
}

void Code::resolve(const Fixup& fixup) {
  check(labels_[fixup.target].has_value(), "a label that was never bound");
  const u32 offset = *labels_[fixup.target] - (base_ + fixup.at);
  if (fixup.is_address) {
    const u8 rd = fixup.operation.rd;
    const i32 low = static_cast<i32>(offset << 20) >> 20;
    put(fixup.at, *encode({.op = Op::AUIPC, .rd = rd, .imm = i32(offset - u32(low))}), 4);
    put(fixup.at + 4, *encode({.op = Op::ADDI, .rd = rd, .rs1 = rd, .imm = low}), 4);
    return;
  }
  Operation operation = fixup.operation;
  // Hardware loops count in words.
  const bool in_words = row(operation.op).timing == TimingClass::hardware_loop;
  operation.imm = static_cast<i32>(in_words ? offset / 4 : offset);
  u32 value = 0;
  if (reaches(operation, fixup.length, value)) put(fixup.at, value, fixup.length);
}

void Code::finish() {
  for (const Fixup& fixup : fixups_) resolve(fixup);
  fixups_.clear();
}

}  // namespace simfarm::test
