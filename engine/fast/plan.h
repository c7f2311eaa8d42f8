// How a transfer is cut, kept for the transfers to come that have the same shape: programs start
// the same few descriptors over and over, each time with other addresses.
#pragma once
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/fast/bursts.h"
#include "engine/fast/footprint.h"
#include "engine/fast/request.h"
#include "engine/fast/span_walk.h"

namespace simfarm::fast {

/// Everything that decides how a transfer without indices is cut, but for where it lies: bursts
/// only see addresses modulo their alignment.
struct Shape {
  dma::Operation operation{};
  u8 dims = 0;
  u8 element_bytes = 0;
  u8 source_offset = 0;
  u8 destination_offset = 0;
  std::array<u16, 4> sizes{}, pad_before{}, pad_after{};
  std::array<i32, 4> source_strides{}, destination_strides{};
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// Addresses are counted from the blocks of 64 bytes that the source and the destination of element
/// 0 lie in.
struct Plan {
  struct Write : WriteBurst {
    u32 reads_begun = 0;  ///< reads that are placed before it
  };
  struct Run {
    u32 address = 0;
    u32 bytes = 0;
  };
  static u32 base(u32 address) { return address & ~(dma::burst_bytes - 1); }

  std::vector<Burst> reads;
  std::vector<Write> writes;
  std::vector<Span> spans;
  std::vector<Run> runs;  ///< the spans' destinations, joined where they follow one another
  u64 bytes = 0;          ///< written
  bool whole_words = true;
  std::shared_ptr<const ByteRanges> read, written;  ///< null where nobody looks for races
  u32 even_bytes = 0;  ///< all spans are read and have that many; 0: they differ
  i64 low_source = 0;  ///< the spans' lowest, and highest, source; before the block: below zero
  i64 high_source = 0;
};

class Plans {
 public:
  /// `ranges`: with what is read and written.
  explicit Plans(u32 in_flight, bool ranges = false) : in_flight_(in_flight), ranges_(ranges) {}
  /// Null: not worth it, or too large; then it is cut burst by burst, while it is placed.
  std::shared_ptr<const Plan> of(const Request& request);

 private:
  struct Hash {
    std::size_t operator()(const Shape& shape) const;
  };
  static constexpr u64 most_elements = 1u << 14;  ///< of one
  static constexpr u64 most_kept = 1u << 20;      ///< spans and bursts of all

  u32 in_flight_;
  bool ranges_;
  u64 kept_ = 0;
  std::unordered_map<Shape, std::shared_ptr<const Plan>, Hash> plans_;
};

/// The bursts of a request, by its plan where it has one.
class BurstStream {
 public:
  BurstStream(const Request& request, u32 in_flight)
      : plan_(request.plan.get()),
        source_(Plan::base(request.descriptor.source)),
        destination_(Plan::base(request.destination)) {
    if (plan_ == nullptr) bursts_.emplace(request, in_flight);
  }

  /// As Bursts::next.
  template <class OnRead>
  bool next(WriteBurst& write, OnRead on_read) {
    if (plan_ == nullptr) return bursts_->next(write, on_read);
    if (write_ == plan_->writes.size()) return false;
    const Plan::Write& planned = plan_->writes[write_++];
    for (; read_ < planned.reads_begun; ++read_) {
      const Burst& read = plan_->reads[read_];
      on_read(Burst{read.address + source_, read.bytes});
    }
    write = planned;
    write.address += destination_;
    return true;
  }

 private:
  const Plan* plan_;
  u32 source_, destination_;
  std::size_t write_ = 0;
  std::size_t read_ = 0;
  std::optional<Bursts> bursts_;
};

}  // namespace simfarm::fast
