// Loads and stores of generated code. A guard makes sure that a window of local memory is inside
// it and aligned; accesses within the window need no more. In a gang, an address that is equal in
// all lanes is one vector access; others gather and scatter.
#pragma once
#include <vector>

#include "engine/fast/jit/llvm/lanes.h"
#include "engine/fast/jit/plan.h"

namespace simfarm::fast::jit {

/// Tells LLVM that counters and local memory are apart.
struct AliasTags {
  llvm::MDNode* memory = nullptr;
  llvm::MDNode* counts = nullptr;
  llvm::MDNode* marks = nullptr;
};

class Memory {
 public:
  /// `epoch`: of every lane, for marks; null without.
  Memory(Lanes& lanes, const Config& config, llvm::Value* memory, llvm::Value* epoch,
         const AliasTags& tags);

  /// Forgets all guards: another node.
  void begin(const PlannedNode& planned);

  /// Where guard `number` fails, given the address of the access at `offset`; the code that
  /// follows may rely on it.
  Mask fails(u32 number, const Value& address, i64 offset);

  /// Leaves the marks of all accesses within guard `number`, which has not failed.
  void mark(u32 number);

  /// `plus` is added to the access's address, a multiple of 4.
  Value load(const Access& access, u32 bytes, bool is_signed, u32 plus = 0);
  void store(const Access& access, u32 bytes, const Value& value, u32 plus = 0);

  /// A byte at any address: where it is out of local memory, and its value, zero-extended.
  Mask byte_fails(const Value& address);
  Value load_byte(const Value& address);
  void mark_byte(const Value& address);

 private:
  /// A word of every lane, and the byte in it.
  struct Place {
    Value word;    ///< byte offset of one lane's word from the beginning of its memory
    Value byte;    ///< 0..3
    u32 plus = 0;  ///< added to the word's offset
  };
  /// Whether there is code in local memory.
  bool has_code() const;
  Place place(const Access& access, u32 bytes, u32 plus);
  Place place_of(const Value& from_base);
  Value load(const Place& place, u32 bytes, bool is_signed);
  /// The word's address: one pointer, or one a lane.
  llvm::Value* pointer(const Place& place);
  Value load_word(const Place& place);
  void store_word(const Place& place, const Value& value);
  /// The mark of the granule `ahead` bytes behind `from_base`; `place`: load_marks_at() or
  /// store_marks_at().
  void mark(const Value& from_base, u64 ahead, u64 place);
  template <class I>
  I* tagged(I* instruction);

  Lanes& lanes_;
  llvm::IRBuilder<>& b_;
  const Config& config_;
  llvm::Value* memory_;
  llvm::Value* epoch_;
  AliasTags tags_;
  const PlannedNode* planned_ = nullptr;
  std::vector<Value> windows_;  ///< by guard: its low end as an offset from local memory's base
};

}  // namespace simfarm::fast::jit
