// Digests of bytes (XXH3), for telling states apart and finding equal ones fast. Not for anything
// that an adversary chooses: evaluation keys and contents are SHA-256 (farm/).
#pragma once
#include <compare>
#include <memory>
#include <span>
#include <string>

#include "base/types.h"

namespace simfarm {

/// 128 bits.
struct Digest {
  u64 high = 0;
  u64 low = 0;
  friend auto operator<=>(const Digest&, const Digest&) = default;
};

/// 32 hexadecimal digits, the high half first.
std::string to_string(const Digest& digest);

/// Of all bytes at once.
u64 hash64(std::span<const u8> bytes, u64 seed = 0);
Digest digest(std::span<const u8> bytes);

/// The same digest, of bytes that come in pieces.
class Digester {
 public:
  Digester();
  ~Digester();
  Digester(Digester&&) noexcept;
  Digester& operator=(Digester&&) noexcept;

  void add(std::span<const u8> bytes);
  /// An integer as its 8 bytes, least significant first.
  void add(u64 value);
  /// Of everything added so far; more may follow.
  Digest finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace simfarm
