// Random numbers for tests: the same for the same seed on every host.
#pragma once
#include "base/check.h"
#include "base/types.h"

namespace simfarm::test {

/// splitmix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(u64 seed) : state_(seed) {}

  u64 next() {
    state_ += 0x9e37'79b9'7f4a'7c15;
    u64 x = state_;
    x = (x ^ x >> 30) * 0xbf58'476d'1ce4'e5b9;
    x = (x ^ x >> 27) * 0x94d0'49bb'1331'11eb;
    return x ^ x >> 31;
  }
  /// 0 <= value < bound; the bias of a 64-bit remainder is of no matter here.
  u64 below(u64 bound) {
    check(bound > 0, "a random number below 0");
    return next() % bound;
  }
  /// Both ends included.
  i64 between(i64 low, i64 high) {
    return low + static_cast<i64>(below(static_cast<u64>(high - low) + 1));
  }
  bool one_in(u64 count) { return below(count) == 0; }

 private:
  u64 state_;
};

}  // namespace simfarm::test
