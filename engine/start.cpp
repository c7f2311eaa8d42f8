#include "engine/start.h"

#include <fmt/format.h>

#include <algorithm>

#include "dma/descriptor.h"
#include "engine/storages.h"
#include "memory/poison.h"

namespace simfarm {
namespace {

constexpr u32 argument_alignment = 64;
constexpr u32 a0 = 10, sp = 2;

/// The address of the argument block; the local memory's end when there is none.
u32 arguments_address(const RunInput& input) {
  const Region& local = input.machine.map.local;
  const u64 bytes =
      (input.arguments.size() + argument_alignment - 1) / argument_alignment * argument_alignment;
  return static_cast<u32>(local.base + local.bytes - bytes);
}

Result<void> check_machine(const Machine& machine) {
  const auto at_least_one = [&](const char* key, u64 value) -> Result<void> {
    if (value >= 1) return {};
    return input_error(fmt::format("machine {}: {} is 0, at least 1 is needed", machine.name, key));
  };
  const std::pair<const char*, u64> keys[] = {
      {"rows", machine.rows},
      {"columns", machine.columns},
      {"pe.local_memory_bytes", machine.map.local.bytes},
      {"ocm.banks", machine.ocm.banks},
      {"ocm.bytes_per_beat", machine.ocm.bytes_per_beat},
      {"dram.bytes_per_beat", machine.dram.bytes_per_beat},
      {"dma.queue", machine.dma.queue},
      {"dma.in_flight", machine.dma.in_flight},
      {"dma.setup", machine.dma.setup},
      {"link.depth", machine.link.depth},
      {"link.latency", machine.link.latency},
      {"link.credit_latency", machine.link.credit_latency},
      {"post.latency", machine.post.latency},
  };
  for (const auto& [key, value] : keys)
    if (auto result = at_least_one(key, value); !result) return result;
  const Region& local = machine.map.local;
  if (local.base % dma::burst_bytes != 0 || local.bytes % dma::burst_bytes != 0)
    return input_error(
        fmt::format("machine {}: local memory at 0x{:08x}, {} bytes: both have to be "
                    "multiples of {}",
                    machine.name, local.base, local.bytes, dma::burst_bytes));
  return {};
}

/// A segment in words: "prog.elf: segment 0x00400000..0x00400fff".
std::string told(const Image& image, const Segment& segment) {
  return fmt::format("{}: segment 0x{:08x}..0x{:08x}", image.file, segment.address,
                     u64{segment.address} + segment.memory_bytes - 1);
}

Result<void> check_segment(const Machine& machine, const Image& image, const Segment& segment) {
  const AddressMap& map = machine.map;
  const u32 address = segment.address, bytes = segment.memory_bytes;
  if (bytes == 0) return {};
  if (segment.bytes.size() > bytes)
    return input_error(
        fmt::format("{} has {} bytes in the file", told(image, segment), segment.bytes.size()));
  if (segment.executable && !map.instructions.contains(address, bytes))
    return input_error(fmt::format(
        "{} is executable, and not inside machine {}'s instruction memory 0x{:08x}..0x{:08x}",
        told(image, segment), machine.name, map.instructions.base,
        map.instructions.base + map.instructions.bytes - 1));
  if (map.unified && segment.executable && !map.local.contains(address, bytes))
    return input_error(
        fmt::format("{} is executable, and not inside local memory, as unified machine {} needs it",
                    told(image, segment), machine.name));
  if (map.find(address, bytes) == AddressMap::Space::none)
    return input_error(fmt::format("{} is not all inside one memory of machine {}",
                                   told(image, segment), machine.name));
  return {};
}

Result<void> check_placements(const RunInput& input) {
  const Machine& machine = input.machine;
  const Program& program = input.program;
  if (program.images.empty()) return input_error("the program has no image");
  if (program.placements.empty()) return {};
  std::vector<bool> placed(machine.pes());
  for (const Placement& place : program.placements) {
    if (place.image >= program.images.size())
      return input_error(fmt::format("placement of image {}: the program has {}", place.image,
                                     program.images.size()));
    if (place.row0 > place.row1 || place.column0 > place.column1 || place.row1 >= machine.rows ||
        place.column1 >= machine.columns)
      return input_error(fmt::format(
          "placement on rows {}..{}, columns {}..{}: machine {} has {} x {} PEs", place.row0,
          place.row1, place.column0, place.column1, machine.name, machine.rows, machine.columns));
    for (u32 row = place.row0; row <= place.row1; ++row)
      for (u32 column = place.column0; column <= place.column1; ++column) {
        const PeId pe = row * machine.columns + column;
        if (placed[pe])
          return input_error(
              fmt::format("two images are placed on the PE at row {}, column {}", row, column));
        placed[pe] = true;
      }
  }
  for (PeId pe = 0; pe < machine.pes(); ++pe)
    if (!placed[pe])
      return input_error(fmt::format("no image is placed on the PE at row {}, column {}",
                                     machine.row_of(pe), machine.column_of(pe)));
  return {};
}

Result<void> check_arguments(const RunInput& input) {
  const Region& local = input.machine.map.local;
  const u64 bytes = input.arguments.size();
  if (bytes == 0) return {};
  if (bytes + argument_alignment > local.bytes)
    return input_error(fmt::format("an argument block of {} bytes does not fit local memory ({})",
                                   bytes, local.bytes));
  const u32 start = arguments_address(input);
  for (const auto& image : input.program.images)
    for (const Segment& segment : image->segments)
      if (local.contains(segment.address, segment.memory_bytes) &&
          u64{segment.address} + segment.memory_bytes > start)
        return input_error(fmt::format("{} reaches into the argument block at 0x{:08x}",
                                       told(*image, segment), start));
  return {};
}

std::optional<u64> seed_of(std::optional<u64> poison, u64 storage) {
  if (!poison) return std::nullopt;
  return poison_seed(*poison, storage);
}

std::vector<u8> whole(const Segment& segment) {
  std::vector<u8> bytes = segment.bytes;
  bytes.resize(segment.memory_bytes);
  return bytes;
}

}  // namespace

Result<void> check_input(const RunInput& input) {
  if (auto result = check_machine(input.machine); !result) return result;
  if (auto result = check_placements(input); !result) return result;
  for (const auto& image : input.program.images)
    for (const Segment& segment : image->segments)
      if (auto result = check_segment(input.machine, *image, segment); !result) return result;
  if (auto result = check_arguments(input); !result) return result;
  const AddressMap& map = input.machine.map;
  for (const InitialMemory& memory : input.memory)
    if (!map.ocm.contains(memory.address, memory.bytes.size()) &&
        !map.dram.contains(memory.address, memory.bytes.size()))
      return input_error(fmt::format("{} initial bytes at 0x{:08x} are not all inside OCM or DRAM",
                                     memory.bytes.size(), memory.address));
  return {};
}

std::vector<u32> place_images(const RunInput& input) {
  std::vector<u32> image_of(input.machine.pes());
  for (const Placement& place : input.program.placements)
    for (u32 row = place.row0; row <= place.row1; ++row)
      for (u32 column = place.column0; column <= place.column1; ++column)
        image_of[row * input.machine.columns + column] = place.image;
  return image_of;
}

std::vector<u8> local_memory_at_start(const RunInput& input, PeId pe, const Image& image) {
  const Region& local = input.machine.map.local;
  std::vector<u8> memory(local.bytes);
  if (input.poison) poison(poison_seed(*input.poison, local_storage(pe)), local.base, memory);
  const auto put = [&](u32 address, const std::vector<u8>& bytes) {
    std::copy(bytes.begin(), bytes.end(), memory.begin() + (address - local.base));
  };
  for (const Segment& segment : image.segments)
    if (local.contains(segment.address, segment.memory_bytes)) put(segment.address, whole(segment));
  if (!input.arguments.empty()) put(arguments_address(input), input.arguments);
  return memory;
}

SharedMemories::SharedMemories(const Machine& machine, std::optional<u64> poison)
    : ocm(machine.map.ocm, seed_of(poison, ocm_storage)),
      dram(machine.map.dram, seed_of(poison, dram_storage)) {}

void SharedMemories::load(const RunInput& input) {
  for (const auto& image : input.program.images)
    for (const Segment& segment : image->segments)
      if (SparseMemory* memory = find(segment.address, segment.memory_bytes))
        memory->write(segment.address, whole(segment));
  for (const InitialMemory& memory : input.memory)
    find(memory.address, memory.bytes.size())->write(memory.address, memory.bytes);
}

SparseMemory* SharedMemories::find(u32 address, u64 bytes) {
  if (ocm.region().contains(address, bytes)) return &ocm;
  if (dram.region().contains(address, bytes)) return &dram;
  return nullptr;
}

bool SharedMemories::untouched(u32 address, u64 length) const {
  for (const SparseMemory* memory : {&ocm, &dram})
    if (memory->region().contains(address, length)) return memory->untouched(address, length);
  return false;
}

bool SharedMemories::read(u32 address, std::span<u8> bytes) const {
  for (const SparseMemory* memory : {&ocm, &dram}) {
    if (!memory->region().contains(address, bytes.size())) continue;
    memory->read(address, bytes);
    return true;
  }
  return false;
}

StartRegisters registers_at_start(const RunInput& input, PeId pe, const Image& image) {
  StartRegisters start;
  if (input.poison) {
    const u64 seed = poison_seed(*input.poison, register_storage(pe));
    for (u32 k = 1; k < start.x.size(); ++k) start.x[k] = static_cast<u32>(poison_word(seed, k));
    start.operand = poison_word(seed, 0);
  }
  start.pc = image.entry;
  start.x[sp] = arguments_address(input);
  start.x[a0] = input.arguments.empty() ? 0 : arguments_address(input);
  return start;
}

}  // namespace simfarm
