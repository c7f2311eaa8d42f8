#include "farm/digest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "base/check.h"

namespace simfarm::farm {

std::string sha256(std::span<const u8> bytes) {
  std::array<u8, SHA256_DIGEST_LENGTH> digest;
  ::SHA256(bytes.data(), bytes.size(), digest.data());
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

Result<std::string> sha256_of_file(const std::string& path) {
  // Some at a time: a compiler's libraries are a hundred megabytes that nobody needs in memory.
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                       &std::fclose);
  const auto cannot = [&] {
    return io_error(fmt::format("{}: {}", path, std::generic_category().message(errno)));
  };
  if (file == nullptr) return cannot();
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(::EVP_MD_CTX_new(),
                                                             &::EVP_MD_CTX_free);
  bool good =
      context != nullptr && ::EVP_DigestInit_ex(context.get(), ::EVP_sha256(), nullptr) == 1;
  std::vector<u8> block(size_t{1} << 16);
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  for (size_t got = 1; got != 0;) {
    got = std::fread(block.data(), 1, block.size(), file.get());
    if (std::ferror(file.get()) != 0) return cannot();
    good = good && ::EVP_DigestUpdate(context.get(), block.data(), got) == 1;
  }
  std::array<u8, SHA256_DIGEST_LENGTH> digest;
  good = good && ::EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1;
  check(good, "SHA-256 does not fail");
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
