// One instruction of a region's node: operands from the rows, the body, results to the rows. Loads
// and stores make sure of their addresses first, so that nothing is done when they are left to the
// engine.
#include <cstddef>

#include "base/check.h"
#include "engine/fast/jit/llvm/emit_bodies.h"
#include "engine/fast/jit/llvm/region_emitter.h"
#include "engine/fast/posts.h"
#include "isa/traits.h"
#include "pe/bodies/rows.h"

namespace simfarm::fast::jit {

Value RegionEmitter::read(const Operation& operation, Field field) {
  return registers_->read(get(operation, field));
}

bodies::Operands<Value> RegionEmitter::operands(const PlannedNode& planned, u32 k) {
  const Operation& operation = planned.node->body[k];
  bodies::Operands<Value> o;
  const auto fill = [&](Field field, Value& value) {
    if (reads(operation.op, field)) value = read(operation, field);
  };
  fill(Field::rd, o.rd);
  fill(Field::rs1, o.rs1);
  fill(Field::rs2, o.rs2);
  fill(Field::rs3, o.rs3);
  if (bodies::reads_operand_buffer(operation.op)) {
    o.x_low = registers_->read(operand_low);
    o.x_high = registers_->read(operand_high);
  }
  o.imm = static_cast<u32>(operation.imm);
  o.imm2 = operation.imm2;
  o.pc = planned.node->pcs[k];
  o.length = operation.length;
  return o;
}

void RegionEmitter::instruction(const PlannedNode& planned, u32 k) {
  const Operation& operation = planned.node->body[k];
  if (traits(operation.op).memory.bytes != 0) {
    memory_instruction(planned, k);
  } else if (operation.op == Op::GP_XSET) {
    const Value low = read(operation, Field::rs1), high = read(operation, Field::rs2);
    registers_->write(operand_low, low);
    registers_->write(operand_high, high);
  } else if (operation.op == Op::GP_POST) {
    post(planned, k);
  } else if (operation.op == Op::JAL) {
    registers_->write(operation.rd, lanes_.value(planned.node->pcs[k] + operation.length));
  } else if (row(operation.op).timing == TimingClass::hardware_loop) {
    // Where a loop begins and ends is a part of the next node's entry.
  } else {
    check(bodies::has_result(operation.op), "an instruction that nodes do not have");
    registers_->write(operation.rd, emit_result(operation.op, lanes_, operands(planned, k)));
  }
}

void RegionEmitter::memory_instruction(const PlannedNode& planned, u32 k) {
  const Operation& operation = planned.node->body[k];
  if (operation.op == Op::GP_LUT8) return look_up(planned, k);
  const MemoryAccess& memory = traits(operation.op).memory;
  const Access& access = planned.accesses[k];
  const Value base = read(operation, memory.base);
  const bool dot = bodies::is_dot_and_load(operation.op);
  Value offset = lanes_.value(static_cast<u32>(operation.imm));
  if (operation.op == Op::GP_XLD || dot) offset = lanes_.value(memory.bytes);
  if (memory.register_offset) offset = read(operation, memory.offset);
  const Guard& guard = planned.guards[access.guard];
  if (guard.root == none && guard.first == k) {
    const Value address = memory.post_increment ? base : base + offset;
    stop_if(any(memory_->fails(access.guard, address, access.offset)), planned, k);
    memory_->mark(access.guard);
  }

  const u32 bytes = memory.bytes == 8 ? 4 : memory.bytes;
  const bool pair = memory.bytes == 8;
  if (memory.store) {
    memory_->store(access, bytes, read(operation, Field::rs2));
    if (pair) memory_->store(access, bytes, read(operation, Field::rs3), 4);
    if (memory.post_increment) registers_->write(get(operation, memory.base), base + offset);
    return;
  }
  Value low = memory_->load(access, bytes, memory.is_signed);
  if (access.expected) {
    Leaf otherwise{Leaf::Why::stopped, k, planned.node};
    otherwise.disagreed = true;
    low = agreed(low, otherwise);
  }
  const Value high = pair ? memory_->load(access, bytes, false, 4) : Value{};
  if (dot) registers_->write(operation.rd, emit_result(operation.op, lanes_, operands(planned, k)));
  if (memory.post_increment) registers_->write(get(operation, memory.base), base + offset);
  if (dot || operation.op == Op::GP_XLD) {
    registers_->write(operand_low, low);
    registers_->write(operand_high, high);
    return;
  }
  registers_->write(operation.rd, low);  // after the base: a loaded base stays
  if (pair) registers_->write(operation.rs2, high);
}

/// Notes it down, as engine/fast/posts.h says.
void RegionEmitter::post(const PlannedNode& planned, u32 k) {
  const bool gang = config_.width != 1;
  const Operation& operation = planned.node->body[k];
  const Value to = read(operation, Field::rs1);
  const Mask exists = lanes_.less_unsigned(to, lanes_.value(config_.pes));
  stop_if(any(lanes_.invert(exists)), planned, k);
  const auto load_pointer = [&](llvm::Value* at) { return b_.CreateLoad(b_.getPtrTy(), at); };
  const auto at_offset = [&](llvm::Value* pointer, u64 offset) {
    return b_.CreatePtrAdd(pointer, b_.getInt64(offset));
  };
  llvm::Value* const room =
      load_pointer(frame_field(gang ? offsetof(Frame, gang_posts) : offsetof(Frame, posts)));
  llvm::Value* const next = load_pointer(at_offset(room, offsetof(PostRoom<Post>, next)));
  llvm::Value* const end = load_pointer(at_offset(room, offsetof(PostRoom<Post>, end)));
  stop_if(b_.CreateICmpEQ(next, end), planned, k);
  const auto store = [&](llvm::Value* value, u64 offset) {
    b_.CreateAlignedStore(value, at_offset(next, offset), llvm::Align(4));
  };
  llvm::Value* const at =
      b_.CreateAdd(turned(load_slot(time_)), b_.getInt64(planned.node->issues_at(k)));
  llvm::Value* const number = b_.getInt32(static_cast<u32>(operation.imm));
  llvm::Value* const pc = b_.getInt32(planned.node->pcs[k]);
  store(at, gang ? offsetof(GangPost, at) : offsetof(Post, at));
  store(number, gang ? offsetof(GangPost, number) : offsetof(Post, number));
  store(pc, gang ? offsetof(GangPost, pc) : offsetof(Post, pc));
  if (gang) {
    store(lanes_.spread(to), offsetof(GangPost, to));
  } else {
    store(to.value, offsetof(Post, to));
    store(b_.CreateLoad(b_.getInt32Ty(), frame_field(offsetof(Frame, pe))), offsetof(Post, pe));
  }
  b_.CreateStore(at_offset(next, gang ? sizeof(GangPost) : sizeof(Post)),
                 at_offset(room, offsetof(PostRoom<Post>, next)));
}

void RegionEmitter::look_up(const PlannedNode& planned, u32 k) {
  const Operation& operation = planned.node->body[k];
  const Value table = read(operation, Field::rs1), indices = read(operation, Field::rs2);
  std::array<Value, 4> addresses;
  llvm::Value* fails = b_.getFalse();
  for (u32 byte = 0; byte < 4; ++byte) {
    addresses[byte] = table + (indices >> 8 * byte & lanes_.value(0xff));
    fails = b_.CreateOr(fails, any(memory_->byte_fails(addresses[byte])));
  }
  stop_if(fails, planned, k);
  for (const Value& address : addresses) memory_->mark_byte(address);
  Value result = lanes_.value(0);
  for (u32 byte = 0; byte < 4; ++byte)
    result = result | memory_->load_byte(addresses[byte]) << 8 * byte;
  registers_->write(operation.rd, result);
}

}  // namespace simfarm::fast::jit
