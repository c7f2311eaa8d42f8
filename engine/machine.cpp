#include "engine/machine.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <bit>

#include "base/file.h"
#include "engine/machine_keys.h"
#include "engine/shipped_machines.h"

namespace simfarm {
namespace {

constexpr u64 page_bytes = 4096;
constexpr u64 max_file_bytes = 1u << 20;
constexpr u64 max_local_bytes = 256u << 10;
constexpr u64 max_all_local_bytes = u64{16} << 30;
constexpr std::size_t max_name_bytes = 64;

/// A machine file being read.
class Reader {
 public:
  Reader(const toml::table& root, std::string_view file) : root_(root), file_(file) {}

  Result<Machine> read() {
    Machine machine;
    if (auto base = inherited(machine); !base) return base.error();
    if (auto ok = read_name(machine); !ok) return ok.error();
    for (const auto& [key, node] : root_) {
      if (key == "name" || key == "inherits") continue;
      if (auto ok = read_table(key.str(), node, machine); !ok) return ok.error();
    }
    if (auto ok = check_map(machine); !ok) return ok.error();
    return machine;
  }

 private:
  template <class... Args>
  Error error(const toml::node& at, fmt::format_string<Args...> text, Args&&... args) const {
    return input_error(fmt::format("{}:{}: {}", file_, at.source().begin.line,
                                   fmt::format(text, std::forward<Args>(args)...)));
  }

  Result<void> inherited(Machine& machine) const {
    const toml::node* node = root_.get("inherits");
    if (!node) return {};
    const auto base = node->value_exact<std::string>();
    if (!base) return error(*node, "inherits is not a string");
    for (const ShippedMachine& shipped : shipped_machine_files()) {
      if (shipped.name != *base) continue;
      auto parsed = parse_machine(shipped.toml, fmt::format("{}.toml", shipped.name));
      if (!parsed) return parsed.error();
      machine = std::move(*parsed);
      return {};
    }
    return error(*node, "inherits names no shipped machine: {}",
                 fmt::join(shipped_machines(), ", "));
  }

