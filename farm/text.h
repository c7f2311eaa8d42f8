// Text from outside: what may enter a file name, a board or a terminal.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/types.h"

namespace simfarm::farm {

/// Why `text` must not be shown to anybody: not UTF-8, control characters (terminal escapes), or
/// characters that reorder or hide others (bidirectional controls, zero-width, line separators).
/// With `lines`, line ends and tabs are fine. None: it may.
std::optional<std::string> text_problem(std::string_view text, bool lines);

/// `text` as it may be shown anywhere: what text_problem objects to is written out, "\u{202e}", or
/// "\x{ff}" for a byte that is not UTF-8. With `lines`, line ends and tabs stay.
std::string visible_text(std::string_view text, bool lines = false);

/// `text` as HTML and XML have it between tags and in quoted attributes: & < > " are written out.
std::string markup_text(std::string_view text);

/// The first so many characters of valid UTF-8, with "..." where something is left out.
std::string first_characters(const std::string& text, size_t count);

/// Characters (code points) of valid UTF-8.
size_t utf8_characters(std::string_view text);

/// A key of a file from outside, for an error message: what is not printable ASCII becomes '?', and
/// 64 bytes are enough.
std::string printable_key(std::string_view key);

/// a / b with two decimals, cut: "12.34". `b` is not 0.
std::string ratio(u64 a, u64 b);

/// "1,234,567".
std::string grouped(u64 value);

/// A file name inside a package: components of A-Z a-z 0-9 _ . - +, none starting with '.' or '-',
/// joined by '/'; at most 8 deep and 200 bytes. So it is relative, has no "..", is no option of a
/// compiler, and means the same on every file system. The reason why not, or none.
std::optional<std::string> path_problem(std::string_view path);

}  // namespace simfarm::farm
