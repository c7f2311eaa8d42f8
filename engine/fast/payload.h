// What a transfer carries: the bytes that it writes, in order, as they were read at its start.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "base/types.h"
#include "dma/descriptor.h"
#include "engine/fast/buffers.h"
#include "engine/fast/plan.h"
#include "engine/fast/request.h"
#include "engine/fast/span_walk.h"
#include "memory/sparse_memory.h"

namespace simfarm::fast {

class Payload {
 public:
  /// Reads every element's value, into one of `buffers`, which outlives it; a local source out of
  /// the request's image, which it may take, a shared one out of `shared` (null for a local one).
  Payload(Request& request, const SparseMemory* shared, Buffers& buffers);

  bool empty() const { return size_ == 0; }
  /// The values are added to what is there, not written over it.
  bool adds() const {
    return operation_ == dma::Operation::add_i32 || operation_ == dma::Operation::add_i8;
  }

  /// It overwrites whole words, in places that others' payloads have as well.
  bool whole_words() const { return plan_ != nullptr && plan_->whole_words && !adds(); }
  bool same_places(const Payload& other) const {
    return plan_ == other.plan_ && base_ == other.base_ && !adds() &&
           in_image() == other.in_image();
  }
  /// Of all runs, one after the other.
  const u8* values() const {
    if (values_ == nullptr) copy_doublewords();
    return values_.get();
  }
  /// They are read in doublewords here and there, or some of them often, by the plan's spans, and
  /// are still where they were read: a span's sources, which may lie before it, are counted from
  /// image().
  bool in_image() const { return !image_.empty(); }
  const u8* image() const { return image_.data() + image_offset_; }
  const std::vector<Span>& spans() const { return plan_->spans; }
  const std::vector<Plan::Run>& runs() const { return plan_ != nullptr ? plan_->runs : runs_; }
  /// Of the first byte of a run.
  u32 address(const Plan::Run& run) const { return base_ + run.address; }

  /// Calls sink(address, values) for each run of bytes at ascending addresses, in order: a later
  /// run overwrites, or adds to, what an earlier one left. No element is in two runs, or in part.
  template <class Sink>
  void for_each_run(Sink&& sink) const {
    if (empty()) return;
    const u8* values = this->values();
    for (const Plan::Run& run : runs()) {
      sink(base_ + run.address, std::span<const u8>(values, run.bytes));
      values += run.bytes;
    }
  }
  /// Of a payload that adds: the elements of `values`, a part of a run, to those of `memory`.
  void add(std::span<u8> memory, std::span<const u8> values) const;

  /// Puts into a piece of local memory whose first byte has the address `base` what belongs there;
  /// its ends are no inside of an element.
  void apply(u32 base, std::span<u8> piece) const;
  /// All of it into OCM or DRAM.
  void apply(SparseMemory& memory) const;

 private:
  u8* append(u32 address, u32 bytes);
  void read(const Request& request, const SparseMemory* shared, const Span& span, u8* values) const;
  void copy_doublewords() const;
  void fill(std::span<u8> values, const dma::Descriptor& descriptor) const;

  dma::Operation operation_;
  u32 element_bytes_;
  std::shared_ptr<const Plan> plan_;
  u32 base_ = 0;                 ///< what is added to the runs' addresses
  std::vector<Plan::Run> runs_;  ///< without a plan, which has them
  std::vector<u8> image_;        ///< of a local source; mostly empty
  std::ptrdiff_t image_offset_ = 0;
  Buffers* buffers_;
  mutable Buffers::Buffer values_;  ///< of all runs, one after the other; null: in image_
  u64 size_ = 0;                    ///< of values_ so far
};

}  // namespace simfarm::fast
