// The key `score` of task.toml.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "farm/energy.h"
#include "farm/task_score.h"
#include "farm/text.h"

namespace simfarm::farm {
namespace {

constexpr i64 largest_weight = 1'000'000;
constexpr i64 largest_reference = 1'000'000'000'000;
constexpr i64 largest_fraction_bits = 40;
// Products and sums of these stay inside 128 bits, and a case's error inside 63.
constexpr i64 largest_scale = i64{1} << 32;
constexpr i64 largest_bound = i64{1} << 32;

void read_weights(TomlReader& table, Task& task) {
  if (!table.has("cases")) table.fail("cases", "is missing: weight and reference of every case");
  table.table("cases", [&](TomlReader& cases) {
    // Variants are for contests on fresh cases, which have no other reference.
    std::set<std::string> names(task.held_out.begin(), task.held_out.end());
    for (const std::string& file : task.cases) {
      names.insert(case_name(file));
      if (!cases.has(case_name(file)))
        cases.fail(case_name(file), "is missing: the case's reference");
    }
    for (const std::string& name : names) {
      cases.table(name, [&](TomlReader& one) {
        task.score.cases[name] = {static_cast<u64>(one.integer("weight", 1, largest_weight, 1)),
                                  static_cast<u64>(one.integer("reference", 1, largest_reference))};
      });
    }
  });
}

void read_energy(TomlReader& table, Task& task) {
  const i64 newest = static_cast<i64>(energy_tables().size());
  task.score.energy_table = static_cast<u32>(table.integer("table", 1, newest));
}

void read_logits(TomlReader& table, Task& task) {
  LogitRule rule;
  const std::string name = table.text("tensor", {.max_characters = 63});
  const auto found = std::find_if(task.tensors.begin(), task.tensors.end(),
                                  [&](const TaskTensor& tensor) { return tensor.name == name; });
  if (found == task.tensors.end() || found->kind != TensorKind::output)
    table.fail("tensor", fmt::format("{} is no output of this task", printable_key(name)));
  else if (found->dtype == DType::float32)
    table.fail("tensor", fmt::format("{} is float32, an integer type is needed", name));
  else
    rule.tensor = static_cast<u32>(found - task.tensors.begin());
  rule.fraction_bits = static_cast<u32>(table.integer("fraction_bits", 0, largest_fraction_bits));
  rule.scale = table.integer("scale", 1, largest_scale);
  rule.zero_point = table.integer("zero_point", -largest_scale, largest_scale, 0);
  rule.bound = static_cast<u64>(table.integer("bound", 1, largest_bound));
  task.score.logits = rule;
}

}  // namespace

void read_score(TomlReader& toml, Task& task) {
  const auto& names = score_kind_names();
  const auto read = [&](TomlReader& table, std::string_view key) {
    task.score.kind = static_cast<ScoreKind>(table.choice(key, names, 0));
    if (task.score.kind == ScoreKind::mac_utilisation && task.floor.macs.empty())
      table.fail(key, "mac-utilisation needs floor.macs, the multiply-adds of a case");
  };
  if (!toml.is_table("score")) {
    read(toml, "score");
    const ScoreKind kind = task.score.kind;
    if (kind == ScoreKind::weighted || kind == ScoreKind::energy || kind == ScoreKind::logit_error)
      toml.fail("score", fmt::format("{} needs more than its name: a table [score] with kind = "
                                     "\"{}\"",
                                     row(kind).name, row(kind).name));
    return;
  }
  toml.table("score", [&](TomlReader& table) {
    if (!table.has("kind")) table.fail("kind", "is missing");
    read(table, "kind");
    if (task.score.kind == ScoreKind::weighted) read_weights(table, task);
    if (task.score.kind == ScoreKind::energy) read_energy(table, task);
    if (task.score.kind == ScoreKind::logit_error) read_logits(table, task);
  });
}

}  // namespace simfarm::farm
