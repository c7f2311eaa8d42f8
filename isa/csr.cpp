#include "isa/csr.h"

#include <fmt/format.h>

namespace simfarm {
namespace {

constexpr u32 csr_numbers = 4096;

/// One bit a number, 64 to a word: the decoder asks for every csr instruction.
constexpr std::array<u64, csr_numbers / 64> make_existing() {
  std::array<u64, csr_numbers / 64> existing{};
  for (const CsrInfo& info : csr_table)
    for (u32 number = info.first; number <= info.last; ++number)
      existing[number / 64] |= u64{1} << (number % 64);
  return existing;
}

constexpr std::array<u64, csr_numbers / 64> existing = make_existing();

constexpr bool in_order() {
  for (u32 k = 1; k < csr_table.size(); ++k)
    if (csr_table[k - 1].last >= csr_table[k].first) return false;
  return true;
}
static_assert(in_order());

const CsrInfo* find(u32 number) {
  for (const CsrInfo& info : csr_table)
    if (number >= info.first && number <= info.last) return &info;
  return nullptr;
}

std::string name_of(const CsrInfo& info, u32 number) {
  if (info.number < 0) return std::string(info.name);
  return fmt::format("{}{}{}", info.name, info.number + static_cast<i32>(number - info.first),
                     info.suffix);
}

}  // namespace

bool csr_exists(u32 number) {
  return number < csr_numbers && (existing[number / 64] >> (number % 64) & 1) != 0;
}

std::optional<std::string> csr_name(u32 number) {
  const CsrInfo* info = find(number);
  if (info == nullptr) return std::nullopt;
  return name_of(*info, number);
}

std::string csr_text(u32 number) {
  const CsrInfo* info = find(number);
  if (info == nullptr || !info->standard) return fmt::format("0x{:x}", number);
  return name_of(*info, number);
}

}  // namespace simfarm
