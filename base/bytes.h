// Little-endian integers in bytes.
#pragma once
#include <span>

#include "base/check.h"
#include "base/types.h"

namespace simfarm {

/// `count` (at most 8) bytes at `offset`, least significant first. The caller has checked the
/// range.
inline u64 load_bytes(std::span<const u8> bytes, u64 offset, u32 count) {
  check(count <= bytes.size() && offset <= bytes.size() - count, "load_bytes outside its bytes");
  u64 value = 0;
  for (u32 i = 0; i < count; ++i) value |= u64{bytes[offset + i]} << 8 * i;
  return value;
}

inline void store_bytes(std::span<u8> bytes, u64 offset, u32 count, u64 value) {
  check(count <= bytes.size() && offset <= bytes.size() - count, "store_bytes outside its bytes");
  for (u32 i = 0; i < count; ++i) bytes[offset + i] = static_cast<u8>(value >> 8 * i);
}

}  // namespace simfarm
