#include "base/hash.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <array>

#include "base/check.h"

namespace simfarm {

struct Digester::State {
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> xxh{XXH3_createState()};
};

std::string to_string(const Digest& digest) {
  return fmt::format("{:016x}{:016x}", digest.high, digest.low);
}

u64 hash64(std::span<const u8> bytes, u64 seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

Digest digest(std::span<const u8> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {.high = hash.high64, .low = hash.low64};
}

Digester::Digester() : state_(std::make_unique<State>()) {
  check(state_->xxh && XXH3_128bits_reset(state_->xxh.get()) == XXH_OK, "no memory for a digest");
}
Digester::~Digester() = default;
Digester::Digester(Digester&&) noexcept = default;
Digester& Digester::operator=(Digester&&) noexcept = default;

void Digester::add(std::span<const u8> bytes) {
  // The library takes no null pointer, not even of length 0.
  if (!bytes.empty()) XXH3_128bits_update(state_->xxh.get(), bytes.data(), bytes.size());
}

void Digester::add(u64 value) {
  std::array<u8, 8> bytes{};
  for (u32 i = 0; i < 8; ++i) bytes[i] = static_cast<u8>(value >> 8 * i);
  add(bytes);
}

Digest Digester::finish() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh.get());
  return {.high = hash.high64, .low = hash.low64};
}

}  // namespace simfarm
