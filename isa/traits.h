// What the rows say about an instruction, ready to compute with: registers, memory, kind. Timing,
// hazards, fuzzers and reports ask here; nothing below knows single instructions but where the row
// cannot say it, and there it says why.
#pragma once
#include <array>
#include <string_view>

#include "base/types.h"
#include "isa/encoding.h"
#include "isa/operation.h"
#include "isa/row.h"

namespace simfarm {

/// A register operand of Operation.
enum class Field : u8 { rd, rs1, rs2, rs3 };
inline constexpr u32 field_count = 4;

/// The register number in a field.
constexpr u32 get(const Operation& operation, Field field) {
  switch (field) {
    case Field::rd:
      return operation.rd;
    case Field::rs1:
      return operation.rs1;
    case Field::rs2:
      return operation.rs2;
    case Field::rs3:
      return operation.rs3;
  }
  return 0;
}

/// A set of fields, one bit each.
using FieldSet = u8;

/// What a load or store does to memory. The address is base plus offset; post-increment accesses at
/// base itself and adds the offset to it afterwards.
struct MemoryAccess {
  u8 bytes = 0;  ///< of one access; 0: none. gp.lut8 makes four accesses of one byte
  bool store = false;
  bool is_signed = false;        ///< a narrow load sign-extends
  bool post_increment = false;   ///< the base register is written too
  bool register_offset = false;  ///< offset in the field `offset`, else the immediate
  Field base = Field::rs1;
  Field offset = Field::rs2;
};

/// One row, digested.
struct Traits {
  FieldSet reads = 0;
  FieldSet writes = 0;
  FieldSet loads = 0;  ///< written fields whose value comes from memory, late
  MemoryAccess memory;
};

namespace detail {

constexpr FieldSet fields_of(std::string_view letters) {
  FieldSet set = 0;
  for (char c : letters) {
    switch (c) {
      case 'd':
        set |= 1u << static_cast<u32>(Field::rd);
        break;
      case 's':
        set |= 1u << static_cast<u32>(Field::rs1);
        break;
      case 't':
        set |= 1u << static_cast<u32>(Field::rs2);
        break;
      case 'r':
        set |= 1u << static_cast<u32>(Field::rs3);
        break;
      default:
        break;
    }
  }
  return set;
}

/// Mnemonics of loads and stores say the width, as everywhere in RISC-V: l or s, then b h w, then
/// u. Xgp's are 64 bits wide but for the table look-up.
constexpr MemoryAccess memory_of(const Row& row) {
  MemoryAccess access;
  if (row.timing != TimingClass::load && row.timing != TimingClass::store) return access;
  access.store = row.timing == TimingClass::store;
  const FieldSet writes = fields_of(row.registers.substr(0, row.registers.find('<')));
  if (row.extension == Extension::xgp) {
    access.bytes = row.op == Op::GP_LUT8 ? 1 : 8;
    // The pointer of gp.x*dot8.ld is its third source.
    if (row.syntax.ends_with("(rs3)")) access.base = Field::rs3;
  } else {
    const Row& full = row_table[static_cast<u32>(row.expands_to)];
    std::string_view name = full.name;
    if (name.starts_with("cv.")) name.remove_prefix(3);
    access.bytes = name[1] == 'b' ? 1 : name[1] == 'h' ? 2 : 4;
    access.is_signed = !access.store && access.bytes < 4 && name.back() != 'u';
    access.register_offset = full.immediate == Immediate::none;
    if (access.store) access.offset = Field::rs3;
  }
  access.post_increment = (writes >> static_cast<u32>(access.base) & 1) != 0;
  return access;
}

constexpr Traits traits_of(const Row& row) {
  Traits traits;
  const u64 arrow = row.registers.find('<');
  traits.writes = fields_of(row.registers.substr(0, arrow));
  traits.reads = fields_of(row.registers.substr(arrow + 1));
  traits.memory = memory_of(row);
  // A written field that is also read is an accumulator or an incremented base: not from memory.
  if (row.timing == TimingClass::load)
    traits.loads = static_cast<FieldSet>(traits.writes & ~traits.reads);
  return traits;
}

constexpr std::array<Traits, op_count> make_traits() {
  std::array<Traits, op_count> table;
  for (u32 k = 0; k < op_count; ++k) table[k] = traits_of(row_table[k]);
  return table;
}

inline constexpr std::array<Traits, op_count> traits_table = make_traits();

constexpr u32 registers_in(const Operation& operation, FieldSet fields) {
  u32 set = 0;
  for (u32 k = 0; k < field_count; ++k)
    if ((fields >> k & 1) != 0) set |= 1u << get(operation, static_cast<Field>(k));
  return set & ~1u;  // x0 is no register: neither a source to wait for nor a result
}

}  // namespace detail

constexpr const Traits& traits(Op op) { return detail::traits_table[static_cast<u32>(op)]; }

constexpr bool reads(Op op, Field field) {
  return (traits(op).reads >> static_cast<u32>(field) & 1) != 0;
}
constexpr bool writes(Op op, Field field) {
  return (traits(op).writes >> static_cast<u32>(field) & 1) != 0;
}

/// Registers as sets: bit n is register n; x0 is never in.
constexpr u32 registers_read(const Operation& operation) {
  return detail::registers_in(operation, traits(operation.op).reads);
}
constexpr u32 registers_written(const Operation& operation) {
  return detail::registers_in(operation, traits(operation.op).writes);
}
/// Those written with a value from memory: late, so that the next instruction may have to wait. A
/// base register incremented by a load is not among them.
constexpr u32 registers_loaded(const Operation& operation) {
  return detail::registers_in(operation, traits(operation.op).loads);
}

/// Where the core compares a register number too many when it looks for hazards: in these SIMD
/// instructions bits 24:20 hold a part of the immediate (its bits 5:1), and the core's decoder
/// takes them for a used rs2 all the same (cv32e40p_decoder.sv sets regb_used_o: for shuffles
/// always, for extract and insert since their funct3 looks like a register form). It reads nothing
/// there, but a load of that register just before costs its cycle.
constexpr bool compares_immediate_as_rs2(Op op) {
  switch (op) {
    case Op::CV_EXTRACT_H:
    case Op::CV_EXTRACT_B:
    case Op::CV_EXTRACTU_H:
    case Op::CV_EXTRACTU_B:
    case Op::CV_INSERT_H:
    case Op::CV_INSERT_B:
    case Op::CV_SHUFFLE_SCI_H:
    case Op::CV_SHUFFLEI0_SCI_B:
    case Op::CV_SHUFFLEI1_SCI_B:
    case Op::CV_SHUFFLEI2_SCI_B:
    case Op::CV_SHUFFLEI3_SCI_B:
      return true;
    default:
      return false;
  }
}

/// Registers whose pending load makes this instruction wait: those it reads, and those the core
/// believes it reads.
constexpr u32 registers_awaited(const Operation& operation) {
  u32 set = registers_read(operation);
  if (compares_immediate_as_rs2(operation.op))
    set |= (1u << (static_cast<u32>(operation.imm) >> 1 & 31u)) & ~1u;
  return set;
}

/// Drains the pipeline, then waits for something outside the PE.
constexpr bool is_sync(Op op) { return row(op).timing == TimingClass::sync; }
constexpr bool is_load(Op op) { return row(op).timing == TimingClass::load; }
constexpr bool is_store(Op op) { return row(op).timing == TimingClass::store; }
constexpr bool is_branch(Op op) { return row(op).timing == TimingClass::branch; }
constexpr bool is_jump(Op op) {
  return row(op).timing == TimingClass::jal || row(op).timing == TimingClass::jalr;
}

}  // namespace simfarm
