// gp.posts that interpreted or generated code has issued. Nothing about them has to be decided when
// they issue, so that code notes them down and goes on; the fabric reads them when no PE runs.
#pragma once
#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "base/types.h"
#include "engine/fast/storage.h"

namespace simfarm::fast {

/// Of one PE.
struct Post {
  Cycle at = 0;  ///< in which it issues
  u32 to = 0;    ///< a PE that exists
  u32 number = 0;
  u32 pc = 0;
  PeId pe = 0;
};

/// Of a gang: one of each lane. `at` is by the gang's clock.
struct GangPost {
  Cycle at = 0;
  u32 number = 0;
  u32 pc = 0;
  std::array<u32, tile_lanes> to{};
};

/// What code knows of the place for more of them. Where it is full, the stepper does them.
template <class T>
struct PostRoom {
  T* next = nullptr;
  T* end = nullptr;
};

/// Those of one worker.
template <class T, u32 most>
class PostList {
 public:
  PostList() : all_(std::make_unique_for_overwrite<T[]>(most)) { clear(); }
  PostRoom<T>& room() { return room_; }
  std::span<const T> all() const { return {all_.get(), room_.next}; }
  /// Empty, with room for `places` at most.
  void clear(u64 places = most) { room_ = {all_.get(), all_.get() + std::min<u64>(places, most)}; }
  u64 places_left() const { return static_cast<u64>(room_.end - room_.next); }

 private:
  std::unique_ptr<T[]> all_;
  PostRoom<T> room_;
};
using Posts = PostList<Post, 1024>;
using GangPosts = PostList<GangPost, 64>;

}  // namespace simfarm::fast
