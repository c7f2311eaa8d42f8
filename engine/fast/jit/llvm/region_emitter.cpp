#include "engine/fast/jit/llvm/region_emitter.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/check.h"
#include "engine/fast/jit/llvm/emit_bodies.h"
#include "engine/fast/links.h"
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
      lanes_(b_, config.isa),
      has_links_(std::any_of(plan.nodes.begin(), plan.nodes.end(), [](const PlannedNode& planned) {
        return planned.node->ending == Ending::link;
      })) {
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
  if (left_ == nullptr) return;
  registers_->enter(plan_.nodes[0].uniform, left_modified_);
  end_left();
}

void RegionEmitter::make_left() {
  left_ = llvm::PHINode::Create(b_.getInt32Ty(), 8, "leaf", block("left"));
}

void RegionEmitter::end_left() {
  llvm::IRBuilder<>::InsertPointGuard here(b_);
  llvm::PHINode* const leaf = std::exchange(left_, nullptr);
  b_.SetInsertPoint(leaf->getParent());
  end(leaf);
}

void RegionEmitter::prologue() {
  b_.SetInsertPoint(block("entry"));
  if (config_.width == 1) left_ = llvm::PHINode::Create(b_.getInt32Ty(), 8, "leaf", block("left"));
  frame_ = function_->getArg(0);
  time_ = b_.CreateAlloca(b_.getInt64Ty());
  retired_ = b_.CreateAlloca(b_.getInt64Ty());
  const auto load = [&](llvm::Type* type, u64 offset) {
    return b_.CreateLoad(type, frame_field(offset));
  };
  llvm::Value* x = load(b_.getPtrTy(), offsetof(Frame, x));
  llvm::Value* memory = load(b_.getPtrTy(), offsetof(Frame, memory));
  counts_ = load(b_.getPtrTy(), offsetof(Frame, counts));
  stop_ = load(b_.getInt64Ty(), offsetof(Frame, stop));
  llvm::Value* clock = load(b_.getInt64Ty(), offsetof(Frame, clock));
  b_.CreateStore(turned(clock), time_);
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

  find_links();
  if (!has_links_) {
    registers_->enter(first.uniform, 0);
    leave_if(b_.CreateICmpUGT(clock, stop_), {Leaf::Why::budget, 0, first.node});
  }
  llvm::Value* entry = load(b_.getInt32Ty(), offsetof(Frame, entry));
  llvm::SwitchInst* where =
      b_.CreateSwitch(entry, entries_[0], static_cast<u32>(plan_.entries.size()));
  for (u32 k = 1; k < plan_.entries.size(); ++k)
    where->addCase(b_.getInt32(k), entries_[plan_.entries[k]]);
}

/// They are the same as long as the region runs.
void RegionEmitter::find_links() {
  for (const PlannedNode& planned : plan_.nodes) {
    if (planned.node->ending != Ending::link) continue;
    const Operation& operation = planned.node->body[0];
    const bool sends = operation.op == Op::GP_SEND;
    const u32 direction = static_cast<u32>(operation.imm);
    llvm::Value*& link = (sends ? out_ : in_)[direction];
    if (link != nullptr) continue;
    // Where there is no neighbour, a link that is always full, or empty.
    const std::array<u64, 2> counts{sends ? u64{config_.link_depth} * Link::one : 0, 0};
    llvm::Constant* const value = llvm::ConstantDataArray::get(module_.getContext(), counts);
    auto* const absent = new llvm::GlobalVariable(module_, value->getType(), true,
                                                  llvm::GlobalValue::PrivateLinkage, value);
    const u64 side = sends ? offsetof(LinkAccess, out) : offsetof(LinkAccess, in);
    llvm::Value* links = b_.CreateLoad(b_.getPtrTy(), frame_field(offsetof(Frame, links) + side));
    link = b_.CreateLoad(b_.getPtrTy(), b_.CreateConstGEP1_32(b_.getPtrTy(), links, direction));
    link = b_.CreateSelect(b_.CreateIsNull(link), absent, link);
  }
}

