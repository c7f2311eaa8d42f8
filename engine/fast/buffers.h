// Memory for what transfers carry. It is handed out again as from a stack: what was given back last
// is in the host's caches still.
#pragma once
#include <array>
#include <bit>
#include <memory>
#include <vector>

#include "base/types.h"

namespace simfarm::fast {

class Buffers {
 public:
  /// Gives a buffer back to where it was taken from, which is there still.
  struct Return {
    Buffers* from = nullptr;
    u64 bytes = 0;
    void operator()(u8* buffer) const { from->give_back(buffer, bytes); }
  };
  using Buffer = std::unique_ptr<u8[], Return>;

  /// `bytes` or more, with anything in them.
  Buffer take(u64 bytes) {
    const u32 size = size_of(bytes);
    if (size >= kept_.size() || kept_[size].empty())
      return {std::make_unique_for_overwrite<u8[]>(u64{1} << size).release(), {this, bytes}};
    Buffer buffer(kept_[size].back().release(), {this, bytes});
    kept_[size].pop_back();
    return buffer;
  }

 private:
  static constexpr u64 most_kept = 1 << 18;  ///< bytes of each size
  /// Sizes are powers of two.
  static u32 size_of(u64 bytes) { return static_cast<u32>(std::bit_width(bytes - (bytes != 0))); }
  void give_back(u8* buffer, u64 bytes) {
    std::unique_ptr<u8[]> own(buffer);
    const u32 size = size_of(bytes);
    if (size < kept_.size() && (kept_[size].size() + 1) << size <= most_kept)
      kept_[size].push_back(std::move(own));
  }

  std::array<std::vector<std::unique_ptr<u8[]>>, 18> kept_;  ///< by size
};

}  // namespace simfarm::fast
