#include "farm/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <set>

#include "base/file.h"
#include "farm/files.h"
#include "farm/task_score.h"
#include "farm/text.h"
#include "farm/toml_reader.h"

namespace simfarm::farm {
namespace {

constexpr u64 max_toml_bytes = 1u << 20;
constexpr size_t max_cases = 256;
constexpr size_t max_held_out = 16;
constexpr size_t max_factors = 8;
constexpr size_t max_task_defines = 64;
constexpr TextRule identifier_rule{.max_characters = 63};
constexpr TextRule path_rule{.max_characters = 200};
// Above every real run, and low enough that sums over all cases stay far inside 64 bits.
constexpr i64 max_cycles = 1'000'000'000'000;

Dimension parse_dimension(TomlReader& toml, const std::string& text) {
  if (is_identifier(text)) return {0, text};
  u64 size = 0;
  for (const char c : text) {
    size = c >= '0' && c <= '9' ? size * 10 + static_cast<u64>(c - '0') : u64{1} << 32;
    if (size > max_file_dimension) break;
  }
  if (size == 0 || size > max_file_dimension)
    toml.fail("shape", fmt::format("{} is neither a size of 1 to {} nor the name of a dimension",
                                   printable_key(text), max_file_dimension));
  return {static_cast<u32>(size), {}};
}

void read_tensor(TomlReader& toml, Task& task) {
  static constexpr std::array<std::string_view, 3> kinds = {"input", "output", "inout"};
  static constexpr std::array<std::string_view, 2> places = {"dram", "ocm"};
  std::array<std::string_view, dtype_count> types;
  for (u32 k = 0; k < dtype_count; ++k) types[k] = name(static_cast<DType>(k + 1));
  TaskTensor tensor;
  tensor.name = toml.text("name", identifier_rule);
  if (!is_identifier(tensor.name)) toml.fail("name", "must be a C identifier");
  for (const TaskTensor& other : task.tensors)
    if (other.name == tensor.name)
      toml.fail("name", fmt::format("there are two tensors {}", printable_key(tensor.name)));
  tensor.kind = static_cast<TensorKind>(toml.choice("kind", kinds));
  tensor.dtype = static_cast<DType>(toml.choice("dtype", types) + 1);
  tensor.place = static_cast<Place>(toml.choice("place", places, 0));
  for (const std::string& text : toml.texts_or_integers("shape", identifier_rule, 1, max_rank))
    tensor.shape.push_back(parse_dimension(toml, text));
  task.tensors.push_back(std::move(tensor));
}

void read_params(TomlReader& toml, Task& task) {
  toml.tables("params", max_params, [&](TomlReader& param) {
    const std::string name = param.text("name", identifier_rule);
    if (!is_identifier(name)) param.fail("name", "must be a C identifier");
    if (std::count(task.params.begin(), task.params.end(), name) > 0)
      param.fail("name", fmt::format("there are two parameters {}", printable_key(name)));
    task.params.push_back(name);
  });
}

void read_limits(TomlReader& toml, TaskLimits& limits) {
  toml.table("limits", [&](TomlReader& table) {
    const auto bytes = [&](std::string_view key, u64& value, i64 largest) {
      value = static_cast<u64>(table.integer(key, 0, largest, static_cast<i64>(value)));
    };
    limits.cycles =
        static_cast<Cycle>(table.integer("cycles", 1, max_cycles, static_cast<i64>(limits.cycles)));
    bytes("local_segment_bytes", limits.local_segment_bytes, 256 << 10);
    bytes("console_bytes", limits.console_bytes, 64 << 20);
    bytes("source_bytes", limits.source_bytes, 16 << 20);
  });
}

/// Variants are arguments of the generator: they look like names, never like options.
bool is_variant(std::string_view text) {
  return !text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

void read_held_out(TomlReader& toml, Task& task) {
  task.held_out = toml.texts("held_out", {.max_characters = 64}, 0, max_held_out);
  std::set<std::string_view> seen;
  for (const std::string& variant : task.held_out) {
    if (!is_variant(variant))
      toml.fail("held_out", fmt::format("{} is no variant: A-Z a-z 0-9 '-' '_' '.', and no '-' "
                                        "at the beginning",
                                        printable_key(variant)));
    if (!seen.insert(variant).second)
      toml.fail("held_out", fmt::format("{} is there twice", printable_key(variant)));
  }
  if (!task.held_out.empty() && task.generator.empty())
    toml.fail("held_out", "needs a cases.generator that makes them");
}

void read_cases(TomlReader& toml, Task& task) {
  if (!toml.has("cases")) toml.fail("cases", "is missing");
  toml.table("cases", [&](TomlReader& table) {
    task.cases = table.texts("public", path_rule, 1, max_cases);
    std::set<std::string> names;
    for (const std::string& file : task.cases) {
      if (const auto problem = path_problem(file))
        table.fail("public", fmt::format("{} {}", printable_key(file), *problem));
      if (!names.insert(case_name(file)).second)
        table.fail("public", fmt::format("there are two cases {}", case_name(file)));
    }
    task.generator = table.text("generator", path_rule, "");
    if (const auto problem = path_problem(task.generator); problem && !task.generator.empty())
      table.fail("generator", *problem);
    read_held_out(table, task);
  });
}

/// In cycles, or as a decimal of the task's kind of score.
void read_target(TomlReader& toml, Task& task) {
  toml.table("target", [&](TomlReader& table) {
    TaskTarget target{table.text("label", {.max_characters = 120}), 0};
    const ScoreKind kind = task.score.kind;
    if (kind == ScoreKind::cycles) {
      target.score = static_cast<u64>(table.integer("cycles", 1, max_cycles));
    } else {
      const auto score = parse_score(kind, table.text("score", {.max_characters = 24}));
      if (!score || *score == 0)
        table.fail("score", fmt::format("must be a text like \"{}\", above 0",
                                        score_digits(kind, 1'234'567)));
      target.score = score.value_or(1);
    }
    task.target = std::move(target);
  });
}

bool is_dimension_or_param(const Task& task, const std::string& name) {
  bool known = std::count(task.params.begin(), task.params.end(), name) > 0;
  for (const TaskTensor& tensor : task.tensors)
    for (const Dimension& dimension : tensor.shape) known |= dimension.symbol == name;
  return known;
}

void read_deadline(TomlReader& toml, Task& task) {
  toml.table("deadline", [&](TomlReader& table) {
    TaskDeadline deadline;
    deadline.cycles_per_unit = static_cast<u64>(table.integer("cycles_per_unit", 1, max_cycles));
    deadline.unit = table.text("unit", {.max_characters = 32});
    deadline.units = table.text("units", identifier_rule);
    if (!is_dimension_or_param(task, deadline.units))
      table.fail("units", "names neither a parameter nor a dimension of this task");
    task.deadline = std::move(deadline);
  });
}

/// After everything that it may name.
void read_floor(TomlReader& toml, Task& task) {
  toml.table("floor", [&](TomlReader& table) {
    for (const std::string& text :
         table.texts_or_integers("macs", identifier_rule, 0, max_factors)) {
      const Dimension factor = parse_dimension(table, text);
      if (!factor.symbol.empty() && !is_dimension_or_param(task, factor.symbol))
        table.fail("macs", fmt::format("{} is neither a dimension nor a parameter of this task",
                                       printable_key(text)));
      task.floor.macs.push_back(factor);
    }
    task.floor.macs_per_cycle = static_cast<u32>(table.integer("macs_per_cycle", 1, 1024, 8));
    task.floor.reads = table.texts("reads", identifier_rule, 0, max_tensors);
    for (const std::string& name : task.floor.reads)
      if (std::none_of(task.tensors.begin(), task.tensors.end(), [&](const TaskTensor& tensor) {
            return tensor.name == name && tensor.kind != TensorKind::output;
          }))
        table.fail("reads", fmt::format("{} is no input of this task", printable_key(name)));
    table.table("cycles", [&](TomlReader& cycles) {
      std::set<std::string> names(task.held_out.begin(), task.held_out.end());
      for (const std::string& file : task.cases) names.insert(case_name(file));
      for (const std::string& name : names)
        if (cycles.has(name))
          task.floor.cycles[name] = static_cast<Cycle>(cycles.integer(name, 0, max_cycles));
    });
  });
}

/// The task's machine: a shipped one, or a file beside task.toml.
Result<Machine> find_machine(const std::string& folder, const std::string& name) {
  const std::vector<std::string> shipped = shipped_machines();
  if (std::count(shipped.begin(), shipped.end(), name) > 0) return load_machine(name);
  Result<std::string> path = resolve_inside(folder, name);
  if (!path)
    return input_error(fmt::format("{}, and no shipped machine has this name ({})",
                                   path.error().message, fmt::join(shipped, ", ")));
  return load_machine(*path);
}

}  // namespace

Result<Task> parse_task(std::string_view text, const std::string& folder) {
  const std::string file = (std::filesystem::path(folder) / "task.toml").string();
  TomlReader toml = TomlReader::parse(text, file);
  Task task;
  task.folder = folder;
  if (!toml.failed()) {
    task.name = toml.text("name", {.max_characters = 64});
    if (!is_task_name(task.name))
      toml.fail("name", "must be a-z, 0-9 and '-', starting with a letter");
    task.version = static_cast<u32>(toml.integer("version", 1, std::numeric_limits<i32>::max(), 1));
    task.title = toml.text("title", {.max_characters = 120}, task.name);
    task.machine_name = toml.text("machine", path_rule);
    read_limits(toml, task.limits);
    toml.tables("tensors", max_tensors, [&](TomlReader& table) { read_tensor(table, task); });
    if (std::none_of(task.tensors.begin(), task.tensors.end(),
                     [](const TaskTensor& tensor) { return tensor.kind != TensorKind::input; }))
      toml.fail("tensors", "none is an output or inout: nothing could be judged");
    read_params(toml, task);
    read_cases(toml, task);
    read_deadline(toml, task);
    read_floor(toml, task);
    read_score(toml, task);
    read_target(toml, task);
    task.defines = toml.texts("defines", identifier_rule, 0, max_task_defines);
    for (const std::string& define : task.defines)
      if (!is_identifier(define))
        toml.fail("defines", fmt::format("{} is no macro name", printable_key(define)));
  }
  if (const Result<void> read = toml.finish(); !read) return read.error();
  Result<Machine> machine = find_machine(folder, task.machine_name);
  if (!machine) return Error{machine.error().kind, file + ": machine: " + machine.error().message};
  task.machine = std::move(*machine);
  return task;
}

Result<Task> load_task(const std::string& folder) {
  Result<std::vector<u8>> text =
      read_file((std::filesystem::path(folder) / "task.toml").string(), max_toml_bytes);
  if (!text) return text.error();
  return parse_task({reinterpret_cast<const char*>(text->data()), text->size()}, folder);
}

std::string case_name(const std::string& file) {
  return std::filesystem::path(file).stem().string();
}

bool is_task_name(std::string_view text) {
  if (text.empty() || text.size() > 64 || text[0] < 'a' || text[0] > 'z') return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

}  // namespace simfarm::farm
