#include "dma/local_bytes.h"

#include <algorithm>

#include "base/check.h"

namespace simfarm::dma {

LinearBytes::LinearBytes(std::span<const u8> local, const AddressMap& map)
    : local_(local), base_(map.local.base) {
  check(local.size() == map.local.bytes, "parsing needs the whole local memory");
}

void LinearBytes::read(u32 address, std::span<u8> bytes) const {
  const u64 offset = address - base_;
  check(offset + bytes.size() <= local_.size(), "a read outside local memory");
  std::copy_n(local_.begin() + static_cast<std::ptrdiff_t>(offset), bytes.size(), bytes.begin());
}

}  // namespace simfarm::dma
