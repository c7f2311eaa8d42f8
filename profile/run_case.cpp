#include "profile/run_case.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/disassemble.h"

namespace simfarm::profile {
namespace {

constexpr size_t line_bytes = 32;
/// Zeros are told by number from this many on.
constexpr size_t zero_run = 16;

std::string hex(std::span<const u8> bytes) {
  std::string text;
  for (const u8 byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

size_t zeros_at(std::span<const u8> bytes, size_t at) {
  const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  return static_cast<size_t>(std::find_if(first, bytes.end(), [](u8 b) { return b != 0; }) - first);
}

std::string data_lines(std::span<const u8> bytes) {
  std::string text;
  for (size_t at = 0; at < bytes.size();) {
    const size_t zeros = zeros_at(bytes, at);
    if (zeros >= zero_run) {
      text += fmt::format("zeros {}\n", zeros);
      at += zeros;
      continue;
    }
    size_t length = std::min(line_bytes, bytes.size() - at);
    for (size_t k = 1; k < length; ++k)
      if (zeros_at(bytes.first(std::min(bytes.size(), at + k + zero_run)), at + k) >= zero_run)
        length = k;
    text += fmt::format(": {}\n", hex(bytes.subspan(at, length)));
    at += length;
  }
  return text;
}

/// An instruction a line, with its text.
std::string code_lines(u32 address, std::span<const u8> bytes) {
  std::string text;
  for (size_t at = 0; at < bytes.size();) {
    u32 word = 0;
    const size_t left = bytes.size() - at;
    for (size_t k = 0; k < std::min<size_t>(left, 4); ++k) word |= u32{bytes[at + k]} << 8 * k;
    const size_t length = std::min<size_t>(left, (word & 3) != 3 ? 2 : 4);
    const u32 pc = address + static_cast<u32>(at);
    text += fmt::format(": {:<8}  # 0x{:08x}  {}\n", hex(bytes.subspan(at, length)), pc,
                        length == left && length % 2 != 0 ? "" : disassemble_word(word, pc));
    at += length;
  }
  return text;
}

std::string image_lines(u32 number, const Image& image) {
  std::string text = fmt::format("image {} entry 0x{:08x}\n", number, image.entry);
  for (const Segment& segment : image.segments) {
    text += fmt::format("segment 0x{:08x} {}{}{}\n", segment.address, segment.memory_bytes,
                        segment.executable ? " x" : "", segment.writable ? " w" : "");
    text +=
        segment.executable ? code_lines(segment.address, segment.bytes) : data_lines(segment.bytes);
  }
  return text;
}

template <class Line>
void each_line(std::string_view text, Line line) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

std::string print_case(const RunCase& run_case) {
  const RunInput& input = run_case.input;
  const RunOptions& options = run_case.options;
  std::string text = "simfarm case 1\n";
  each_line(run_case.note, [&](std::string_view line) { text += fmt::format("note {}\n", line); });
  text += fmt::format("cycle_limit {}\ncheck_races {}\nconsole {}\nconsole_limit {}\n",
                      options.cycle_limit, options.check_races ? 1 : 0, options.console ? 1 : 0,
                      options.console_limit);
  if (input.poison) text += fmt::format("poison {}\n", *input.poison);
  text += "machine\n";
  each_line(print_machine(input.machine),
            [&](std::string_view line) { text += fmt::format("| {}\n", line); });
  for (u32 k = 0; k < input.program.images.size(); ++k)
    text += image_lines(k, *input.program.images[k]);
  for (const Placement& place : input.program.placements)
    text += fmt::format("place {} {} {} {} {}\n", place.image, place.row0, place.column0,
                        place.row1, place.column1);
  for (const InitialMemory& memory : input.memory)
    text += fmt::format("memory 0x{:08x}\n", memory.address) + data_lines(memory.bytes);
  if (!input.arguments.empty()) text += "arguments\n" + data_lines(input.arguments);
  return text;
}

}  // namespace simfarm::profile
