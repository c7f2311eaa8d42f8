// Posts on their way: gp.post reaches its semaphore some cycles later, by no bus.
#pragma once
#include <algorithm>
#include <map>
#include <vector>

#include "base/types.h"
#include "engine/machine.h"

namespace simfarm::reference {

struct Post {
  PeId from = 0;
  PeId to = 0;
  u32 semaphore = 0;
  u32 pc = 0;  ///< of the gp.post
};

class Posts {
 public:
  explicit Posts(const Machine& machine) : machine_(machine) {}

  void send(const Post& post, Cycle now) { on_their_way_[now + latency(post)].push_back(post); }

  /// Those that arrive in cycle `now`, by source PE, each source's in order of sending.
  std::vector<Post> arrive(Cycle now) {
    const auto due = on_their_way_.find(now);
    if (due == on_their_way_.end()) return {};
    std::vector<Post> posts = std::move(due->second);
    on_their_way_.erase(due);
    std::stable_sort(posts.begin(), posts.end(),
                     [](const Post& a, const Post& b) { return a.from < b.from; });
    return posts;
  }

  bool quiet() const { return on_their_way_.empty(); }

 private:
  static u32 distance(u32 a, u32 b) { return a < b ? b - a : a - b; }
  Cycle latency(const Post& post) const {
    return machine_.post.latency + distance(machine_.row_of(post.from), machine_.row_of(post.to)) +
           distance(machine_.column_of(post.from), machine_.column_of(post.to));
  }

  const Machine& machine_;
  std::map<Cycle, std::vector<Post>> on_their_way_;  ///< by cycle of arrival
};

}  // namespace simfarm::reference