void RegionEmitter::node(const PlannedNode& planned) {
  b_.SetInsertPoint(entries_[static_cast<u64>(&planned - plan_.nodes.data())]);
  registers_->enter(planned.uniform, planned.modified);
  memory_->begin(planned);

  if (planned.node->ending == Ending::link) return link(planned);  // which has a time of its own
  admit(planned);
  // But for `next`, the last instruction belongs to the ending.
  const u32 count = size(planned) - (planned.node->ending == Ending::next ? 0 : 1);
  for (u32 k = 0; k < count; ++k) instruction(planned, k);
  ending(planned);
}

void RegionEmitter::admit(const PlannedNode& planned) {
  // Of a gang: one way out for all that is asked here.
  const bool apart = left_ == nullptr;
  if (apart) make_left();
  leave_if(exceeds(planned.node->max_cycles), add({Leaf::Why::budget, 0, planned.node}));
  llvm::Value* failed = nullptr;
  for (u32 k = 0; k < planned.guards.size(); ++k) {
    const u32 root = planned.guards[k].root;
    if (root == none) continue;
    if (failed == nullptr) failed = add({Leaf::Why::stopped, 0, planned.node});
    leave_if(any(memory_->fails(k, registers_->read(root), 0)), failed);
  }
  if (apart) end_left();
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

void RegionEmitter::leave_if(llvm::Value* condition, llvm::Value* leaf) {
  llvm::BasicBlock* const here = b_.GetInsertBlock();
  llvm::BasicBlock* const go_on = block("on");
  llvm::BasicBlock* failed = nullptr;
  if (left_ != nullptr) {
    failed = left_->getParent();
    meet(leaf);
  } else {
    failed = block("stop");
    b_.SetInsertPoint(failed);
    leave(leaf);
  }
  b_.SetInsertPoint(here);
  b_.CreateCondBr(condition, failed, go_on,
                  llvm::MDBuilder(b_.getContext()).createUnlikelyBranchWeights());
  b_.SetInsertPoint(go_on);
}

llvm::Value* RegionEmitter::add(const Leaf& leaf) {
  leaves_.push_back(leaf);
  return b_.getInt32(static_cast<u32>(leaves_.size() - 1));
}

void RegionEmitter::leave(llvm::Value* leaf) {
  if (left_ == nullptr) return end(leaf);
  meet(leaf);
  b_.CreateBr(left_->getParent());
}

void RegionEmitter::meet(llvm::Value* leaf) {
  left_modified_ |= registers_->modified();
  left_->addIncoming(leaf, b_.GetInsertBlock());
}

void RegionEmitter::end(llvm::Value* leaf) {
  registers_->write_back();
  b_.CreateStore(turned(load_slot(time_)), frame_field(offsetof(Frame, clock)));
  llvm::Value* retired = frame_field(offsetof(Frame, retired));
  b_.CreateStore(b_.CreateAdd(load_slot(retired), load_slot(retired_)), retired);
  b_.CreateRet(leaf);
}

llvm::Value* RegionEmitter::frame_field(u64 offset) {
  return b_.CreatePtrAdd(frame_, b_.getInt64(offset));
}

llvm::Value* RegionEmitter::turned(llvm::Value* time) {
  return has_links_ ? time : b_.CreateSub(stop_, time);
}

llvm::Value* RegionEmitter::exceeds(u64 cycles) {
  llvm::Value* its = b_.getInt64(cycles);
  if (!has_links_) return b_.CreateICmpULT(load_slot(time_), its);
  return b_.CreateICmpUGT(b_.CreateAdd(load_slot(time_), its), stop_);
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
  add_to_slot(time_, has_links_ ? i64{exit.cycles} : -i64{exit.cycles});
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
    case Ending::link:  // link()
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

/// What Link::send_by() and receive_by() do (engine/fast/links.h).
void RegionEmitter::link(const PlannedNode& planned) {
  const Node& node = *planned.node;
  const Operation& operation = node.body[0];
  const bool sends = operation.op == Op::GP_SEND;
  llvm::Value* const link = (sends ? out_ : in_)[static_cast<u32>(operation.imm)];
  const auto at_offset = [&](llvm::Value* pointer, u64 offset) {
    return b_.CreatePtrAdd(pointer, b_.getInt64(offset));
  };
  llvm::Value* const sent_at = at_offset(link, Link::sent_offset);
  llvm::Value* const received_at = at_offset(link, Link::received_offset);
  const auto count_at = [&](llvm::Value* pointer, llvm::AtomicOrdering ordering) {
    llvm::LoadInst* load = b_.CreateAlignedLoad(b_.getInt64Ty(), pointer, llvm::Align(8));
    load->setAtomic(ordering);
    return load;
  };
  constexpr auto own = llvm::AtomicOrdering::Monotonic, others = llvm::AtomicOrdering::Acquire;
  llvm::Value* const done = count_at(sends ? sent_at : received_at, own);
  llvm::Value* const other = count_at(sends ? received_at : sent_at, others);
  llvm::Value* const depth = b_.getInt64(u64{config_.link_depth} * Link::one);
  Leaf waiting{Leaf::Why::link, 0, planned.node};
  waiting.sends = sends;
  waiting.direction = static_cast<u8>(operation.imm);
  waiting.hazard = node.hazard;
  llvm::Value* const blocked = add(waiting);
  leave_if(
      sends ? b_.CreateICmpUGE(b_.CreateSub(done, other), depth) : b_.CreateICmpEQ(done, other),
      blocked);

  const u32 slots = Link::slots(config_.link_depth);
  const auto slot = [&](llvm::Value* count) {
    llvm::Value* offset = b_.CreateAnd(count, b_.getInt64(u64{slots - 1} * Link::one));
    return b_.CreatePtrAdd(b_.CreatePtrAdd(link, offset), b_.getInt64(sizeof(Link)));
  };
  llvm::Value* const its = slot(done);
  const bool other_slot = sends && slots != config_.link_depth;
  llvm::Value* const from = b_.CreateAlignedLoad(
      b_.getInt64Ty(),
      at_offset(other_slot ? slot(b_.CreateSub(done, depth)) : its, offsetof(LinkSlot, from)),
      llvm::Align(8));
  llvm::Value* const since = b_.CreateAdd(load_slot(time_), b_.getInt64(node.hazard));
  llvm::Value* const at = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, from, since);
  llvm::Value* const end = b_.CreateAdd(at, b_.getInt64(u64{node.max_cycles} - node.hazard));
  leave_if(b_.CreateICmpUGT(end, stop_), blocked);

  llvm::Value* const word_at = at_offset(its, offsetof(LinkSlot, word));
  llvm::Value* word = nullptr;
  if (sends)
    b_.CreateAlignedStore(read(operation, Field::rs1).value, word_at, llvm::Align(4));
  else
    word = b_.CreateAlignedLoad(b_.getInt32Ty(), word_at, llvm::Align(4));
  const u32 delay = sends ? config_.link_latency : config_.link_credit_latency;
  b_.CreateAlignedStore(b_.CreateAdd(at, b_.getInt64(delay)),
                        at_offset(its, offsetof(LinkSlot, from)), llvm::Align(8));
  b_.CreateAlignedStore(b_.CreateAdd(done, b_.getInt64(Link::one)), sends ? sent_at : received_at,
                        llvm::Align(8))
      ->setAtomic(llvm::AtomicOrdering::Release);

  count(node.wait_counter, b_.CreateSub(at, since));
  b_.CreateStore(b_.CreateSub(at, b_.getInt64(node.hazard)), time_);
  take(planned, 0, 0, [&] {
    if (!sends) registers_->write(operation.rd, lanes_.wrap(word));
  });
}

}  // namespace simfarm::fast::jit
