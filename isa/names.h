// Names of the rows' enumerations, for people.
#pragma once
#include <array>
#include <string_view>

#include "isa/row.h"

namespace simfarm {

inline constexpr std::array<std::string_view, 15> extension_names{
    "RV32I",  "M",       "C",      "Zicsr", "Zifencei",    "Zba",     "Zbb", "XCVmac",
    "XCValu", "XCVsimd", "XCVmem", "XCVbi", "XCVbitmanip", "XCVhwlp", "Xgp"};
static_assert(extension_names.size() == static_cast<u32>(Extension::xgp) + 1);

inline constexpr std::array<std::string_view, issue_class_count> issue_class_names{
    "alu", "mul", "div", "mac", "load", "store", "branch", "jump", "csr", "link", "dma", "sync"};

inline constexpr std::array<std::string_view, 14> timing_class_names{
    "single", "mulh", "division", "load",    "store",         "branch", "jal",
    "jalr",   "csr",  "fence",    "fence_i", "hardware_loop", "system", "sync"};
static_assert(timing_class_names.size() == static_cast<u32>(TimingClass::sync) + 1);

constexpr std::string_view name(Extension extension) {
  return extension_names[static_cast<u32>(extension)];
}

}  // namespace simfarm
