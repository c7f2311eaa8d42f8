#include "memory/program.h"

#include <algorithm>

namespace simfarm {
namespace {

/// How many symbols before a pc are looked at: enough for the aliases and labels inside a function,
/// few enough that a hostile table costs nothing.
constexpr u32 max_steps = 256;

}  // namespace

const Symbol* function_at(std::span<const Symbol> symbols, u32 pc) {
  const auto after = std::ranges::upper_bound(symbols, pc, {}, &Symbol::address);
  const Symbol* label = nullptr;
  u32 steps = 0;
  for (auto at = after; at != symbols.begin() && steps < max_steps; ++steps) {
    --at;
    // Hand-written assembly often gives no size: such a function reaches to the next one.
    if (at->function && (at->size == 0 || pc - at->address < at->size)) return &*at;
    if (!at->function && at->size == 0 && !label) label = &*at;
  }
  return label;
}

SourceLine locate(const Image& image, u32 pc) {
  if (image.lines) return image.lines->find(pc);
  SourceLine found;
  if (const Symbol* function = function_at(image.symbols, pc)) found.function = function->name;
  return found;
}

}  // namespace simfarm
