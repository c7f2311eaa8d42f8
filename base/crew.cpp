#include "base/crew.h"

#include <utility>

#include "base/check.h"

namespace simfarm {
namespace {

constexpr u32 most_members = 0xffff;
// Some tens of microseconds: phases follow each other faster than a host wakes a thread.
constexpr u32 looks = 1024;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Until `atomic` is no longer `old`.
template <class T>
void wait_while(const std::atomic<T>& atomic, T old) {
  for (u32 k = 0; k < looks; ++k) {
    if (atomic.load(std::memory_order_acquire) != old) return;
    pause();
  }
  while (atomic.load(std::memory_order_acquire) == old) atomic.wait(old);
}

}  // namespace

Crew::Crew(u32 members) {
  check(members >= 1 && members <= most_members, "a crew of too many, or nobody");
  for (u32 member = 1; member < members; ++member)
    threads_.emplace_back([this, member] { serve(member); });
}

Crew::~Crew() {
  ends_ = true;
  phase_.fetch_add(1, std::memory_order_release);
  phase_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Crew::call(u32 member) {
  try {
    (*part_)(member);
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    if (!thrown_) thrown_ = std::current_exception();
  }
}

void Crew::serve(u32 member) {
  for (u32 phase = 0;; ++phase) {
    wait_while(phase_, phase);
    if (ends_) return;
    call(member);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

void Crew::run(const std::function<void(u32)>& part) {
  part_ = &part;
  busy_.store(static_cast<u32>(threads_.size()), std::memory_order_relaxed);
  phase_.fetch_add(1, std::memory_order_release);
  phase_.notify_all();
  call(0);
  for (;;) {
    const u32 busy = busy_.load(std::memory_order_acquire);
    if (busy == 0) break;
    wait_while(busy_, busy);
  }
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

bool Rest::soon(const std::function<bool()>& can_go_on) {
  constexpr u32 some_looks = 64;
  for (u32 look = 0; look < some_looks; ++look) {
    if (can_go_on()) return true;
    pause();
  }
  return false;
}

bool Rest::rest(bool may, const std::function<bool()>& can_go_on) {
  u64 word = state_.load(std::memory_order_acquire);
  for (;;) {
    State state = unpack(word);
    ++state.version;
    --state.working;
    if (state_.compare_exchange_weak(word, pack(state), std::memory_order_acq_rel)) break;
  }
  state_.notify_all();
  bool agreed = false;
  u32 version = 0;
  for (u32 look = 0;; ++look) {
    word = state_.load(std::memory_order_acquire);
    State state = unpack(word);
    if (state.agreed == members_) return true;
    agreed &= version == state.version;
    // While nobody works nothing changes: what is found then holds as long as the version does.
    if (may && !agreed && can_go_on()) {
      ++state.version;
      ++state.working;
      state.agreed = 0;
      if (state_.compare_exchange_strong(word, pack(state), std::memory_order_acq_rel)) {
        state_.notify_all();
        return false;
      }
      continue;
    }
    if (state.working == 0 && !agreed) {
      version = state.version;
      ++state.agreed;
      if (!state_.compare_exchange_strong(word, pack(state), std::memory_order_acq_rel)) continue;
      agreed = true;
      state_.notify_all();
      continue;
    }
    if (look < looks) {
      pause();
    } else if (may && !agreed) {
      std::this_thread::yield();
    } else {
      state_.wait(word);
    }
  }
}

}  // namespace simfarm
