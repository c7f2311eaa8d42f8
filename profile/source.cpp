#include "profile/source.h"

#include <fmt/format.h>

#include <algorithm>

namespace simfarm::profile {
namespace {

// Length of the valid UTF-8 sequence (2..4 bytes, shortest form, no surrogates, no C1 controls) at
// the start of `text`; 0 when there is none.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t k) { return static_cast<u8>(text[k]); };
  const u8 lead = byte(0);
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (length == 0 || lead > 0xf4 || text.size() < length) return 0;
  u32 code = lead & (0xffu >> (length + 1));
  for (size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(k) & 0x3f);
  }
  const u32 smallest = length == 2 ? 0xa0 : length == 3 ? 0x800 : 0x10000;
  // Direction controls can make a line read as something else: shown as bytes, like all controls.
  const bool bidi = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
                    code == 0x200e || code == 0x200f || code == 0x61c;
  if (code < smallest || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) || bidi) return 0;
  return length;
}

}  // namespace

const Image& image_of(const Program& program, const Machine& machine, PeId pe) {
  const u32 row = machine.row_of(pe), column = machine.column_of(pe);
  for (const Placement& place : program.placements)
    if (row >= place.row0 && row <= place.row1 && column >= place.column0 &&
        column <= place.column1)
      return *program.images[place.image];
  return *program.images.front();
}

std::string source_place(const Program& program, const Machine& machine, PeId pe, u32 pc) {
  const Image& image = image_of(program, machine, pe);
  SourceLine line;
  if (image.lines) line = image.lines->find(pc);
  if (line.function.empty())
    for (const Symbol& symbol : image.symbols)
      if (symbol.function && pc >= symbol.address &&
          pc - symbol.address < std::max(symbol.size, 1u))
        line.function = symbol.name;
  if (line.file.empty())
    return line.function.empty() ? "" : fmt::format("({})", printable(line.function));
  const std::string place = fmt::format("{}:{}", printable(line.file), line.line);
  return line.function.empty() ? place : fmt::format("{} ({})", place, printable(line.function));
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t k = 0; k < text.size();) {
    const u8 byte = static_cast<u8>(text[k]);
    if ((byte >= 0x20 && byte < 0x7f) || byte == '\n' || byte == '\t') {
      out += static_cast<char>(byte);
      ++k;
    } else if (const size_t length = byte < 0x80 ? 0 : utf8_length(text.substr(k)); length != 0) {
      out += text.substr(k, length);
      k += length;
    } else {
      out += fmt::format("\\x{:02x}", byte);
      ++k;
    }
  }
  return out;
}

}  // namespace simfarm::profile
