#include "engine/fast/plan.h"

#include <algorithm>

namespace simfarm::fast {
namespace {

Shape shape_of(const Request& request) {
  const dma::Descriptor& d = request.descriptor;
  Shape shape{d.operation,
              d.dims,
              d.element_bytes,
              static_cast<u8>(d.source % dma::burst_bytes),
              static_cast<u8>(request.destination % dma::burst_bytes),
              d.sizes,
              d.pad_before,
              d.pad_after,
              d.source_strides,
              d.destination_strides};
  // What is filled has no source.
  if (d.operation == dma::Operation::fill) {
    shape.source_offset = 0;
    shape.source_strides = {};
  }
  return shape;
}

Plan cut(const Request& request, u32 in_flight) {
  const u32 source = Plan::base(request.descriptor.source);
  const u32 destination = Plan::base(request.destination);
  Plan plan;
  Bursts bursts(request, in_flight);
  Plan::Write write;
  while (bursts.next(write, [&](const Burst& read) {
    plan.reads.push_back({read.address - source, read.bytes});
  })) {
    write.address -= destination;
    write.reads_begun = static_cast<u32>(plan.reads.size());
    plan.writes.push_back(write);
  }
  SpanWalk walk(request.descriptor, request.indices, request.destination);
  Span span;
  while (walk.next(span)) {
    span.source -= source;
    span.destination -= destination;
    plan.spans.push_back(span);
    const u32 bytes = span.elements << walk.log2_element();
    if (plan.runs.empty() || plan.runs.back().address + plan.runs.back().bytes != span.destination)
      plan.runs.push_back({span.destination, 0});
    plan.runs.back().bytes += bytes;
    plan.bytes += bytes;
    const i64 from = static_cast<i32>(span.source);
    if (plan.spans.size() == 1) {
      plan.even_bytes = bytes;
      plan.low_source = plan.high_source = from;
    }
    plan.low_source = std::min(plan.low_source, from);
    plan.high_source = std::max(plan.high_source, from);
    if (!span.read || bytes != plan.even_bytes) plan.even_bytes = 0;
    plan.whole_words &= (span.destination | bytes) % 4 == 0;
  }
  return plan;
}

/// From the plan's spans, which are the same for all requests of the shape.
void find_ranges(Plan& plan, u32 element_bytes) {
  auto read = std::make_shared<ByteRanges>(), written = std::make_shared<ByteRanges>();
  for (const Span& span : plan.spans) {
    const i64 bytes = i64{span.elements} * element_bytes;
    // Before or behind the block of element 0.
    if (span.read) read->add(static_cast<i32>(span.source), bytes);
    written->add(static_cast<i32>(span.destination), bytes);
  }
  read->finish();
  written->finish();
  plan.read = std::move(read);
  plan.written = std::move(written);
}

}  // namespace

std::size_t Plans::Hash::operator()(const Shape& shape) const {
  u64 hash = 0;
  const auto add = [&](u64 value) {
    hash = (hash ^ value) * 0x9e37'79b9'7f4a'7c15;
    hash ^= hash >> 32;
  };
  add(u64{shape.source_offset} | u64{shape.destination_offset} << 8 |
      u64{shape.element_bytes} << 16 | static_cast<u64>(shape.operation) << 24);
  for (u32 k = 0; k < shape.dims; ++k) {
    add(u64{shape.sizes[k]} | u64{shape.pad_before[k]} << 16 | u64{shape.pad_after[k]} << 32);
    add(static_cast<u32>(shape.source_strides[k]) |
        u64{static_cast<u32>(shape.destination_strides[k])} << 32);
  }
  return hash;
}

std::shared_ptr<const Plan> Plans::of(const Request& request) {
  if (!request.moves() || !request.indices.empty()) return nullptr;
  if (request.descriptor.destination_elements() > most_elements) return nullptr;
  auto [place, is_new] = plans_.try_emplace(shape_of(request));
  if (!is_new) return place->second;
  auto made = std::make_shared<Plan>(cut(request, in_flight_));
  if (ranges_) find_ranges(*made, request.descriptor.element_bytes);
  std::shared_ptr<const Plan> plan = std::move(made);
  kept_ += plan->spans.size() + plan->runs.size() + plan->reads.size() + plan->writes.size();
  place->second = plan;
  if (kept_ > most_kept) {
    plans_.clear();
    kept_ = 0;
  }
  return plan;
}

}  // namespace simfarm::fast
