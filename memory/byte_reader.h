// A cursor over hostile bytes: reading past the end gives zeros and sets `failed`, so that a parser
// may read a whole group of fields and test once.
#pragma once
#include <algorithm>
#include <span>
#include <string_view>

#include "base/types.h"

namespace simfarm::elf {

class ByteReader {
 public:
  explicit ByteReader(std::span<const u8> bytes) : bytes_(bytes) {}

  bool failed() const { return failed_; }
  bool at_end() const { return at_ == bytes_.size(); }
  u64 offset() const { return at_; }
  u64 left() const { return bytes_.size() - at_; }
  void fail() { failed_ = true; }

  /// `count` (at most 8) bytes, least significant first.
  u64 integer(u32 count) {
    u64 value = 0;
    const auto bytes = take(count);
    for (std::size_t i = 0; i < bytes.size(); ++i) value |= u64{bytes[i]} << 8 * i;
    return value;
  }
  u64 unsigned_leb() {
    u64 value = 0;
    for (u32 shift = 0;; shift += 7) {
      const u64 byte = integer(1);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if (failed_ || !(byte & 0x80)) return value;
    }
  }
  i64 signed_leb() {
    u64 value = 0;
    for (u32 shift = 0;; shift += 7) {
      const u64 byte = integer(1);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if (failed_) return 0;
      if (byte & 0x80) continue;
      if (shift + 7 < 64 && byte & 0x40) value |= ~u64{0} << (shift + 7);
      return static_cast<i64>(value);
    }
  }
  /// Up to and without the next NUL, which is skipped.
  std::string_view text() {
    const auto rest = bytes_.subspan(at_);
    const auto end = std::find(rest.begin(), rest.end(), u8{0});
    if (end == rest.end()) {
      fail();
      return {};
    }
    const auto length = static_cast<std::size_t>(end - rest.begin());
    at_ += length + 1;
    return {reinterpret_cast<const char*>(rest.data()), length};
  }
  std::span<const u8> take(u64 count) {
    if (failed_ || count > left()) {
      fail();
      return {};
    }
    const auto bytes = bytes_.subspan(at_, count);
    at_ += count;
    return bytes;
  }

 private:
  std::span<const u8> bytes_;
  u64 at_ = 0;
  bool failed_ = false;
};

}  // namespace simfarm::elf
