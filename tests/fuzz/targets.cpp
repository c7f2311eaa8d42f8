#include "tests/fuzz/targets.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "dma/descriptor.h"
#include "dma/indices.h"
#include "engine/machine.h"
#include "memory/program.h"
#include "tests/fuzz/seeds.h"
#include "tests/support/elf_writer.h"

namespace simfarm::fuzz {
namespace {

/// A refusal is told to a person: which file, and something about it.
void check_message(const Error& error, std::string_view start) {
  check(error.kind == Error::Kind::input, "bad input is an input error");
  check(error.message.starts_with(start) && error.message.size() > start.size() + 2,
        "a refusal names its input and says why");
}

/// What parse_elf promises of every image.
void check_image(const Image& image) {
  bool entry_found = false;
  u64 end = 0, total = 0;
  for (const Segment& segment : image.segments) {
    check(segment.memory_bytes > 0 && segment.bytes.size() <= segment.memory_bytes,
          "a segment's bytes fit its memory");
    check(segment.address >= end, "segments are in order and do not overlap");
    end = u64{segment.address} + segment.memory_bytes;
    check(end <= u64{1} << 32, "a segment ends inside the address space");
    total += segment.memory_bytes;
    if (segment.executable && image.entry >= segment.address && image.entry < end)
      entry_found = true;
    for (const u64 pc : {u64{segment.address}, u64{segment.address} + 2, end - 1, end})
      check(locate(image, static_cast<u32>(pc)).file.size() <= 4096, "paths are bounded");
  }
  check(total <= 256u << 20, "an image is bounded");
  check(entry_found && image.entry % 2 == 0, "the entry is in an executable segment");
  check(std::ranges::is_sorted(image.symbols, {}, &Symbol::address), "symbols are in order");
}

bool run_elf(std::span<const u8> bytes) {
  const auto image = parse_elf({bytes.begin(), bytes.end()}, "fuzz.elf");
  if (!image) {
    check_message(image.error(), "fuzz.elf: ");
    return false;
  }
  check_image(*image);
  return true;
}

bool run_lines(std::span<const u8> bytes) {
  const std::vector<u8> section(bytes.begin(), bytes.end());
  const auto image = parse_elf(test::ElfWriter()
                                   .code(0x0040'0000, std::vector<u32>(64, 0x13))
                                   .section(".debug_line", section)
                                   .section(".debug_line_str", section)
                                   .section(".debug_str", section)
                                   .write(),
                               "fuzz.elf");
  check(static_cast<bool>(image), "damaged lines do not keep a program from loading");
  check_image(*image);
  for (u32 pc = 0x003f'fff0; pc < 0x0040'0110; pc += 2) locate(*image, pc);
  return image->lines != nullptr;
}

bool run_machine(std::span<const u8> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto machine = parse_machine(text, "fuzz.toml");
  if (!machine) {
    check_message(machine.error(), "fuzz.toml:");
    return false;
  }
  const std::string printed = print_machine(*machine);
  const auto again = parse_machine(printed, "printed.toml");
  check(again && print_machine(*again) == printed, "a printed machine reads as itself");
  return true;
}

bool run_descriptor(std::span<const u8> bytes) {
  const AddressMap map;
  const dma::Context context{.map = map, .rows = 4, .columns = 4, .pe = 5};
  std::vector<u8> local(map.local.bytes);
  std::copy_n(bytes.begin(), std::min(bytes.size(), local.size()), local.begin());
  const auto chain = dma::parse_chain(map.local.base, local, context);
  if (!chain) {
    check_message(chain.error(), "descriptor 0x1000");
    return false;
  }
  check(!chain->empty() && chain->size() <= dma::max_chain, "a chain is bounded");
  for (const dma::Descriptor& one : *chain) {
    const auto encoded = dma::encode(one, map);
    const auto there = local.begin() + (one.address - map.local.base);
    check(std::equal(encoded.begin(), encoded.end(), there),
          "what is accepted is written back as the same bytes");
    check(!dma::print(one).empty(), "a descriptor prints");
    const auto indices = dma::read_indices(one, local, context);
    if (!indices) check_message(indices.error(), "descriptor 0x1000");
  }
  return true;
}

}  // namespace

std::span<const Target> targets() {
  static constexpr std::array<Target, 4> all{{
      {"elf", run_elf, elf_seeds},
      {"lines", run_lines, line_seeds},
      {"machine", run_machine, machine_seeds},
      {"descriptor", run_descriptor, descriptor_seeds},
  }};
  return all;
}

}  // namespace simfarm::fuzz
