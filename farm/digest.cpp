#include "farm/digest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <array>

#include "base/check.h"

namespace simfarm::farm {

std::string sha256(std::span<const u8> bytes) {
  std::array<u8, SHA256_DIGEST_LENGTH> digest;
  ::SHA256(bytes.data(), bytes.size(), digest.data());
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::array<u8, 32> hmac_sha256(std::span<const u8> key, std::string_view text) {
  std::array<u8, 32> digest;
  unsigned int bytes = 0;
  const u8* const made =
      ::HMAC(::EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const u8*>(text.data()), text.size(), digest.data(), &bytes);
  check(made != nullptr && bytes == digest.size(), "HMAC-SHA256 has 32 bytes");
  return digest;
}

std::string sha256(const std::vector<PackageFile>& files) {
  // Digests of digests: no boundary between name and bytes can be moved.
  std::string list;
  for (const PackageFile& file : files)
    list += fmt::format("{} {} {}\n", sha256(file.bytes), file.bytes.size(), file.path);
  return sha256(std::span(reinterpret_cast<const u8*>(list.data()), list.size()));
}

}  // namespace simfarm::farm
