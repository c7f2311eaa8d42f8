// Loads and stores of the stepper, all of them from what the rows say (isa/traits.h).
#include <fmt/format.h>

#include "engine/fast/doing.h"
#include "engine/fast/planted.h"
#include "isa/traits.h"
#include "pe/bodies/scalar.h"

namespace simfarm::fast {
namespace {

constexpr u32 wide_bytes = 8;

u32 extended(u64 value, u32 bytes, bool is_signed) {
  const u32 unused = 32 - 8 * bytes;
  const u32 top = static_cast<u32>(value) << unused;
  return is_signed ? static_cast<u32>(static_cast<i32>(top) >> unused) : top >> unused;
}

}  // namespace

std::optional<Fault> Stepper::load_fault(const Pe& pe, u32 address, u64 bytes) const {
  const Region& local = pe.local.region();
  if (local.contains(address, bytes)) return std::nullopt;
  return Fault{TrapKind::load_fault, address,
               fmt::format("load of {} bytes at 0x{:08x}: local memory is 0x{:08x}..0x{:08x}",
                           bytes, address, local.base, local.base + local.bytes - 1)};
}

std::optional<Fault> Stepper::store_fault(const Pe& pe, u32 address, u32 bytes) const {
  const AddressMap& map = input_.machine.map;
  bool code = !map.unified && map.instructions.contains(address, 1);
  for (const Pages& pages : pages_[pe.image])
    code |= address < u64{pages.base} + pages.bytes && u64{address} + bytes > pages.base;
  if (code)
    return Fault{TrapKind::store_to_instructions, address,
                 fmt::format("store of {} bytes at 0x{:08x}", bytes, address)};
  const Region& local = pe.local.region();
  if (local.contains(address, bytes)) return std::nullopt;
  return Fault{TrapKind::store_fault, address,
               fmt::format("store of {} bytes at 0x{:08x}: local memory is 0x{:08x}..0x{:08x}",
                           bytes, address, local.base, local.base + local.bytes - 1)};
}

std::optional<Fault> Stepper::access_memory(Doing& doing) {
  Pe& pe = doing.pe;
  const Operation& op = doing.op;
  const MemoryAccess& access = traits(op.op).memory;

  if (op.op == Op::GP_LUT8) {
    u32 result = 0;
    for (u32 shift = 0; shift < 32; shift += 8) {
      const u32 address = doing.rs1() + (doing.rs2() >> shift & 0xff);
      if (auto fault = load_fault(pe, address, 1)) return fault;
      pe.mark_load(address, 1);
      result |= static_cast<u32>(pe.local.load(address, 1)) << shift;
    }
    pe.set_x(op.rd, result);
    return std::nullopt;
  }

  const u32 base = pe.x(get(op, access.base));
  const bool is_pointer = bodies::is_dot_and_load(op.op) || op.op == Op::GP_XLD;
  const u32 offset = is_pointer               ? wide_bytes
                     : access.register_offset ? pe.x(get(op, access.offset))
                                              : doing.imm();
  const u32 address = access.post_increment ? base : base + offset;
  if (access.bytes == wide_bytes && address % wide_bytes != 0)
    return Fault{TrapKind::misaligned_wide, address,
                 fmt::format("0x{:08x} is not a multiple of {}", address, wide_bytes)};
  if (auto fault = access.store ? store_fault(pe, address, access.bytes)
                                : load_fault(pe, address, access.bytes))
    return fault;
  doing.facts.misaligned = access.bytes <= 4 && address % 4 + access.bytes > 4 &&
                           !(planted(Planted::misaligned_half) && access.bytes == 2);

  if (access.store) {
    pe.mark_store(address, access.bytes);
    const u64 value =
        access.bytes == wide_bytes ? u64{doing.rs3()} << 32 | doing.rs2() : u64{doing.rs2()};
    pe.local.store(address, access.bytes, value);
    if (access.post_increment) pe.set_x(op.rs1, base + offset);
    return std::nullopt;
  }

  pe.mark_load(address, access.bytes);
  const u64 value = pe.local.load(address, access.bytes);
  const u32 low = static_cast<u32>(value), high = static_cast<u32>(value >> 32);
  if (is_pointer) {
    u32 sum = 0;
    if (op.op != Op::GP_XLD)
      sum = bodies::scalar_result(op.op)({.rd = doing.rd(),
                                          .rs1 = doing.rs1(),
                                          .rs2 = doing.rs2(),
                                          .x_low = pe.x(operand_low),
                                          .x_high = pe.x(operand_high)});
    if (op.op != Op::GP_XLD) pe.set_x(op.rd, sum);
    pe.set_x(get(op, access.base), base + offset);
    pe.set_x(operand_low, low);
    pe.set_x(operand_high, high);
    return std::nullopt;
  }
  // When rd is the incremented base, the loaded value stays.
  if (access.post_increment) pe.set_x(op.rs1, base + offset);
  if (access.bytes == wide_bytes) {
    pe.set_x(op.rd, low);
    pe.set_x(op.rs2, high);
  } else {
    pe.set_x(op.rd, extended(value, access.bytes, access.is_signed));
  }
  return std::nullopt;
}

}  // namespace simfarm::fast
