// Bytes between processes: integers and strings one after the other, and a reader that believes
// none of it.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"

namespace simfarm::farm {

class WireWriter {
 public:
  void integer(u64 value) {
    bytes_.resize(bytes_.size() + 8);
    store_bytes(bytes_, bytes_.size() - 8, 8, value);
  }
  void block(std::span<const u8> bytes) {
    integer(bytes.size());
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void text(std::string_view text) {
    block({reinterpret_cast<const u8*>(text.data()), text.size()});
  }
  std::vector<u8> take() { return std::move(bytes_); }

 private:
  std::vector<u8> bytes_;
};

/// Once something is not there, or is larger than it may be, everything that follows is 0 or empty,
/// and good() says so.
class WireReader {
 public:
  explicit WireReader(std::span<const u8> bytes) : rest_(bytes) {}

  /// At most `most`.
  u64 integer(u64 most = ~u64{0}) {
    const std::span<const u8> bytes = take(8);
    const u64 value = bytes.empty() ? 0 : load_bytes(bytes, 0, 8);
    if (value > most) good_ = false;
    return good_ ? value : 0;
  }
  /// At most `most` bytes long; they lie in what is read.
  std::span<const u8> block(u64 most) { return take(integer(most)); }
  std::string text(u64 most) {
    const std::span<const u8> bytes = block(most);
    return {bytes.begin(), bytes.end()};
  }
  bool good() const { return good_; }
  /// Good, and nothing is left.
  bool ended() const { return good_ && rest_.empty(); }

 private:
  std::span<const u8> take(u64 count) {
    if (count > rest_.size()) good_ = false;
    if (!good_) return {};
    const std::span<const u8> taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

  std::span<const u8> rest_;
  bool good_ = true;
};

}  // namespace simfarm::farm
