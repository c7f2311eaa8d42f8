#include "bench/report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace simfarm::bench {
namespace {

using Json = nlohmann::ordered_json;

/// Rounded, so that a document has no digits that mean nothing.
double rounded(double value, double unit) { return std::round(value / unit) * unit; }
double microseconds(double seconds) { return rounded(seconds, 1e-6); }

Json optional(std::optional<double> value) {
  return value ? Json(rounded(*value, 1e-4)) : Json(nullptr);
}

Json row_json(const Row& row) {
  Json runs = Json::array();
  for (const Times& run : row.runs)
    runs.push_back(microseconds(row.plan.threads == 1 ? run.cpu : run.wall));
  return {
      {"case", row.plan.which->name},
      {"engine", name(row.plan.engine)},
      {"threads", row.plan.threads},
      {"check_races", row.plan.check_races},
      {"checkpoints", row.plan.checkpoints},
      {"machine", row.plan.machine.name},
      {"pes", row.plan.machine.pes()},
      {"size", name(row.plan.size)},
      {"rounds", row.rounds},
      {"instructions", row.answer.instructions},
      {"cycles", row.answer.cycles},
      {"macs", row.macs},
      {"dma_bytes", row.dma_bytes},
      {"seconds", microseconds(row.seconds())},
      {"cpu_seconds", microseconds(row.median.cpu)},
      {"wall_seconds", microseconds(row.median.wall)},
      {"setup_seconds", microseconds(row.median.setup)},
      {"runs", runs},
      {"mips", rounded(row.mips(), 1e-3)},
      {"mcps", rounded(row.mcps(), 1e-6)},
      {"native_isa", row.native ? Json(row.native->isa) : Json(nullptr)},
      {"native_seconds", row.native ? Json(microseconds(row.native->cpu)) : Json(nullptr)},
      {"of_native", optional(row.of_native())},
      {"digest", to_string(row.answer.digest)},
      {"program", to_string(row.program)},
      {"recorded", row.recorded},
      {"failure", row.failure.empty() ? Json(nullptr) : Json(row.failure)},
  };
}

/// "1,234.5": more digits for small numbers.
std::string number(double value) {
  if (value < 10) return fmt::format("{:.3f}", value);
  if (value < 1000) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

}  // namespace

Json document(const Host& host, std::string_view version, std::span<const Row> rows) {
  Json list = Json::array();
  for (const Row& row : rows) list.push_back(row_json(row));
  return {{"schema", "simfarm.bench/1"},
          {"host",
           {{"cpu", host.cpu},
            {"threads", host.threads},
            {"compiler", host.compiler},
            {"isa", host.isa},
            {"simfarm", version},
            {"date", host.date}}},
          {"rows", list}};
}

std::string table(std::span<const Row> rows) {
  std::string text = fmt::format(
      "{:<16} {:<10} {:>7} {:>5} {:>10} {:>10} {:>9} {:>10} {:>10} {:>9}\n", "case", "engine",
      "threads", "PEs", "M instr", "M cycles", "seconds", "M instr/s", "M cycle/s", "of native");
  std::string failures;
  for (const Row& row : rows) {
    const std::string native = row.native ? fmt::format("{:.3f}", *row.of_native()) : "-";
    text += fmt::format("{:<16} {:<10} {:>7} {:>5} {:>10} {:>10} {:>9.4f} {:>10} {:>10} {:>9}\n",
                        row.plan.which->name, name(row.plan.engine), row.plan.threads,
                        row.plan.machine.pes(),
                        number(static_cast<double>(row.answer.instructions) * 1e-6),
                        number(static_cast<double>(row.answer.cycles) * 1e-6), row.seconds(),
                        number(row.mips()), number(row.mcps()), native);
    if (!row.failure.empty())
      failures +=
          fmt::format("{} on {}: {}\n", row.plan.which->name, name(row.plan.engine), row.failure);
  }
  return text + failures;
}

std::string case_list() {
  std::string text;
  for (const Case& each : cases())
    text += fmt::format("{:<16} {:<8} {}\n", each.name, each.machine, each.about);
  return text;
}

}  // namespace simfarm::bench
