#include "engine/fast/jit/llvm/region_emitter.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <cstddef>

#include "base/check.h"
#include "engine/fast/jit/llvm/emit_bodies.h"
#include "engine/fast/marks.h"
#include "isa/traits.h"
#include "pe/bodies/rows.h"

namespace simfarm::fast::jit {
namespace {

u32 size(const PlannedNode& planned) { return static_cast<u32>(planned.node->body.size()); }

}  // namespace

RegionEmitter::RegionEmitter(llvm::Module& module, const Plan& plan, const Config& config)
    : plan_(plan),
      config_(config),
      module_(module),
      b_(module.getContext()),
      lanes_(b_, config.isa) {
  llvm::MDBuilder metadata(module.getContext());
  llvm::MDNode* root = metadata.createTBAARoot("simfarm");
  const auto tag = [&](const char* name) {
    llvm::MDNode* type = metadata.createTBAAScalarTypeNode(name, root);
    return metadata.createTBAAStructTagNode(type, type, 0);
  };
  tags_ = {tag("local memory"), tag("counters"), tag("marks")};
}

void RegionEmitter::emit(llvm::StringRef name) {
  llvm::Type* pointer = b_.getPtrTy();
  function_ = llvm::Function::Create(llvm::FunctionType::get(b_.getInt32Ty(), {pointer}, false),
                                     llvm::Function::ExternalLinkage, name, module_);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  if (config_.isa == bodies::HostIsa::avx512) function_->addFnAttr("prefer-vector-width", "512");
  prologue();
  for (const PlannedNode& planned : plan_.nodes) node(planned);
}

void RegionEmitter::prologue() {
  b_.SetInsertPoint(block("entry"));
  frame_ = function_->getArg(0);
  remaining_ = b_.CreateAlloca(b_.getInt64Ty());
  retired_ = b_.CreateAlloca(b_.getInt64Ty());
  word_ = b_.CreateAlloca(b_.getInt32Ty());
  const auto load = [&](llvm::Type* type, u64 offset) {
    return b_.CreateLoad(type, frame_field(offset));
  };
  llvm::Value* x = load(b_.getPtrTy(), offsetof(Frame, x));
  llvm::Value* memory = load(b_.getPtrTy(), offsetof(Frame, memory));
  counts_ = load(b_.getPtrTy(), offsetof(Frame, counts));
  stop_ = load(b_.getInt64Ty(), offsetof(Frame, stop));
  llvm::Value* clock = load(b_.getInt64Ty(), offsetof(Frame, clock));
  b_.CreateStore(b_.CreateSub(stop_, clock), remaining_);
  b_.CreateStore(b_.getInt64(0), retired_);
  const PlannedNode& first = plan_.nodes[0];
  registers_ = std::make_unique<Registers>(lanes_, config_, x, plan_.used, first.uniform);
  llvm::Value* epoch = nullptr;
  if (config_.granule != no_marks) {
    llvm::Type* type = b_.getInt32Ty();
    if (config_.width != 1) type = llvm::FixedVectorType::get(type, gang_lanes);
    llvm::Value* at = b_.CreateConstGEP1_32(b_.getInt32Ty(), x, epoch_row * config_.stride);
    epoch = b_.CreateAlignedLoad(type, at, llvm::Align(4));
  }
  memory_ = std::make_unique<Memory>(lanes_, config_, memory, epoch, tags_);
  for (u32 k = 0; k < plan_.nodes.size(); ++k) entries_.push_back(block("node"));

  llvm::BasicBlock* late = block("late");
  b_.CreateCondBr(b_.CreateICmpUGT(clock, stop_), late, entries_[0]);
  b_.SetInsertPoint(late);
  registers_->enter(first.uniform, 0);
  leave({Leaf::Why::budget, 0, first.node});
}

void RegionEmitter::node(const PlannedNode& planned) {
  b_.SetInsertPoint(entries_[static_cast<u64>(&planned - plan_.nodes.data())]);
  registers_->enter(planned.uniform, planned.modified);
  memory_->begin(planned);

  admit(planned);
  // But for `next`, the last instruction belongs to the ending.
  const u32 count = size(planned) - (planned.node->ending == Ending::next ? 0 : 1);
  for (u32 k = 0; k < count; ++k) instruction(planned, k);
  ending(planned);
}

void RegionEmitter::admit(const PlannedNode& planned) {
  llvm::BasicBlock* leaving = block("leave");
  llvm::PHINode* leaf = llvm::PHINode::Create(b_.getInt32Ty(), 2, "leaf", leaving);
  const auto leave_if = [&](llvm::Value* condition, llvm::Value* its) {
    llvm::BasicBlock* go_on = block("on");
    leaf->addIncoming(its, b_.GetInsertBlock());
    b_.CreateCondBr(condition, leaving, go_on,
                    llvm::MDBuilder(b_.getContext()).createUnlikelyBranchWeights());
    b_.SetInsertPoint(go_on);
  };
  llvm::Value* cycles = b_.getInt64(planned.node->max_cycles);
  leave_if(b_.CreateICmpULT(load_slot(remaining_), cycles),
           add({Leaf::Why::budget, 0, planned.node}));
  llvm::Value* failed = nullptr;
  for (u32 k = 0; k < planned.guards.size(); ++k) {
    const u32 root = planned.guards[k].root;
    if (root == none) continue;
    if (failed == nullptr) failed = add({Leaf::Why::stopped, 0, planned.node});
    leave_if(any(memory_->fails(k, registers_->read(root), 0)), failed);
  }
  llvm::BasicBlock* run = b_.GetInsertBlock();
  b_.SetInsertPoint(leaving);
  leave(leaf);
  b_.SetInsertPoint(run);
  for (u32 k = 0; k < planned.guards.size(); ++k)
    if (planned.guards[k].root != none) memory_->mark(k);
}

llvm::Value* RegionEmitter::any(const Mask& mask) {
  if (mask.uniform()) return mask.value;
  llvm::Value* bits = b_.CreateBitCast(mask.value, b_.getInt16Ty());
  return b_.CreateICmpNE(bits, b_.getInt16(0));
}

Value RegionEmitter::agreed(const Value& value, const Leaf& otherwise) {
  if (value.uniform()) return value;
  const Value first = lanes_.wrap(b_.CreateExtractElement(value.value, u64{0}));
  leave_if(any(lanes_.invert(lanes_.equal(value, first))), otherwise);
  return first;
}

llvm::BasicBlock* RegionEmitter::block(const char* name) {
  return llvm::BasicBlock::Create(b_.getContext(), name, function_);
}

void RegionEmitter::leave_if(llvm::Value* condition, const Leaf& leaf) {
  llvm::BasicBlock* go_on = block("on");
  llvm::BasicBlock* failed = block("stop");
  b_.CreateCondBr(condition, failed, go_on,
                  llvm::MDBuilder(b_.getContext()).createUnlikelyBranchWeights());
  b_.SetInsertPoint(failed);
  leave(leaf);
  b_.SetInsertPoint(go_on);
}

llvm::Value* RegionEmitter::add(const Leaf& leaf) {
  leaves_.push_back(leaf);
  return b_.getInt32(static_cast<u32>(leaves_.size() - 1));
}

void RegionEmitter::leave(llvm::Value* leaf) {
  registers_->write_back();
  b_.CreateStore(b_.CreateSub(stop_, load_slot(remaining_)), frame_field(offsetof(Frame, clock)));
  llvm::Value* retired = frame_field(offsetof(Frame, retired));
  b_.CreateStore(b_.CreateAdd(load_slot(retired), load_slot(retired_)), retired);
  b_.CreateRet(leaf);
}

llvm::Value* RegionEmitter::frame_field(u64 offset) {
  return b_.CreatePtrAdd(frame_, b_.getInt64(offset));
}

void RegionEmitter::count(u32 counter, llvm::Value* times) {
  llvm::Value* count = b_.CreateConstGEP1_64(b_.getInt64Ty(), counts_, counter);
  llvm::LoadInst* old = b_.CreateLoad(b_.getInt64Ty(), count);
  old->setMetadata(llvm::LLVMContext::MD_tbaa, tags_.counts);
  llvm::StoreInst* store = b_.CreateStore(b_.CreateAdd(old, times), count);
  store->setMetadata(llvm::LLVMContext::MD_tbaa, tags_.counts);
}

void RegionEmitter::add_to_slot(llvm::Value* slot, i64 amount) {
  b_.CreateStore(b_.CreateAdd(load_slot(slot), b_.getInt64(static_cast<u64>(amount))), slot);
}

void RegionEmitter::take(const PlannedNode& planned, u32 number, u32 k,
                         llvm::function_ref<void()> effect) {
  if (number >= planned.next.size()) {
    stop(planned, k);
    return;
  }
  effect();
  Exit& exit = planned.node->exits[number];
  count(exit.counter, b_.getInt64(1));
  add_to_slot(remaining_, -i64{exit.cycles});
  add_to_slot(retired_, exit.instructions);
  const u32 next = planned.next[number];
  if (next == none) {
    leave({Leaf::Why::exit, 0, planned.node, &exit});
    return;
  }
  registers_->move_to(plan_.nodes[next].uniform);
  b_.CreateBr(entries_[next]);
}

llvm::BasicBlock* RegionEmitter::taking(const PlannedNode& planned, u32 exit, u32 k,
                                        llvm::function_ref<void()> effect) {
  llvm::IRBuilder<>::InsertPointGuard here(b_);
  const Rows uniform = registers_->uniform(), modified = registers_->modified();
  llvm::BasicBlock* taken = block("exit");
  b_.SetInsertPoint(taken);
  take(planned, exit, k, effect);
  registers_->enter(uniform, modified);
  return taken;
}

void RegionEmitter::ending(const PlannedNode& planned) {
  switch (planned.node->ending) {
    case Ending::next:
      take(planned, 0, size(planned) - 1, [] {});
      return;
    case Ending::branch:
      branch(planned);
      return;
    case Ending::indirect:
      indirect(planned);
      return;
    case Ending::loop:
      loop(planned);
      return;
    case Ending::division:
      division(planned);
      return;
    case Ending::set_loop:
      set_loop(planned);
      return;
    case Ending::link:
      link(planned);
      return;
    case Ending::single:
      break;
  }
  stop(planned, 0);
}

void RegionEmitter::branch(const PlannedNode& planned) {
  const u32 k = size(planned) - 1;
  const Operation& operation = planned.node->body[k];
  const Mask taken = emit_condition(operation.op, lanes_, read(operation, Field::rs1),
                                    read(operation, Field::rs2), operation.imm2);
  const auto nothing = [] {};
  llvm::BasicBlock* not_taken_block = taking(planned, 0, k, nothing);
  llvm::BasicBlock* taken_block = taking(planned, 1, k, nothing);
  if (taken.uniform()) {
    b_.CreateCondBr(taken.value, taken_block, not_taken_block);
    return;
  }
  llvm::Value* bits = b_.CreateBitCast(taken.value, b_.getInt16Ty());
  llvm::BasicBlock* some = block("some");
  b_.CreateCondBr(b_.CreateICmpEQ(bits, b_.getInt16(0)), not_taken_block, some);
  b_.SetInsertPoint(some);
  stop_if(b_.CreateICmpNE(bits, b_.getInt16(0xffff)), planned, k);
  b_.CreateBr(taken_block);
}

void RegionEmitter::indirect(const PlannedNode& planned) {
  constexpr u32 most_targets = 8;
  const u32 k = size(planned) - 1;
  const Operation& operation = planned.node->body[k];
  const Value sum = read(operation, Field::rs1) + lanes_.value(static_cast<u32>(operation.imm));
  const Value target = sum & lanes_.value(~1u);
  const auto link = [&] {
    registers_->write(operation.rd, lanes_.value(planned.node->pcs[k] + operation.length));
  };
  const u32 exits = static_cast<u32>(planned.next.size());
  for (u32 exit = 0; exit < std::min(exits, most_targets); ++exit) {
    const Value its = lanes_.value(planned.node->exits[exit].leads_to.pc);
    llvm::Value* differs = any(lanes_.invert(lanes_.equal(target, its)));
    llvm::BasicBlock* other = block("target");
    b_.CreateCondBr(differs, other, taking(planned, exit, k, link));
    b_.SetInsertPoint(other);
  }
  stop(planned, k);
}

void RegionEmitter::loop(const PlannedNode& planned) {
  const u32 k = size(planned) - 1;
  const Value count = registers_->read(loop_row(*planned.node)) - lanes_.value(1);
  const Value way = way_of(planned, count);
  instruction(planned, k);
  leave_with(planned, count, way);
}

void RegionEmitter::set_loop(const PlannedNode& planned) {
  const Operation& operation = planned.node->body.back();
  const bool immediate = operation.op == Op::CV_COUNTI || operation.op == Op::CV_SETUPI;
  const Value count =
      immediate ? lanes_.value(static_cast<u32>(operation.imm)) : read(operation, Field::rs1);
  leave_with(planned, count, way_of(planned, count));
}

Value RegionEmitter::way_of(const PlannedNode& planned, const Value& count) {
  if (count.uniform()) return count;
  const auto all = [&](const Mask& mask) {
    llvm::Value* bits = b_.CreateBitCast(mask.value, b_.getInt16Ty());
    return Mask{b_.CreateICmpEQ(bits, b_.getInt16(0xffff))};
  };
  const Mask none_left = all(lanes_.equal(count, lanes_.value(0)));
  const Mask one_left = all(lanes_.equal(count, lanes_.value(1)));
  const Mask more_left = all(lanes_.less_unsigned(lanes_.value(1), count));
  llvm::Value* together =
      b_.CreateOr(b_.CreateOr(none_left.value, one_left.value), more_left.value);
  stop_if(b_.CreateNot(together), planned, size(planned) - 1);
  const Value few = lanes_.select(one_left, lanes_.value(1), lanes_.value(0));
  return lanes_.select(more_left, lanes_.value(2), few);
}

void RegionEmitter::leave_with(const PlannedNode& planned, const Value& count, const Value& way) {
  const u32 k = size(planned) - 1;
  const auto write = [&] { registers_->write(loop_row(*planned.node), count); };
  llvm::SwitchInst* where = b_.CreateSwitch(way.value, taking(planned, 0, k, write), 2);
  where->addCase(b_.getInt32(1), taking(planned, 1, k, write));
  where->addCase(b_.getInt32(0), taking(planned, 2, k, write));
}

void RegionEmitter::division(const PlannedNode& planned) {
  const u32 k = size(planned) - 1;
  const Operation& operation = planned.node->body[k];
  // As timing::division_cycles(): the divisor is shifted to the top.
  const Value divisor = read(operation, Field::rs2);
  Value cycles = lanes_.leading_zeros(divisor) + lanes_.value(3);
  if (operation.op == Op::DIV || operation.op == Op::REM) {
    const Value negative = lanes_.leading_zeros(~divisor) + lanes_.value(2);
    cycles = lanes_.select(lanes_.less(divisor, lanes_.value(0)), negative, cycles);
  }
  cycles = agreed(cycles, {Leaf::Why::stopped, k, planned.node});
  const Value result = emit_result(operation.op, lanes_, operands(planned, k));
  const auto write = [&] { registers_->write(operation.rd, result); };
  llvm::BasicBlock* unknown = block("unknown");
  llvm::SwitchInst* where = b_.CreateSwitch(cycles.value, unknown);
  for (u32 exit = 0; exit < planned.next.size(); ++exit) {
    const u32 its = planned.node->exits[exit].division_cycles;
    where->addCase(b_.getInt32(its), taking(planned, exit, k, write));
  }
  b_.SetInsertPoint(unknown);
  stop(planned, k);
}

/// The engine sends or receives, and says when; only the time is counted here.
void RegionEmitter::link(const PlannedNode& planned) {
  const Operation& operation = planned.node->body[0];
  const bool sends = operation.op == Op::GP_SEND;
  const auto field = [&](u64 offset) {
    return b_.CreateLoad(b_.getPtrTy(), frame_field(offsetof(Frame, links) + offset));
  };
  llvm::Value* links = field(sends ? offsetof(LinkAccess, out) : offsetof(LinkAccess, in));
  links = b_.CreateConstGEP1_32(b_.getPtrTy(), links, static_cast<u32>(operation.imm));
  // The node's cycles are left, or it would not have been entered.
  llvm::Value* clock = b_.CreateSub(stop_, load_slot(remaining_));
  llvm::Value* since = b_.CreateAdd(clock, b_.getInt64(planned.node->hazard));
  const u64 later = u64{planned.node->max_cycles} - planned.node->hazard;
  llvm::Value* latest = b_.CreateSub(stop_, b_.getInt64(later));
  llvm::Value* word = sends ? read(operation, Field::rs1).value : word_;
  llvm::Value* function = field(sends ? offsetof(LinkAccess, send) : offsetof(LinkAccess, receive));
  llvm::FunctionType* type = llvm::FunctionType::get(
      b_.getInt64Ty(), {b_.getPtrTy(), word->getType(), b_.getInt64Ty(), b_.getInt64Ty()}, false);
  llvm::CallInst* at =
      b_.CreateCall(type, function, {b_.CreateLoad(b_.getPtrTy(), links), word, since, latest});
  at->addFnAttr(llvm::Attribute::NoUnwind);
  leave_if(b_.CreateICmpEQ(at, b_.getInt64(never)), {Leaf::Why::link, 0, planned.node});
  llvm::Value* waits = b_.CreateSub(at, since);
  count(planned.node->wait_counter, waits);
  b_.CreateStore(b_.CreateSub(load_slot(remaining_), waits), remaining_);
  take(planned, 0, 0, [&] {
    if (!sends) registers_->write(operation.rd, lanes_.wrap(b_.CreateLoad(b_.getInt32Ty(), word_)));
  });
}

}  // namespace simfarm::fast::jit
