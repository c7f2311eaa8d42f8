// The keys of a machine file, one row each: reading, checking and printing all go through this
// table.
#pragma once
#include <span>
#include <string_view>
#include <variant>

#include "base/types.h"
#include "engine/machine.h"

namespace simfarm {

/// What values a key can have, beside its smallest and largest.
enum class KeyRule : u8 {
  flag,  ///< true or false
  any,   ///< every integer of the range
  power_of_two,
  page_multiple,  ///< of 4096
};

struct MachineKey {
  using Field = std::variant<bool*, u32*, u64*>;

  std::string_view table;
  std::string_view name;
  KeyRule rule{};
  u64 smallest = 0;
  u64 largest = 0;
  Field (*field)(Machine&);
};

/// Every key but `name` and `inherits`, in the order in which a machine file is printed.
std::span<const MachineKey> machine_keys();

}  // namespace simfarm