  Result<void> read_name(Machine& machine) const {
    const toml::node* node = root_.get("name");
    if (!node) return input_error(fmt::format("{}: name is missing", file_));
    const auto name = node->value_exact<std::string>();
    if (!name) return error(*node, "name is not a string");
    const bool plain = std::ranges::all_of(*name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
    if (name->empty() || name->size() > max_name_bytes || !plain)
      return error(*node, "name has 1 to {} characters of a-z, 0-9, '-' and '_'", max_name_bytes);
    machine.name = *name;
    return {};
  }

  Result<void> read_table(std::string_view table, const toml::node& node, Machine& machine) const {
    const auto keys = machine_keys();
    if (std::ranges::find(keys, table, &MachineKey::table) == keys.end())
      return error(node, "unknown key {}", table);
    if (!node.is_table()) return error(node, "{} is not a table", table);
    for (const auto& [name, value] : *node.as_table()) {
      const auto key = std::ranges::find_if(keys, [&](const MachineKey& one) {
        return one.table == table && one.name == name.str();
      });
      if (key == keys.end()) return error(value, "unknown key {}.{}", table, name.str());
      if (auto ok = read_value(*key, value, machine); !ok) return ok.error();
    }
    return {};
  }

  Result<void> read_value(const MachineKey& key, const toml::node& node, Machine& machine) const {
    const auto field = key.field(machine);
    if (key.rule == KeyRule::flag) {
      const auto value = node.value_exact<bool>();
      if (!value) return error(node, "{}.{} is neither true nor false", key.table, key.name);
      *std::get<bool*>(field) = *value;
      return {};
    }
    const auto value = node.value_exact<i64>();
    if (!value) return error(node, "{}.{} is not an integer", key.table, key.name);
    if (*value < 0 || static_cast<u64>(*value) < key.smallest ||
        static_cast<u64>(*value) > key.largest)
      return error(node, "{}.{} is {}, {} to {} are possible", key.table, key.name, *value,
                   key.smallest, key.largest);
    const u64 number = static_cast<u64>(*value);
    if (key.rule == KeyRule::power_of_two && !std::has_single_bit(number))
      return error(node, "{}.{} is {}, not a power of two", key.table, key.name, number);
    if (key.rule == KeyRule::page_multiple && number % page_bytes != 0)
      return error(node, "{}.{} is {:#x}, not a multiple of {}", key.table, key.name, number,
                   page_bytes);
    if (u32* const* narrow = std::get_if<u32*>(&field))
      **narrow = static_cast<u32>(number);
    else
      *std::get<u64*>(field) = number;
    return {};
  }

  /// What takes several keys to be wrong is told at the line of the one that the file writes.
  Error conflict(std::initializer_list<std::string_view> keys, std::string_view text) const {
    for (const std::string_view key : keys)
      if (const auto node = root_.at_path(key); node.node())
        return error(*node.node(), "{}: {}", key, text);
    return input_error(fmt::format("{}: {}: {}", file_, *keys.begin(), text));
  }

  Result<void> check_map(const Machine& machine) const {
    struct Named {
      const Region& region;
      std::string_view base_key;
      std::string_view bytes_key;
    };
    const AddressMap& map = machine.map;
    const Named regions[] = {
        {map.instructions, "memory.instruction_base", "pe.instruction_memory_bytes"},
        {map.local, "memory.local_base", "pe.local_memory_bytes"},
        {map.ocm, "memory.ocm_base", "ocm.bytes"},
        {map.dram, "memory.dram_base", "dram.bytes"},
    };
    const auto end = [](const Named& one) { return one.region.base + one.region.bytes; };
    for (const Named& one : regions) {
      if (end(one) > u64{1} << 32)
        return conflict({one.base_key, one.bytes_key},
                        fmt::format("the region {:#x}..{:#x} leaves the 4 GiB address space",
                                    one.region.base, end(one) - 1));
      if (one.region.base < page_bytes && !map.unified)
        return conflict({one.base_key}, "page 0 belongs to nothing unless memory.unified is true");
    }
    for (const Named& one : regions) {
      for (const Named& other : regions) {
        const bool mirrored =
            map.unified && &one.region == &map.instructions && &other.region == &map.local;
        if (&one >= &other || mirrored) continue;
        if (one.region.base < end(other) && other.region.base < end(one))
          return conflict({other.base_key, other.bytes_key, one.base_key, one.bytes_key},
                          fmt::format("{:#x}..{:#x} overlaps {} {:#x}..{:#x}", other.region.base,
                                      end(other) - 1, one.base_key, one.region.base, end(one) - 1));
      }
    }
    if (map.local.bytes > max_local_bytes && !map.unified)
      return conflict({"pe.local_memory_bytes"},
                      fmt::format("{} is above {}, which only a unified machine can have",
                                  map.local.bytes, max_local_bytes));
    if (map.local.bytes * machine.pes() > max_all_local_bytes)
      return conflict({"pe.local_memory_bytes", "array.rows", "array.columns"},
                      fmt::format("{} PEs of {} bytes are above 16 GiB of local memory",
                                  machine.pes(), map.local.bytes));
    return {};
  }

  const toml::table& root_;
  std::string_view file_;
};

}  // namespace

Result<Machine> parse_machine(std::string_view toml, std::string_view file_name) {
  if (toml.size() > max_file_bytes)
    return input_error(
        fmt::format("{}: {} bytes, at most {} are read", file_name, toml.size(), max_file_bytes));
  try {
    const toml::table root = toml::parse(toml);
    return Reader(root, file_name).read();
  } catch (const toml::parse_error& failure) {
    return input_error(
        fmt::format("{}:{}: {}", file_name, failure.source().begin.line, failure.description()));
  }
}

Result<Machine> load_machine(const std::string& file_or_name) {
  for (const ShippedMachine& shipped : shipped_machine_files())
    if (shipped.name == file_or_name)
      return parse_machine(shipped.toml, fmt::format("{}.toml", shipped.name));
  const auto bytes = read_file(file_or_name, max_file_bytes);
  if (!bytes)
    return Error{bytes.error().kind, fmt::format("{} (shipped machines: {})", bytes.error().message,
                                                 fmt::join(shipped_machines(), ", "))};
  return parse_machine({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, file_or_name);
}

std::vector<std::string> shipped_machines() {
  std::vector<std::pair<u32, std::string>> machines;
  for (const ShippedMachine& shipped : shipped_machine_files()) {
    const auto machine = parse_machine(shipped.toml, shipped.name);
    check(static_cast<bool>(machine), "a shipped machine file is wrong");
    machines.emplace_back(machine->pes(), shipped.name);
  }
  std::ranges::sort(machines);
  std::vector<std::string> names;
  for (auto& [pes, name] : machines) names.push_back(std::move(name));
  return names;
}

std::string print_machine(const Machine& machine) {
  Machine copy = machine;
  std::string text = fmt::format("name = \"{}\"\n", machine.name);
  std::string_view table;
  for (const MachineKey& key : machine_keys()) {
    if (key.table != table) text += fmt::format("\n[{}]\n", key.table);
    table = key.table;
    const auto field = key.field(copy);
    if (bool* const* flag = std::get_if<bool*>(&field))
      text += fmt::format("{} = {}\n", key.name, **flag);
    else if (key.name.ends_with("_base"))
      text += fmt::format("{} = {:#010x}\n", key.name, *std::get<u32*>(field));
    else if (u32* const* narrow = std::get_if<u32*>(&field))
      text += fmt::format("{} = {}\n", key.name, **narrow);
    else
      text += fmt::format("{} = {}\n", key.name, *std::get<u64*>(field));
  }
  return text;
}

}  // namespace simfarm
