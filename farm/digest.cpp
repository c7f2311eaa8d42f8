#include "farm/digest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/sha.h>

#include <array>

namespace simfarm::farm {

std::string sha256(std::span<const u8> bytes) {
  std::array<u8, SHA256_DIGEST_LENGTH> digest;
  ::SHA256(bytes.data(), bytes.size(), digest.data());
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::string sha256(const std::vector<PackageFile>& files) {
  // Digests of digests: no boundary between name and bytes can be moved.
  std::string list;
  for (const PackageFile& file : files)
    list += fmt::format("{} {} {}\n", sha256(file.bytes), file.bytes.size(), file.path);
  return sha256(std::span(reinterpret_cast<const u8*>(list.data()), list.size()));
}

}  // namespace simfarm::farm
