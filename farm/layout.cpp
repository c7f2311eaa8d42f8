#include "farm/layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace simfarm::farm {
namespace {

constexpr u64 round_up(u64 value, u64 unit) { return (value + unit - 1) / unit * unit; }

void put32(std::vector<u8>& block, u32 value) {
  for (u32 k = 0; k < 4; ++k) block.push_back(static_cast<u8>(value >> (8 * k)));
}

/// Places the tensors of one region and appends its arena.
Result<void> fill_region(Layout& layout, Place place, const Region& region, std::string_view name) {
  // The first guard band may start at a base that is not aligned; the tensors are all the same.
  u64 next = round_up(u64{region.base} + guard_bytes, tensor_alignment);
  bool used = false;
  for (PlacedTensor& tensor : layout.tensors) {
    if (tensor.place != place) continue;
    used = true;
    const u64 end = next + round_up(tensor.bytes, tensor_alignment) + guard_bytes;
    if (end > region.base + region.bytes)
      return input_error(
          fmt::format("tensor {} ({}): the machine's {} of {} bytes is too small for "
                      "the tensors and their guard bands",
                      tensor.name, describe(tensor.dtype, tensor.shape), name, region.bytes));
    tensor.address = static_cast<u32>(next);
    next = end;
  }
  if (used) layout.arenas.push_back({region.base, next - region.base});
  return {};
}

}  // namespace

Result<Layout> lay_out(std::vector<PlacedTensor> tensors, std::vector<i32> params,
                       const AddressMap& map) {
  Layout layout{std::move(tensors), std::move(params), {}};
  for (PlacedTensor& tensor : layout.tensors) {
    tensor.bytes = element_bytes(tensor.dtype);
    for (const u32 size : tensor.shape) tensor.bytes *= size;
  }
  const Result<void> dram = fill_region(layout, Place::dram, map.dram, "DRAM");
  if (!dram) return dram.error();
  const Result<void> ocm = fill_region(layout, Place::ocm, map.ocm, "OCM");
  if (!ocm) return ocm.error();
  return layout;
}

std::vector<u8> argument_block(const Layout& layout) {
  std::vector<u8> block;
  const u32 tensors = static_cast<u32>(layout.tensors.size());
  const u32 params = static_cast<u32>(layout.params.size());
  put32(block, 1);
  put32(block, tensors);
  put32(block, params);
  put32(block, 16 + 48 * tensors + 4 * params);
  for (const PlacedTensor& tensor : layout.tensors) {
    put32(block, tensor.address);
    put32(block, static_cast<u32>(tensor.bytes));
    put32(block, static_cast<u32>(tensor.dtype));
    put32(block, static_cast<u32>(tensor.shape.size()));
    u32 strides[max_rank] = {};
    u32 stride = element_bytes(tensor.dtype);
    for (size_t k = tensor.shape.size(); k-- > 0; stride *= tensor.shape[k]) strides[k] = stride;
    for (u32 k = 0; k < max_rank; ++k) put32(block, k < tensor.shape.size() ? tensor.shape[k] : 0);
    for (const u32 each : strides) put32(block, each);
  }
  for (const i32 param : layout.params) put32(block, static_cast<u32>(param));
  return block;
}

u8 poison_byte(u64 seed, u32 address) {
  // splitmix64 of (seed, word): neighbouring words and seeds share nothing.
  u64 word = seed + (u64{address} / 8 + 1) * 0x9e3779b97f4a7c15u;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  word ^= word >> 31;
  return static_cast<u8>(word >> (8 * (address % 8)));
}

std::vector<InitialMemory> initial_memory(const Layout& layout,
                                          std::span<const std::vector<u8>> contents,
                                          std::optional<u64> poison) {
  check(contents.size() == layout.tensors.size(), "contents for each tensor");
  std::vector<InitialMemory> memory;
  if (!poison) {
    for (size_t k = 0; k < contents.size(); ++k)
      if (!contents[k].empty()) memory.push_back({layout.tensors[k].address, contents[k]});
    return memory;
  }
  for (const Arena& arena : layout.arenas) {
    InitialMemory whole{arena.address, std::vector<u8>(arena.bytes)};
    for (u64 k = 0; k < arena.bytes; ++k)
      whole.bytes[k] = poison_byte(*poison, arena.address + static_cast<u32>(k));
    for (size_t k = 0; k < contents.size(); ++k) {
      const u64 offset = layout.tensors[k].address - u64{arena.address};
      if (layout.tensors[k].address < arena.address || offset >= arena.bytes) continue;
      std::copy(contents[k].begin(), contents[k].end(),
                whole.bytes.begin() + static_cast<std::ptrdiff_t>(offset));
    }
    memory.push_back(std::move(whole));
  }
  return memory;
}

}  // namespace simfarm::farm
