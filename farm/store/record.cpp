#include "farm/store/record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "farm/digest.h"

namespace simfarm::farm {
namespace {

std::string record_text(const std::string& text) {
  return sha256(std::span(reinterpret_cast<const u8*>(text.data()), text.size()));
}

/// What results have had since there are kinds of scores; nothing is written of a 0, so older
/// results are as they were.
constexpr std::pair<const char*, u64 CaseScore::*> further_figures[] = {
    {"ocm_bytes", &CaseScore::ocm_bytes}, {"dram_bytes", &CaseScore::dram_bytes},
    {"macs", &CaseScore::macs},           {"memory_bytes", &CaseScore::memory_bytes},
    {"outputs", &CaseScore::outputs},     {"error", &CaseScore::error}};

}  // namespace

std::string print_counters(const Counters& counters) {
  nlohmann::ordered_json issued = nlohmann::ordered_json::object(), stalls = issued;
  for (u32 k = 0; k < issue_class_count; ++k)
    issued[std::string(name(static_cast<IssueClass>(k)))] = counters.issued[k];
  for (u32 k = 0; k < stall_count; ++k)
    stalls[std::string(name(static_cast<Stall>(k)))] = counters.stalls[k];
  return nlohmann::ordered_json{{"issued", issued}, {"stalls", stalls}}.dump();
}

std::string print_figures(const CaseScore& one) {
  auto json = nlohmann::ordered_json::parse(print_counters(one.total));
  nlohmann::ordered_json more = nlohmann::ordered_json::object();
  for (const auto& [key, field] : further_figures)
    if (one.*field != 0) more[key] = one.*field;
  if (!more.empty()) json["figures"] = std::move(more);
  return json.dump();
}

Result<void> parse_figures(const std::string& text, CaseScore& one) {
  const Result<Counters> counters = parse_counters(text);
  if (!counters) return counters.error();
  one.total = *counters;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.contains("figures")) return {};
  const auto& more = json["figures"];
  for (const auto& [key, field] : further_figures) {
    if (!more.is_object()) return io_error("figures of a case are damaged");
    const auto found = more.find(key);
    if (found == more.end()) continue;
    if (!found->is_number_unsigned()) return io_error("figures of a case are damaged");
    one.*field = found->get<u64>();
  }
  return {};
}

Result<Counters> parse_counters(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  Counters counters;
  const auto take = [&](const char* group, std::string_view bin, u64& to) {
    if (!json.is_object() || !json.contains(group) || !json[group].is_object()) return false;
    const auto found = json[group].find(bin);
    if (found == json[group].end() || !found->is_number_unsigned()) return false;
    to = found->get<u64>();
    return true;
  };
  bool good = true;
  for (u32 k = 0; k < issue_class_count; ++k)
    good &= take("issued", name(static_cast<IssueClass>(k)), counters.issued[k]);
  for (u32 k = 0; k < stall_count; ++k)
    good &= take("stalls", name(static_cast<Stall>(k)), counters.stalls[k]);
  if (!good) return io_error("counters of a case are damaged");
  return counters;
}

std::string record_digest(const Evaluation& evaluation) {
  std::string text =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n", name(evaluation.verdict),
                  record_text(evaluation.failed_case), record_text(evaluation.failure),
                  evaluation.local_bytes, evaluation.source_digest, evaluation.elf_digest);
  // Records of version 1 are older than the version.
  if (evaluation.timing != 1) text += fmt::format("timing {}\n", evaluation.timing);
  for (const CaseScore& each : evaluation.cases)
    text +=
        fmt::format("{} {} {} {} {} {} {}\n", record_text(each.name), each.cycles, each.boot_cycles,
                    each.instructions, each.units, each.dma_bytes, print_figures(each));
  if (!evaluation.secret.empty()) {
    const HeldOutScore passed = evaluation.held_out.value_or(HeldOutScore{});
    text += fmt::format("held-out {} {} {} {}\n", evaluation.secret,
                        evaluation.held_out.has_value(), passed.cases, passed.cycles);
  }
  return record_text(text);
}

}  // namespace simfarm::farm
