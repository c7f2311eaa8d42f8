// The score document, docs/json.md, "simfarm.score".
#include "farm/build.h"
#include "farm/energy.h"
#include "farm/report.h"
#include "farm/sandbox.h"
#include "farm/text.h"
#include "profile/json.h"

namespace simfarm::farm {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json energy_json(const Task& task, const CaseScore& each) {
  const Energy energy =
      energy_of(energy_tables()[task.score.energy_table - 1], each, task.machine.pes());
  return {{"total", picojoules(energy.total())}, {"instructions", picojoules(energy.instructions)},
          {"local", picojoules(energy.local)},   {"ocm", picojoules(energy.ocm)},
          {"dram", picojoules(energy.dram)},     {"pe_cycles", picojoules(energy.cycles)},
          {"boot", picojoules(energy.boot)}};
}

Json case_json(const Task& task, const CaseScore& each) {
  Json json = {{"case", each.name},
               {"cycles", each.cycles},
               {"boot_cycles", each.boot_cycles},
               {"instructions", each.instructions},
               {"dma_bytes", each.dma_bytes},
               {"ocm_bytes", each.ocm_bytes},
               {"dram_bytes", each.dram_bytes}};
  if (each.macs != 0) json["macs"] = each.macs;
  if (each.memory_bytes != 0) json["local_memory_bytes"] = each.memory_bytes;
  if (each.outputs != 0) {
    json["outputs"] = each.outputs;
    json["error"] = each.error;
  }
  if (task.score.kind == ScoreKind::energy) json["energy_pj"] = energy_json(task, each);
  json["pes"] = profile::to_json(each.total);
  return json;
}

Json held_out_json(const Evaluation& evaluation) {
  if (evaluation.secret.empty()) return nullptr;
  const std::optional<HeldOutScore>& passed = evaluation.held_out;
  return {{"passed", passed.has_value()},
          {"cases", passed ? Json(passed->cases) : Json(nullptr)},
          {"cycles", passed ? Json(passed->cycles) : Json(nullptr)},
          {"secret", evaluation.secret}};
}

Json standing_json(const std::optional<Standing>& standing) {
  if (!standing || (!standing->leads && !standing->undecided && !standing->promoted))
    return nullptr;
  return {{"leads", standing->leads},
          {"undecided", standing->undecided},
          {"promoted", standing->promoted ? Json(*standing->promoted) : Json(nullptr)},
          {"why", text_or_null(visible_text(standing->why))}};
}

Json row_json(const Board& board, const Row& row) {
  const Scored& scored = *row.scored;
  const Entry& entry = scored.entry;
  const Evaluation& evaluation = scored.evaluation;
  Json json = {{"submission", row.submission},
               {"rank", row.rank == 0 ? Json(nullptr) : Json(row.rank)},
               {"verdict", name(evaluation.verdict)},
               {"cycles", evaluation.accepted() ? Json(evaluation.cycles()) : Json(nullptr)},
               {"score", evaluation.accepted() ? Json(score_digits(kind_of(board), row.score))
                                               : Json(nullptr)},
               {"speedup", text_or_null(row.speedup)},
               {"timing", evaluation.timing},
               {"author", text_or_null(row.author)},
               {"parent", text_or_null(row.parent)},
               {"note", entry.submission ? Json(row.note) : Json(nullptr)},
               {"expected", entry.expected ? Json(name(*entry.expected)) : Json(nullptr)},
               {"as_expected", scored.as_expected()},
               {"failed_case", text_or_null(evaluation.failed_case)},
               {"failure", text_or_null(row.failure)},
               {"rerun", row.rerun},
               {"local_bytes", evaluation.local_bytes},
               {"source_digest", text_or_null(evaluation.source_digest)},
               {"elf_digest", text_or_null(evaluation.elf_digest)},
               {"standing", standing_json(scored.standing)},
               {"held_out", held_out_json(evaluation)},
               {"cases", Json::array()}};
  for (const CaseScore& each : evaluation.cases)
    json["cases"].push_back(case_json(entry.task->task, each));
  if (const auto room = headroom(scored))
    json["deadline"] = {{"met", room->met()},
                        {"headroom_percent", room->percent},
                        {"case", room->case_name},
                        {"cycles", room->cycles},
                        {"allowed_cycles", room->allowed}};
  return json;
}

Json task_json(const Task& task) {
  Json target = nullptr;
  const ScoreKindRow& kind = row(task.score.kind);
  if (task.target) {
    target = {{"label", task.target->label}};
    if (task.score.kind == ScoreKind::cycles) target["cycles"] = task.target->score;
    target["score"] = score_digits(task.score.kind, task.target->score);
  }
  return {{"task", task.name},
          {"version", task.version},
          {"title", task.title},
          {"machine", task.machine.name},
          {"score", kind.name},
          {"score_unit", kind.unit},
          {"more_is_better", kind.more_is_better},
          {"target", std::move(target)}};
}

/// How sources were built, with the limits: what decides about COMPILE_LIMIT.
Json build_json(bool sandboxed) {
  Json limits = {{"cpu_seconds", compile_limits.cpu_seconds},
                 {"address_bytes", compile_limits.address_bytes},
                 {"file_bytes", compile_limits.file_bytes},
                 {"open_files", compile_limits.open_files},
                 {"wall_seconds", compile_limits.wall_seconds},
                 {"log_bytes", compile_limits.log_bytes},
                 {"output_bytes", compile_limits.output_bytes}};
  if (sandboxed) {
    limits["scratch_bytes"] = sandbox_policy.scratch_bytes;
    limits["processes"] = sandbox_policy.processes;
  }
  return {{"sandboxed", sandboxed},
          {"policy", sandboxed ? Json(sandbox_policy.version) : Json(nullptr)},
          {"limits", std::move(limits)}};
}

}  // namespace

nlohmann::ordered_json score_document(const std::vector<Board>& boards, const ScoreHost& host) {
  Json document = {{"schema", "simfarm.score"}, {"version", 1}, {"tasks", Json::array()}};
  for (const Board& board : boards) {
    Json json = board.task ? task_json(*board.task) : Json{{"task", nullptr}};
    json["timing"] = board.timing;
    const Row* const leader = leader_of(board);
    json["leader"] = leader ? Json(leader->submission) : Json(nullptr);
    json["board"] = Json::array();
    for (const Row& row : board.rows) json["board"].push_back(row_json(board, row));
    document["tasks"].push_back(std::move(json));
  }
  document["host"] = {
      {"seconds", host.seconds}, {"threads", host.threads}, {"build", build_json(host.sandboxed)}};
  return document;
}

}  // namespace simfarm::farm
