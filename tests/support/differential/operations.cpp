#include "tests/support/differential/operations.h"

#include <array>

#include "isa/csr.h"
#include "isa/decode.h"
#include "isa/encode.h"
#include "isa/encoding.h"
#include "isa/traits.h"

namespace simfarm::test {
namespace {

constexpr u32 extensions = static_cast<u32>(Extension::xgp) + 1;

/// What needs nothing around it: no jump, no loop, no partner. (fence and wfi may not stand in
/// hardware loops.)
bool is_plain(const Row& row) {
  switch (row.timing) {
    case TimingClass::single:
    case TimingClass::mulh:
    case TimingClass::division:
    case TimingClass::load:
    case TimingClass::store:
    case TimingClass::csr:
      return true;
    default:
      return false;
  }
}

/// Rows by extension, so that the many SIMD rows do not crowd out the others.
const std::array<std::vector<Op>, extensions>& plain_rows() {
  static const auto table = [] {
    std::array<std::vector<Op>, extensions> made;
    for (const Row& row : rows())
      if (is_plain(row)) made[static_cast<u32>(row.extension)].push_back(row.op);
    return made;
  }();
  return table;
}

Op any_row(Random& random) {
  for (;;) {
    const auto& rows = plain_rows()[random.below(extensions)];
    if (!rows.empty()) return rows[random.below(rows.size())];
  }
}

constexpr u32 bases = 1u << role::stack | 1u << role::base | 1u << role::wide_base;

}  // namespace

Operations::Operations(Random& random, u32 palette, u32 wild) : random_(random), wild_(wild) {
  for (u32 k = 0; k < palette; ++k) palette_.push_back(any_row(random));
  reserved_ = bases | 1u << role::centre;
  for (u32 k = 0; k < role::counters; ++k) reserved_ |= 1u << (role::counter + k);
}

u8 Operations::destination() {
  for (;;) {
    const u8 reg = source();
    if (!reserved(reg)) return reg;
  }
}

void Operations::emit(Code& code) {
  if (wild_ != 0 && random_.one_in(wild_)) return emit_wild(code);
  if (random_.one_in(24)) return interesting_value(code);
  const Op op = palette_.empty() ? any_row(random_) : palette_[random_.below(palette_.size())];
  if (row(op).compressed())
    emit_compressed(code, op);
  else
    emit_wide(code, op);
}

void Operations::interesting_value(Code& code) {
  static constexpr u32 values[] = {0,           1,           ~0u,         0x8000'0000, 0x7fff'ffff,
                                   2,           31,          32,          255,         0xffff,
                                   0x8000'8000, 0x7fff'7fff, 0x8080'8080, 0x7f7f'7f7f, 0xffff'fffe};
  const u8 rd = destination();
  if (random_.one_in(3))
    code.li(rd, static_cast<u32>(random_.next()) >> random_.below(32));
  else
    code.li(rd, values[random_.below(std::size(values))]);
}

void Operations::restore(Code& code, u8 reg) {
  i32 offset = static_cast<i32>(8 * random_.below(8));
  if (reg == role::base) offset += static_cast<i32>(random_.one_in(3) ? random_.below(8) : 0);
  code.emit(Op::ADDI, {.rd = reg, .rs1 = role::centre, .imm = offset});
  if (reg == role::base && base_skew != 0 && !code.wide) {
    // Another alignment on every PE.
    code.csr_read(role::temporary, csr::mhartid);
    code.emit(Op::ANDI, {.rd = role::temporary, .rs1 = role::temporary, .imm = i32(base_skew)});
    code.emit(Op::ADD, {.rd = reg, .rs1 = reg, .rs2 = role::temporary});
  }
}

void Operations::restore_bases(Code& code) {
  for (const u8 reg : {role::stack, role::base, role::wide_base}) restore(code, reg);
}

/// Fields at random, as the row's pattern lets them be.
std::optional<Operation> Operations::random_operation(Op op) {
  const Encoding& places = encoding(op);
  const u32 word = (static_cast<u32>(random_.next()) & ~places.mask) | places.match;
  if (places.length == 2) {
    const u16 half = static_cast<u16>(word);
    return find_compressed_row(half) == op ? decode_compressed(half) : std::nullopt;
  }
  // Few csr numbers exist.
  if (row(op).extension == Extension::zicsr) {
    const CsrInfo& info = csr_table[random_.below(csr_table.size())];
    const u32 number = static_cast<u32>(random_.between(info.first, info.last));
    return decode((word & 0xf'ffff) | number << 20);
  }
  return find_row(word) == op ? decode(word) : std::nullopt;
}

void Operations::adjust_access(Operation& operation) {
  const MemoryAccess& access = traits(operation.op).memory;
  const auto set = [&](Field field, u8 reg) {
    (field == Field::rs1   ? operation.rs1
     : field == Field::rs2 ? operation.rs2
     : field == Field::rs3 ? operation.rs3
                           : operation.rd) = reg;
  };
  set(access.base, access.bytes == 8 ? role::wide_base : role::base);
  if (access.register_offset) set(access.offset, role::offset);
  // Increments add up: small ones, multiples of 8 where they have to be.
  if (access.post_increment && !access.register_offset && access.bytes != 8)
    operation.imm = static_cast<i32>(random_.between(-16, 24));
}

/// Gives the operation registers that fit the conventions; false when its row cannot have them.
bool Operations::adjust(Operation& operation) {
  const Traits& facts = traits(operation.op);
  const MemoryAccess& access = facts.memory;
  const bool is_access = access.bytes != 0;
  for (u32 k = 0; k < field_count; ++k) {
    const Field field = static_cast<Field>(k);
    if (!writes(operation.op, field) || (is_access && field == access.base)) continue;
    const u8 reg = destination();
    if (field == Field::rd) operation.rd = reg;
    if (field == Field::rs1) operation.rs1 = reg;
    if (field == Field::rs2) operation.rs2 = reg;
    if (field == Field::rs3) operation.rs3 = reg;
  }
  if (is_access) adjust_access(operation);
  return acceptable(operation);
}

bool Operations::acceptable(const Operation& operation) const {
  const MemoryAccess& access = traits(operation.op).memory;
  u32 written = registers_written(operation);
  if (access.bytes != 0) {
    const u32 base = get(operation, access.base);
    if ((bases >> base & 1) == 0 || (access.bytes == 8 && base != role::wide_base)) return false;
    if (access.post_increment) written &= ~(1u << base);
    // A loaded value in its own base would be the next address.
    if ((registers_loaded(operation) & bases) != 0) return false;
  }
  // Base registers may be written: they are restored.
  if ((written & reserved_ & ~bases) != 0) return false;
  // A region above 255 is a trap: csr instructions with a register would nearly always make one.
  const bool to_region = row(operation.op).timing == TimingClass::csr &&
                         operation.imm == static_cast<i32>(csr::region) && csr_writes(operation);
  return !to_region || operation.op == Op::CSRRWI || operation.op == Op::CSRRSI ||
         operation.op == Op::CSRRCI;
}

void Operations::emit_wide(Code& code, Op op) {
  const MemoryAccess& access = traits(op).memory;
  for (u32 tries = 0; tries < 20; ++tries) {
    std::optional<Operation> operation = random_operation(op);
    if (!operation || !adjust(*operation) || !encode(*operation)) continue;
    if (access.register_offset)
      code.emit(Op::ANDI, {.rd = role::offset, .rs1 = source(), .imm = random_.one_in(2) ? 60 : 7});
    if (access.post_increment && random_.one_in(2))
      restore(code, get(*operation, access.base) & 31);
    code.emit(*operation);
    return;
  }
}

void Operations::emit_compressed(Code& code, Op op) {
  if (code.wide) return emit_wide(code, row(op).expands_to);
  for (u32 tries = 0; tries < 60; ++tries) {
    const u32 word = (static_cast<u32>(random_.next()) & ~encoding(op).mask) | encoding(op).match;
    const u16 half = static_cast<u16>(word);
    if (find_compressed_row(half) != op) continue;
    const std::optional<Operation> operation = decode_compressed(half);
    if (!operation || !acceptable(*operation)) continue;
    code.word(half, 2);
    for (const u8 reg : {role::stack, role::base, role::wide_base})
      if (registers_written(*operation) >> reg & 1) restore(code, reg);
    return;
  }
}

void Operations::emit_wild(Code& code) {
  const Op op = any_row(random_);
  const std::optional<Operation> operation = random_operation(op);
  if (operation && encode(*operation)) code.emit(*operation);
}

}  // namespace simfarm::test
