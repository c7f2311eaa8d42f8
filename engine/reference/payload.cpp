#include "engine/reference/payload.h"

#include <algorithm>

#include "base/check.h"
#include "engine/reference/element_walk.h"

namespace simfarm::reference {
namespace {

constexpr u32 longest_piece = 4096;     // bytes
constexpr u32 longest_run = 64u << 10;  // bytes

u32 word_at(std::span<const u8> bytes) {
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | u32{bytes[3]} << 24;
}

}  // namespace

Payload::Payload(const Request& request, const SparseMemory* shared)
    : operation_(request.descriptor.operation), element_bytes_(request.descriptor.element_bytes) {
  ElementWalk walk(request.descriptor, request.indices, request.destination);
  Element element;
  Piece piece;
  while (walk.next(element)) {
    if (piece.continued_by(element)) {
      piece.bytes += element_bytes_;
      continue;
    }
    append(piece, request, shared);
    piece = {element, element_bytes_};
  }
  append(piece, request, shared);
}

bool Payload::Piece::continued_by(const Element& next) const {
  return next.read && first.read && next.source == first.source + bytes &&
         next.destination == first.destination + bytes && bytes < longest_piece;
}

void Payload::append(const Piece& piece, const Request& request, const SparseMemory* shared) {
  if (piece.bytes == 0) return;
  const auto& [first, bytes] = piece;
  if (runs_.empty() || runs_.back().address + runs_.back().bytes != first.destination ||
      runs_.back().bytes >= longest_run)
    runs_.push_back({first.destination, 0});
  runs_.back().bytes += bytes;
  const u64 at = values_.size();
  values_.resize(at + bytes);
  const std::span<u8> value = std::span(values_).subspan(at);
  if (!first.read) {
    std::copy_n(request.descriptor.fill.begin(), bytes, value.begin());
  } else if (shared != nullptr) {
    shared->read(first.source, value);
  } else {
    const u32 offset = first.source - request.source.base;
    check(u64{offset} + bytes <= request.source.bytes.size(), "a read outside its image");
    std::copy_n(request.source.bytes.begin() + offset, bytes, value.begin());
  }
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
