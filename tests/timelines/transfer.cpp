#include "tests/timelines/transfer.h"

#include "base/check.h"

namespace simfarm::timelines {
namespace {

void put(std::vector<u8>& bytes, u32 offset, u64 value, u32 width) {
  for (u32 i = 0; i < width; ++i) bytes[offset + i] = static_cast<u8>(value >> (8 * i));
}

template <class T>
void put_all(std::vector<u8>& bytes, u32 offset, const std::vector<T>& values, u32 width) {
  for (u32 i = 0; i < values.size(); ++i)
    put(bytes, offset + width * i, static_cast<u64>(values[i]), width);
}

u32 log2_of(u32 element) {
  u32 log = 0;
  while ((1u << log) < element) ++log;
  check((1u << log) == element && log < 4, "an element of 1, 2, 4 or 8 bytes");
  return log;
}

}  // namespace

std::vector<u8> descriptor(const Transfer& transfer) {
  const bool indexed = transfer.index.has_value();
  const bool extended =
      indexed || !transfer.before.empty() || !transfer.after.empty() || transfer.fill != 0;
  std::vector<u8> bytes(extended ? 128 : 64);
  u32 control = static_cast<u32>(transfer.kind);
  control |= static_cast<u32>(transfer.sizes.size() - 1) << 4;
  control |= log2_of(transfer.element) << 6;
  if (transfer.multicast) control |= 1u << 8 | (transfer.multicast->self ? 1u << 9 : 0);
  if (extended) control |= 1u << 10;
  if (transfer.acquire.amount) control |= 1u << 11 | u32{transfer.acquire.semaphore} << 16;
  if (transfer.own.amount) control |= 1u << 12 | u32{transfer.own.semaphore} << 20;
  if (transfer.receivers.amount) control |= 1u << 13 | u32{transfer.receivers.semaphore} << 24;
  if (indexed) control |= static_cast<u32>(transfer.index->bounds) << 14;
  put(bytes, 0, control, 4);
  put(bytes, 4, transfer.source, 4);
  put(bytes, 8, transfer.destination, 4);
  put(bytes, 12, transfer.next / 64, 2);
  put(bytes, 14, transfer.acquire.amount, 2);
  put_all(bytes, 16, transfer.sizes, 2);
  put_all(bytes, 24, transfer.source_strides, 4);
  put_all(bytes, 40, transfer.destination_strides, 4);
  put(bytes, 56, transfer.own.amount, 2);
  put(bytes, 58, transfer.receivers.amount, 2);
  if (transfer.multicast) {
    const Rectangle& to = *transfer.multicast;
    put_all(bytes, 60, std::vector<u8>{to.x0, to.y0, to.x1, to.y1}, 1);
  }
  if (!extended) return bytes;
  put_all(bytes, 64, transfer.before, 2);
  put_all(bytes, 72, transfer.after, 2);
  put(bytes, 80, transfer.fill, 8);
  if (indexed) {
    const Index& index = *transfer.index;
    put(bytes, 88, index.base, 4);
    put(bytes, 92, index.count, 4);
    put(bytes, 96, static_cast<u32>(index.stride), 4);
    put(bytes, 100, static_cast<u32>(index.scale), 4);
    put(bytes, 104, index.limit, 4);
  }
  return bytes;
}

}  // namespace simfarm::timelines
