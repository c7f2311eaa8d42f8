// From a plan to LLVM's intermediate code: one function u32(Frame*) for a region.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "engine/fast/jit/llvm/memory.h"
#include "engine/fast/jit/llvm/registers.h"
#include "engine/grid.h"
#include "isa/traits.h"

namespace simfarm::fast::jit {

class RegionEmitter {
 public:
  RegionEmitter(llvm::Module& module, const Plan& plan, const Config& config);

  void emit(llvm::StringRef name);
  std::vector<Leaf> take_leaves() { return std::move(leaves_); }

 private:
  void prologue();
  void find_links();
  void node(const PlannedNode& planned);
  void ending(const PlannedNode& planned);
  void branch(const PlannedNode& planned);
  void indirect(const PlannedNode& planned);
  void loop(const PlannedNode& planned);
  void set_loop(const PlannedNode& planned);
  /// 0, 1 or more: which of three exits a hardware loop's count leads to; lanes that have different
  /// counts of 2 and more still go together. Stops before the last instruction where they do not.
  Value way_of(const PlannedNode& planned, const Value& count);
  void leave_with(const PlannedNode& planned, const Value& count, const Value& way);
  void division(const PlannedNode& planned);
  void link(const PlannedNode& planned);

  /// Everything but its effect on the flow of control.
  void instruction(const PlannedNode& planned, u32 k);
  void memory_instruction(const PlannedNode& planned, u32 k);
  void look_up(const PlannedNode& planned, u32 k);
  void post(const PlannedNode& planned, u32 k);
  bodies::Operands<Value> operands(const PlannedNode& planned, u32 k);
  Value read(const Operation& operation, Field field);

  /// Whether a condition holds in any lane.
  llvm::Value* any(const Mask& mask);
  /// A value that the code needs the same in all lanes; leaves by `otherwise` when it is not.
  Value agreed(const Value& value, const Leaf& otherwise);

  llvm::BasicBlock* block(const char* name);
  /// Goes on where `condition` does not hold; where it does, stops before instruction k.
  void stop_if(llvm::Value* condition, const PlannedNode& planned, u32 k) {
    leave_if(condition, {Leaf::Why::stopped, k, planned.node});
  }
  void leave_if(llvm::Value* condition, const Leaf& leaf) { leave_if(condition, add(leaf)); }
  void leave_if(llvm::Value* condition, llvm::Value* leaf);
  /// What a node's code asks before it does anything: cycles left, and guards.
  void admit(const PlannedNode& planned);
  void leave(const Leaf& leaf) { leave(add(leaf)); }
  void leave(llvm::Value* leaf);
  /// The block that several ways out meet in.
  void make_left();
  void end_left();
  /// The block that is emitted now ends there.
  void meet(llvm::Value* leaf);
  /// Returns to the engine.
  void end(llvm::Value* leaf);
  llvm::Value* add(const Leaf& leaf);
  void stop(const PlannedNode& planned, u32 k) { leave({Leaf::Why::stopped, k, planned.node}); }
  /// Counts an exit and goes where it leads; one that the node did not have when the region was
  /// planned stops before instruction k instead. `effect` emits what happens on the way.
  void take(const PlannedNode& planned, u32 exit, u32 k, llvm::function_ref<void()> effect);
  /// take() in a block of its own, where the rows are as they are here.
  llvm::BasicBlock* taking(const PlannedNode& planned, u32 exit, u32 k,
                           llvm::function_ref<void()> effect);

  /// From the clock at the function's entry to what the slot holds, or back.
  llvm::Value* turned(llvm::Value* time);
  /// Whether `cycles` more would go beyond Frame::stop.
  llvm::Value* exceeds(u64 cycles);
  void count(u32 counter, llvm::Value* times);
  llvm::Value* frame_field(u64 offset);
  llvm::Value* load_slot(llvm::Value* slot) { return b_.CreateLoad(b_.getInt64Ty(), slot); }
  void add_to_slot(llvm::Value* slot, i64 amount);

  const Plan& plan_;
  const Config& config_;
  llvm::Module& module_;
  llvm::IRBuilder<> b_;
  Lanes lanes_;
  const bool has_links_;
  AliasTags tags_;
  llvm::Function* function_ = nullptr;
  std::unique_ptr<Registers> registers_;
  std::unique_ptr<Memory> memory_;
  llvm::Value* frame_ = nullptr;
  llvm::Value* counts_ = nullptr;
  llvm::Value* stop_ = nullptr;
  /// Slot: in a region with links the clock, in others the cycles until Frame::stop.
  llvm::Value* time_ = nullptr;
  llvm::Value* retired_ = nullptr;                          ///< slot
  std::array<llvm::Value*, direction_count> out_{}, in_{};  ///< links that the region uses
  /// Where several ways out meet, so that rows are written back once in the code: of one PE, all of
  /// them; of a gang those of admit(). Null: each is alone.
  llvm::PHINode* left_ = nullptr;
  Rows left_modified_ = 0;
  std::vector<llvm::BasicBlock*> entries_;
  std::vector<Leaf> leaves_;
};

}  // namespace simfarm::fast::jit
