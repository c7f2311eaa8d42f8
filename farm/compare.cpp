#include "farm/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "farm/logits.h"

namespace simfarm::farm {
namespace {

/// Index of an element, outermost first.
std::vector<u64> index_of(const PlacedTensor& tensor, u64 element) {
  std::vector<u64> index(tensor.shape.size());
  for (size_t k = tensor.shape.size(); k-- > 0; element /= tensor.shape[k])
    index[k] = element % tensor.shape[k];
  return index;
}

std::string hex(std::span<const u8> bytes) { return fmt::format("{:02x}", fmt::join(bytes, " ")); }

u64 first_difference(std::span<const u8> a, std::span<const u8> b) {
  return static_cast<u64>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
}

/// Bytes 16 before to 16 after `offset`, of both, and carets below those that differ.
std::string around(std::span<const u8> expected, std::span<const u8> got, u64 offset) {
  const u64 from = offset - std::min<u64>(offset, 16);
  const u64 to = std::min<u64>(offset + 17, expected.size());
  std::string carets;
  for (u64 k = from; k < to; ++k) carets += expected[k] == got[k] ? "   " : " ^^";
  return fmt::format("  bytes {} to {}:\n    expected {}\n    got      {}\n            {}\n", from,
                     to - 1, hex(expected.subspan(from, to - from)),
                     hex(got.subspan(from, to - from)), carets);
}

std::string tensor_difference(const PlacedTensor& tensor, std::span<const u8> expected,
                              std::span<const u8> got, u64 seed) {
  const u32 size = element_bytes(tensor.dtype);
  const u64 offset = first_difference(expected, got);
  const u64 start = offset / size * size;
  u64 wrong = 0;
  bool untouched = true;
  for (u64 k = 0; k < expected.size(); k += size)
    wrong += !std::equal(&expected[k], &expected[k] + size, &got[k]);
  for (u64 k = start; k < start + size; ++k)
    untouched &= got[k] == poison_byte(seed, tensor.address + static_cast<u32>(k));
  const char* const kind = tensor.kind == TensorKind::input ? "input" : "output";
  std::string text = fmt::format(
      "{} {}: expected {}, got {}{}\n", kind, element_place(tensor, offset),
      element_text(tensor.dtype, &expected[start]), element_text(tensor.dtype, &got[start]),
      tensor.kind == TensorKind::output && untouched
          ? ", the poison that was there before: never written"
          : "");
  text += around(expected, got, offset);
  text += fmt::format("  {} of {} elements are wrong\n", wrong, expected.size() / size);
  if (tensor.kind == TensorKind::input) text += "  a kernel may not change an input\n";
  return text;
}

/// A written guard band, told by the tensor that it follows or precedes.
std::optional<std::string> guard_difference(const Layout& layout, const Memory& memory, u64 seed) {
  for (size_t a = 0; a < layout.arenas.size(); ++a) {
    const Arena& arena = layout.arenas[a];
    std::vector<bool> inside(arena.bytes, false);
    for (const PlacedTensor& tensor : layout.tensors) {
      const u64 offset = tensor.address - u64{arena.address};
      if (tensor.address < arena.address || offset >= arena.bytes) continue;
      std::fill_n(inside.begin() + static_cast<std::ptrdiff_t>(offset), tensor.bytes, true);
    }
    for (u64 k = 0; k < arena.bytes; ++k) {
      const u32 address = arena.address + static_cast<u32>(k);
      if (inside[k] || memory[a][k] == poison_byte(seed, address)) continue;
      const PlacedTensor* nearest = nullptr;
      for (const PlacedTensor& tensor : layout.tensors)
        if (tensor.address >= arena.address && tensor.address <= address &&
            (nearest == nullptr || tensor.address > nearest->address))
          nearest = &tensor;
      const std::string where =
          nearest == nullptr
              ? "before the first tensor"
              : fmt::format("{} bytes after the end of {}",
                            address - nearest->address - nearest->bytes, nearest->name);
      return fmt::format("wrote outside every tensor: {:#010x}, {}\n", address, where);
    }
  }
  return std::nullopt;
}

}  // namespace

std::string element_place(const PlacedTensor& tensor, u64 offset) {
  return fmt::format("{}[{}] ({}, byte {} of {})", tensor.name,
                     fmt::join(index_of(tensor, offset / element_bytes(tensor.dtype)), ", "),
                     name(tensor.dtype), offset, tensor.bytes);
}

Memory read_arenas(const Layout& layout, const Simulation& simulation) {
  Memory memory;
  for (const Arena& arena : layout.arenas) {
    std::vector<u8> bytes(arena.bytes);
    check(simulation.read(arena.address, bytes), "an arena lies in DRAM or OCM");
    memory.push_back(std::move(bytes));
  }
  return memory;
}

std::span<const u8> tensor_bytes(const Layout& layout, const Memory& memory, size_t tensor) {
  const PlacedTensor& placed = layout.tensors[tensor];
  for (size_t a = 0; a < layout.arenas.size(); ++a) {
    const Arena& arena = layout.arenas[a];
    const u64 offset = placed.address - u64{arena.address};
    if (placed.address >= arena.address && offset < arena.bytes)
      return std::span(memory[a]).subspan(offset, placed.bytes);
  }
  check(false, "a tensor lies in an arena");
  return {};
}

std::optional<std::string> find_difference(const Case& one, const Memory& memory, u64 seed) {
  for (const bool inputs : {false, true})
    for (size_t k = 0; k < one.layout.tensors.size(); ++k) {
      const PlacedTensor& tensor = one.layout.tensors[k];
      if ((tensor.kind == TensorKind::input) != inputs) continue;
      const std::span<const u8> got = tensor_bytes(one.layout, memory, k);
      if (one.reference && one.reference->rule.tensor == k) {
        if (std::string told = logit_errors(*one.reference, tensor, got).told; !told.empty())
          return told;
        continue;
      }
      if (!std::equal(got.begin(), got.end(), one.after[k].begin()))
        return tensor_difference(tensor, one.after[k], got, seed);
    }
  return guard_difference(one.layout, memory, seed);
}

std::optional<std::string> find_disagreement(const Case& one, const Memory& first, u64 first_seed,
                                             const Memory& second, u64 second_seed) {
  for (size_t k = 0; k < one.layout.tensors.size(); ++k) {
    const PlacedTensor& tensor = one.layout.tensors[k];
    const std::span<const u8> a = tensor_bytes(one.layout, first, k);
    const std::span<const u8> b = tensor_bytes(one.layout, second, k);
    for (u64 at = 0; at < tensor.bytes; ++at) {
      const u32 address = tensor.address + static_cast<u32>(at);
      const bool output = tensor.kind == TensorKind::output;
      if (a[at] == b[at] || (output && a[at] == poison_byte(first_seed, address)) ||
          (output && b[at] == poison_byte(second_seed, address)))
        continue;
      const u64 start = at / element_bytes(tensor.dtype) * element_bytes(tensor.dtype);
      return fmt::format(
          "{}: {} in one run, {} in a second run that differs in uninitialised memory "
          "and registers alone\n",
          element_place(tensor, at), element_text(tensor.dtype, &a[start]),
          element_text(tensor.dtype, &b[start]));
    }
  }
  return std::nullopt;
}

}  // namespace simfarm::farm
