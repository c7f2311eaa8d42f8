#include "engine/fast/payload.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "engine/fast/planted.h"

namespace simfarm::fast {
namespace {

u32 word_at(std::span<const u8> bytes) {
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | u32{bytes[3]} << 24;
}

}  // namespace

Payload::Payload(Request& request, const SparseMemory* shared, Buffers& buffers)
    : operation_(request.descriptor.operation),
      element_bytes_(request.descriptor.element_bytes),
      plan_(request.plan),
      buffers_(&buffers) {
  if (!request.moves()) return;
  const u64 elements = request.descriptor.destination_elements();
  if (plan_ == nullptr) {
    values_ = buffers.take(elements * element_bytes_);
    SpanWalk walk(request.descriptor, request.indices, request.destination);
    Span span;
    while (walk.next(span)) {
      const u32 bytes = span.elements << walk.log2_element();
      read(request, shared, span, append(span.destination, bytes));
    }
    return;
  }
  base_ = Plan::base(request.destination);
  size_ = plan_->bytes;
  const u32 source = Plan::base(request.descriptor.source);
  if (shared == nullptr && plan_->even_bytes == 8) {
    image_ = std::move(request.source.bytes);
    image_offset_ = std::ptrdiff_t{source} - std::ptrdiff_t{request.source.base};
    check(plan_->low_source + image_offset_ >= 0 &&
              plan_->high_source + image_offset_ + 8 <= std::ssize(image_),
          "a read outside its image");
    return;
  }
  values_ = buffers.take(elements * element_bytes_);
  u8* values = values_.get();
  for (Span span : plan_->spans) {
    span.source += source;
    read(request, shared, span, values);
    values += span.elements * element_bytes_;
  }
}

void Payload::copy_doublewords() const {
  values_ = buffers_->take(size_);
  u8* values = values_.get();
  for (const Span& span : plan_->spans) {
    std::memcpy(values, image() + static_cast<i32>(span.source), 8);
    values += 8;
  }
}

/// The values of a span.
inline void Payload::read(const Request& request, const SparseMemory* shared, const Span& span,
                          u8* values) const {
  const u32 bytes = span.elements * element_bytes_;
  if (!span.read) {
    fill({values, bytes}, request.descriptor);
    if (planted(Planted::out_of_bounds_fill) && operation_ == dma::Operation::gather)
      std::memset(values, 0, bytes);
    if (planted(Planted::padding_byte) && operation_ == dma::Operation::copy) values[0] ^= 1;
  } else if (shared != nullptr) {
    shared->read(span.source, {values, bytes});
  } else {
    const std::span<const u8> image = request.source.bytes;
    const u32 offset = span.source - request.source.base;
    check(u64{offset} + bytes <= image.size(), "a read outside its image");
    std::memcpy(values, image.data() + offset, bytes);
  }
}

/// The place for the values of the next `bytes` bytes, which go to `address`.
u8* Payload::append(u32 address, u32 bytes) {
  if (runs_.empty() || runs_.back().address + runs_.back().bytes != address)
    runs_.push_back({address, 0});
  runs_.back().bytes += bytes;
  u8* const values = values_.get() + size_;
  size_ += bytes;
  return values;
}

void Payload::fill(std::span<u8> values, const dma::Descriptor& descriptor) const {
  for (u64 at = 0; at < values.size(); at += element_bytes_)
    std::memcpy(values.data() + at, descriptor.fill.data(), element_bytes_);
}

void Payload::add(std::span<u8> memory, std::span<const u8> values) const {
  if (operation_ == dma::Operation::add_i8) {
    for (u64 k = 0; k < values.size(); ++k) {
      const i32 sum = static_cast<i8>(memory[k]) + static_cast<i8>(values[k]);
      memory[k] = static_cast<u8>(std::clamp(sum, planted(Planted::saturation) ? -127 : -128, 127));
    }
    return;
  }
  for (u64 k = 0; k < values.size(); k += 4) {
    const u32 sum = word_at(memory.subspan(k)) + word_at(values.subspan(k));
    for (u32 byte = 0; byte < 4; ++byte) memory[k + byte] = static_cast<u8>(sum >> (8 * byte));
  }
}

void Payload::apply(u32 base, std::span<u8> piece) const {
  if (piece.empty()) return;
  for_each_run([&](u32 address, std::span<const u8> values) {
    // The part of the run that lies in the piece.
    const i64 offset = i64{address} - base;
    const i64 first = std::max<i64>(0, -offset);
    const i64 last =
        std::min<i64>(static_cast<i64>(values.size()), static_cast<i64>(piece.size()) - offset);
    if (first >= last) return;
    const auto count = static_cast<std::size_t>(last - first);
    const std::span<const u8> part = values.subspan(static_cast<std::size_t>(first), count);
    const std::span<u8> to = piece.subspan(static_cast<std::size_t>(offset + first), count);
    if (adds())
      add(to, part);
    else
      std::memcpy(to.data(), part.data(), count);
  });
}

void Payload::apply(SparseMemory& memory) const {
  if (!adds())
    return for_each_run(
        [&](u32 address, std::span<const u8> values) { memory.write(address, values); });
  std::vector<u8> bytes;
  for_each_run([&](u32 address, std::span<const u8> values) {
    bytes.resize(values.size());
    memory.read(address, bytes);
    add(bytes, values);
    memory.write(address, bytes);
  });
}

}  // namespace simfarm::fast
