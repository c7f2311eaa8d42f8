#include "farm/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace simfarm::farm {
namespace {

constexpr u32 invalid = 0xffff'ffff;

/// The code point at `at`, which moves on; `invalid` when the bytes are not UTF-8.
u32 next_character(std::string_view text, size_t& at) {
  const auto byte = [&](size_t k) { return static_cast<u32>(static_cast<u8>(text[k])); };
  const u32 first = byte(at);
  const u32 length = first < 0x80   ? 1
                     : first < 0xc2 ? 0
                     : first < 0xe0 ? 2
                     : first < 0xf0 ? 3
                     : first < 0xf5 ? 4
                                    : 0;
  if (length == 0 || at + length > text.size()) return invalid;
  u32 value = length == 1 ? first : first & (0x7fu >> length);
  for (size_t k = 1; k < length; ++k) {
    if ((byte(at + k) & 0xc0) != 0x80) return invalid;
    value = value << 6 | (byte(at + k) & 0x3f);
  }
  at += length;
  // Overlong forms, surrogates, and what is beyond Unicode.
  static constexpr u32 smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < smallest[length] || (value >= 0xd800 && value < 0xe000) || value > 0x10ffff)
    return invalid;
  return value;
}

/// Characters that change how others are shown: bidirectional controls, zero-width characters, line
/// and paragraph separators, tags, variation selectors beyond emoji, the byte order mark.
bool deceives(u32 c) {
  return c == 0xad || c == 0x61c || c == 0x180e || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
         (c >= 0xfff0 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe0fff);
}

bool is_control(u32 c) { return c < 0x20 || (c >= 0x7f && c < 0xa0); }

bool is_shown(u32 c, bool lines) {
  return (lines && (c == '\n' || c == '\t')) || (!is_control(c) && !deceives(c));
}

}  // namespace

std::optional<std::string> text_problem(std::string_view text, bool lines) {
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const u32 c = next_character(text, at);
    if (c == invalid) return fmt::format("is not UTF-8 at byte {}", start);
    if (is_shown(c, lines)) continue;
    if (is_control(c)) return fmt::format("has the control character {:#04x} at byte {}", c, start);
    return fmt::format("has the invisible character U+{:04X} at byte {}", c, start);
  }
  return std::nullopt;
}

std::string visible_text(std::string_view text, bool lines) {
  std::string shown;
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const u32 c = next_character(text, at);
    if (c == invalid) {
      at = start + 1;
      shown += fmt::format("\\x{{{:02x}}}", static_cast<u32>(static_cast<u8>(text[start])));
    } else if (is_shown(c, lines)) {
      shown += text.substr(start, at - start);
    } else {
      shown += fmt::format("\\u{{{:x}}}", c);
    }
  }
  return shown;
}

std::string markup_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  return escaped;
}

std::string first_characters(const std::string& text, size_t count) {
  size_t characters = 0;
  for (size_t at = 0; at < text.size(); ++at)
    if ((static_cast<u8>(text[at]) & 0xc0) != 0x80 && ++characters > count)
      return text.substr(0, at) + "...";
  return text;
}

size_t utf8_characters(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<u8>(c) & 0xc0) != 0x80; }));
}

std::string printable_key(std::string_view key) {
  std::string result(key.substr(0, 64));
  for (char& c : result)
    if (c < 0x20 || c > 0x7e) c = '?';
  return result;
}

std::optional<std::string> path_problem(std::string_view path) {
  constexpr size_t max_bytes = 200;
  constexpr u32 max_depth = 8;
  if (path.empty()) return "is empty";
  if (path.size() > max_bytes) return fmt::format("is longer than {} bytes", max_bytes);
  if (path.front() == '/') return "is absolute";
  u32 depth = 0;
  for (size_t start = 0; start <= path.size();) {
    const size_t end = std::min(path.find('/', start), path.size());
    const std::string_view part = path.substr(start, end - start);
    if (part.empty()) return "has an empty component";
    if (part == "." || part == "..") return fmt::format("has the component \"{}\"", part);
    if (part.front() == '.' || part.front() == '-')
      return fmt::format("has a component that starts with '{}'", part.front());
    const bool plain = std::all_of(part.begin(), part.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '.' || c == '-' || c == '+';
    });
    if (!plain) return "has a character other than A-Z a-z 0-9 _ . - + /";
    if (++depth > max_depth) return fmt::format("is more than {} folders deep", max_depth);
    start = end + 1;
  }
  return std::nullopt;
}

std::string ratio(u64 a, u64 b) {
  check(b != 0, "a ratio has a denominator");
  __extension__ typedef unsigned __int128 Hundredfold;
  const u64 hundredths = static_cast<u64>(Hundredfold{a % b} * 100 / b);
  return fmt::format("{}.{:02}", a / b, hundredths);
}

std::string grouped(u64 value) {
  if (value < 1000) return fmt::format("{}", value);
  return fmt::format("{},{:03}", grouped(value / 1000), value % 1000);
}

}  // namespace simfarm::farm
