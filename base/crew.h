// Host threads that do short phases of work together, again and again: for work of which each part
// has to be on a thread of its own, since parts wait for each other. base/parallel is for the rest.
#pragma once
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/types.h"

namespace simfarm {

class Crew {
 public:
  /// `members` threads, the caller's own one of them. None is started for one.
  explicit Crew(u32 members);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  u32 members() const { return static_cast<u32>(threads_.size()) + 1; }
  /// Calls part(0), ..., part(members() - 1), each on a thread of its own, and returns when all
  /// have. part(0) is the calling thread's. What one of them throws is thrown here.
  void run(const std::function<void(u32)>& part);

 private:
  void serve(u32 member);
  void call(u32 member);

  const std::function<void(u32)>* part_ = nullptr;
  std::atomic<u32> phase_ = 0;  ///< how many have begun; the last one is the end
  std::atomic<u32> busy_ = 0;   ///< members but the caller that are at this one
  std::atomic<bool> ends_ = false;
  std::mutex mutex_;
  std::exception_ptr thrown_;
  std::vector<std::thread> threads_;
};

/// How the members of a crew find out that none of them can go on, when what one does may let
/// another go on. Each works until it cannot, then rests; it gets up by itself when it sees that it
/// can go on.
class Rest {
 public:
  /// All of them work.
  explicit Rest(u32 members) : members_(members), state_(pack({0, 0, members})) {}

  /// The calling member cannot go on. Looks for some microseconds whether it can; false: it had
  /// better rest.
  static bool soon(const std::function<bool()>& can_go_on);

  /// The calling member cannot go on. Returns true when none can; false as soon as `can_go_on`,
  /// which is asked again and again, says that this one can. `may`: it could at all.
  bool rest(bool may, const std::function<bool()>& can_go_on);

 private:
  struct State {
    u32 version = 0;  ///< changes whenever somebody begins to rest or gets up
    u32 agreed = 0;  ///< members that have seen, in this version, that nobody works and they cannot
    u32 working = 0;
  };
  static u64 pack(State state) {
    return u64{state.version} << 32 | u64{state.agreed} << 16 | state.working;
  }
  static State unpack(u64 word) {
    return {static_cast<u32>(word >> 32), static_cast<u32>(word >> 16 & 0xffff),
            static_cast<u32>(word & 0xffff)};
  }

  u32 members_;
  std::atomic<u64> state_;
};

}  // namespace simfarm
