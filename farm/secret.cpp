#include "farm/secret.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "base/file.h"
#include "farm/digest.h"

namespace simfarm::farm {
namespace {

constexpr u64 max_secret_file = 200;
constexpr std::string_view secret_head = "simfarm secret 1 ";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

Secret::Secret(const std::array<u8, 32>& bytes) : bytes_(bytes) {
  const std::array<u8, 32> digest = hmac_sha256(bytes_, "simfarm secret id");
  id_ = fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + 8, ""));
}

Result<Secret> Secret::make() {
  std::array<u8, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return io_error("no random numbers: " + std::generic_category().message(errno));
  return Secret(bytes);
}

Result<Secret> Secret::load(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    return io_error(fmt::format("{}: {}", path, std::generic_category().message(errno)));
  if ((status.st_mode & 077) != 0)
    return input_error(fmt::format(
        "{}: others than its owner may read it (mode {:o}): chmod 600, and simfarm farm "
        "rotate-secret if somebody did",
        path, status.st_mode & 0777));
  const Result<std::vector<u8>> file = read_file(path, max_secret_file);
  if (!file) return file.error();
  const std::string text(file->begin(), file->end());
  std::array<u8, 32> bytes{};
  bool good = text.size() == secret_head.size() + 2 * bytes.size() + 1 &&
              text.starts_with(secret_head) && text.back() == '\n';
  for (size_t k = 0; good && k < bytes.size(); ++k) {
    const int high = hex_digit(text[secret_head.size() + 2 * k]);
    const int low = hex_digit(text[secret_head.size() + 2 * k + 1]);
    good = high >= 0 && low >= 0;
    bytes[k] = static_cast<u8>(high * 16 + low);
  }
  if (!good) return io_error(path + ": damaged; simfarm farm rotate-secret makes another");
  return Secret(bytes);
}

Result<void> Secret::save(const std::string& path) const {
  const std::string text = fmt::format("{}{:02x}\n", secret_head, fmt::join(bytes_, ""));
  return write_text(path, text, 0600);
}

u64 Secret::seed(const std::vector<std::string>& parts) const {
  std::string text = "simfarm seed\n";
  for (const std::string& part : parts) text += fmt::format("{} {}\n", part.size(), part);
  const std::array<u8, 32> digest = hmac_sha256(bytes_, text);
  u64 seed = 0;
  for (int k = 7; k >= 0; --k) seed = seed << 8 | digest[static_cast<size_t>(k)];
  return seed;
}

}  // namespace simfarm::farm
