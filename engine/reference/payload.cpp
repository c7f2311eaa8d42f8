#include "engine/reference/payload.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "engine/reference/element_walk.h"

namespace simfarm::reference {
namespace {

constexpr u32 longest_run = 64u << 10;

u32 word_at(std::span<const u8> bytes) {
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | u32{bytes[3]} << 24;
}

}  // namespace

Payload::Payload(const Request& request, const SparseMemory* shared)
    : operation_(request.descriptor.operation), element_bytes_(request.descriptor.element_bytes) {
  const dma::Descriptor& d = request.descriptor;
  ElementWalk walk(d, request.indices, request.destination);
  Element element;
  std::array<u8, 8> buffer;
  while (walk.next(element)) {
    std::span<const u8> value = std::span(d.fill).first(element_bytes_);
    if (element.read && shared != nullptr) {
      const std::span<u8> into = std::span(buffer).first(element_bytes_);
      shared->read(element.source, into);
      value = into;
    } else if (element.read) {
      const u32 offset = element.source - request.source.base;
      check(offset + element_bytes_ <= request.source.bytes.size(), "a read outside its image");
      value = std::span(request.source.bytes).subspan(offset, element_bytes_);
    }
    append(element.destination, value);
  }
}

void Payload::append(u32 address, std::span<const u8> value) {
  if (runs_.empty() || runs_.back().address + runs_.back().bytes != address ||
      runs_.back().bytes >= longest_run)
    runs_.push_back({address, 0});
  runs_.back().bytes += static_cast<u32>(value.size());
  values_.insert(values_.end(), value.begin(), value.end());
}

void Payload::add(std::span<u8> memory, std::span<const u8> value) const {
  if (operation_ == dma::Operation::add_i8) {
    for (u64 k = 0; k < value.size(); ++k) {
      const i32 sum = static_cast<i8>(memory[k]) + static_cast<i8>(value[k]);
      memory[k] = static_cast<u8>(std::clamp(sum, -128, 127));
    }
    return;
  }
  for (u64 k = 0; k < value.size(); k += 4) {
    const u32 sum = word_at(memory.subspan(k)) + word_at(value.subspan(k));
    for (u32 byte = 0; byte < 4; ++byte) memory[k + byte] = static_cast<u8>(sum >> (8 * byte));
  }
}

void Payload::apply(u32 base, std::span<u8> piece) const {
  const bool adds = operation_ == dma::Operation::add_i32 || operation_ == dma::Operation::add_i8;
  u64 at = 0;
  for (const Run& run : runs_) {
    const std::span<const u8> values = std::span(values_).subspan(at, run.bytes);
    at += run.bytes;
    // The part of the run that lies in the piece.
    const i64 offset = i64{run.address} - base;
    const i64 first = std::max<i64>(0, -offset);
    const i64 last = std::min<i64>(run.bytes, static_cast<i64>(piece.size()) - offset);
    if (first >= last) continue;
    const std::span<const u8> part = values.subspan(first, last - first);
    const std::span<u8> to = piece.subspan(offset + first, last - first);
    if (adds)
      add(to, part);
    else
      std::copy(part.begin(), part.end(), to.begin());
  }
}

void Payload::apply(SparseMemory& memory) const {
  std::vector<u8> bytes;
  u64 at = 0;
  for (const Run& run : runs_) {
    const std::span<const u8> values = std::span(values_).subspan(at, run.bytes);
    at += run.bytes;
    if (operation_ == dma::Operation::add_i32 || operation_ == dma::Operation::add_i8) {
      bytes.resize(run.bytes);
      memory.read(run.address, bytes);
      add(bytes, values);
      memory.write(run.address, bytes);
    } else {
      memory.write(run.address, values);
    }
  }
}

}  // namespace simfarm::reference
