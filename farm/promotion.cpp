#include "farm/promotion.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "farm/build.h"
#include "farm/digest.h"
#include "farm/floor.h"
#include "farm/held_out.h"
#include "farm/task_score.h"
#include "profile/json.h"

namespace simfarm::farm {
namespace {

nlohmann::ordered_json judgement_json(const Judgement& judgement) {
  nlohmann::ordered_json json = {{"verdict", name(judgement.verdict)},
                                 {"cases", nlohmann::ordered_json::array()}};
  for (const CaseScore& each : judgement.cases)
    json["cases"].push_back({{"case", each.name},
                             {"cycles", each.cycles},
                             {"instructions", each.instructions},
                             {"dma_bytes", each.dma_bytes},
                             {"pes", profile::to_json(each.total)}});
  return json;
}

/// "1234 cycles", "71.2345 %".
std::string told(const Task& task, u64 score) {
  const std::string_view unit = row(task.score.kind).unit;
  return score_digits(task.score.kind, score) + (unit.empty() ? "" : " ") + std::string(unit);
}

/// One contest from its beginning to a decision; the story is in run().
class Referee {
 public:
  Referee(const Contest& contest, const Workplace& workplace)
      : contest_(contest), workplace_(workplace), secret_(workplace.secret) {}

  Decision run() {
    if (contest_.same_toolchain)
      if (auto ended = rebuild()) return *ended;
    if (auto ended = compare_engines()) return *ended;
    if (!contest_.leader) return promoted("nobody led");
    if (secret_ != nullptr && !task().held_out.empty()) return duel();
    const auto score = [&](const Contender& of) { return score_of(task(), of.evaluation.cases); };
    return promoted(fmt::format("{}, {} has {}; the task has no fresh cases",
                                told(task(), score(contest_.candidate)), contest_.leader->id,
                                score_digits(task().score.kind, score(*contest_.leader))));
  }

 private:
  const Task& task() const { return contest_.task->task; }

  static Decision promoted(std::string why) {
    return {.decided = true, .promoted = true, .detail = std::move(why)};
  }
  static Decision refused(Verdict verdict, std::string why) {
    return {.decided = true, .verdict = verdict, .detail = std::move(why)};
  }
  static Decision fault(Verdict verdict, const std::string& why) {
    return {.verdict = verdict, .detail = fmt::format("{}: {}", name(verdict), why)};
  }

  /// Anything that the farm's own host did is no decision.
  static Decision found(const Judgement& judgement, const std::string& where) {
    if (row(judgement.verdict).authors)
      return refused(judgement.verdict, fmt::format("{} {}", name(judgement.verdict), where));
    return fault(judgement.verdict, where + ": " + judgement.failure);
  }

  std::optional<Decision> rebuild() const {
    if (!contest_.submission)
      return fault(Verdict::system_error, contest_.submission.error().message);
    ProcessLimits limits = compile_limits;
    limits.cancellation = workplace_.cancellation;
    const Built built = build(workplace_.toolchain, task(), *contest_.submission, limits);
    if (!row(built.verdict).authors) return fault(built.verdict, built.log);
    if (built.verdict != Verdict::accepted)
      return refused(Verdict::held,
                     fmt::format("a second build ended with {}", name(built.verdict)));
    if (sha256(built.elf) != contest_.candidate.evaluation.elf_digest)
      return refused(Verdict::held, "a second build gave another program");
    return std::nullopt;
  }

  Judgement simulate(const Contender& contender, const std::vector<Case>& cases,
                     EngineKind engine) const {
    JudgeOptions options;
    options.engine = engine;
    const Task judged = judged_as(task(), contender.evaluation.cases);
    Judgement judgement =
        workplace_.simulations.judge(judged, cases, contender.evaluation.elf, options);
    add_task_figures(judged, cases, judgement);
    return judgement;
  }

  /// Appends them, or says why not.
  std::optional<Decision> make_all(const std::vector<HeldOutCase>& wanted,
                                   std::vector<Case>& into) const {
    ProcessLimits limits = generator_limits;
    limits.cancellation = workplace_.cancellation;
    for (const HeldOutCase& each : wanted) {
      MadeCase made = make_case(task(), each, limits);
      if (!made.one)
        return fault(made.fault.verdict, "a case could not be made: " + made.fault.why);
      into.push_back(std::move(*made.one));
    }
    return std::nullopt;
  }

  /// The public and the held-out cases, on both engines; the public ones as they were judged, too.
  std::optional<Decision> compare_engines() const {
    const Evaluation& judged = contest_.candidate.evaluation;
    std::vector<Case> cases = contest_.task->cases;
    if (secret_ != nullptr)
      if (auto ended = make_all(
              held_out_cases(task(), *secret_, contest_.task->digest, judged.source_digest), cases))
        return ended;
    const Judgement fast = simulate(contest_.candidate, cases, EngineKind::fast);
    if (fast.verdict != Verdict::accepted && !row(fast.verdict).authors)
      return found(fast, "in the fast engine");
    const Judgement reference = simulate(contest_.candidate, cases, EngineKind::reference);
    if (reference.verdict != Verdict::accepted && !row(reference.verdict).authors)
      return found(reference, "in the reference engine");
    const std::string difference =
        judgement_difference(fast, "in the fast engine", reference, "in the reference engine");
    if (!difference.empty())
      return disagreement("the engines disagree", difference, fast, reference);
    if (fast.verdict != Verdict::accepted) return found(fast, "when it was run again");
    if (!contest_.same_simulator) return std::nullopt;
    const Judgement before{.cases = judged.cases};
    Judgement again = fast;
    again.cases.resize(std::min(again.cases.size(), judged.cases.size()));
    const std::string change =
        judgement_difference(before, "when it was judged", again, "when it was run again");
    if (change.empty()) return std::nullopt;
    return disagreement("the simulator does not repeat itself", change, before, reference);
  }

  Decision disagreement(const std::string& what, const std::string& difference,
                        const Judgement& fast, const Judgement& reference) const {
    const nlohmann::ordered_json description = {
        {"schema", "simfarm.disagreement"},
        {"version", 1},
        {"task", task().name},
        {"task_digest", contest_.task->digest},
        {"submission", contest_.candidate.id},
        {"source_digest", contest_.candidate.evaluation.source_digest},
        {"elf_digest", contest_.candidate.evaluation.elf_digest},
        {"difference", difference},
        {"fast", judgement_json(fast)},
        {"reference", judgement_json(reference)}};
    return {.decided = true,
            .verdict = Verdict::judge_error,
            .detail = fmt::format("{}, the simulator's fault: {}", what, difference),
            .description = description.dump(2) + "\n"};
  }

  /// Both on fresh cases, whose seeds depend on both.
  Decision duel() const {
    const Contender& candidate = contest_.candidate;
    const Contender& leader = *contest_.leader;
    std::vector<HeldOutCase> wanted;
    for (const std::string& variant : task().held_out)
      wanted.push_back({variant, secret_->seed({"promotion", contest_.task->digest,
                                                candidate.evaluation.source_digest,
                                                leader.evaluation.source_digest, variant})});
    std::vector<Case> fresh;
    if (auto ended = make_all(wanted, fresh)) return *ended;
    Judgement own = simulate(candidate, fresh, default_engine);
    // Not of what a rule held and a person approved: that would be held once more for ever.
    if (candidate.evaluation.verdict == Verdict::accepted) hold_below_floor(task(), fresh, own);
    if (own.verdict != Verdict::accepted) return found(own, "in a fresh case");
    const Judgement other = simulate(leader, fresh, default_engine);
    if (!row(other.verdict).authors)
      return fault(other.verdict, "of the leader in a fresh case: " + other.failure);
    const u64 owns = fresh_score(wanted, own), others = fresh_score(wanted, other);
    const std::string has = told(task(), owns) + " in fresh cases";
    if (other.verdict != Verdict::accepted) {
      Decision won = promoted(
          fmt::format("{}; {}, which led, is {} there", has, leader.id, name(other.verdict)));
      won.leaders_verdict = other.verdict;
      return won;
    }
    const std::string both = fmt::format("{}, {} {} {}", has, leader.id,
                                         task().score.kind == ScoreKind::cycles ? "takes" : "has",
                                         score_digits(task().score.kind, others));
    return better(task().score.kind, owns, others) ? promoted(both)
                                                   : refused(Verdict::accepted, both);
  }

  /// Of cases that bear the names of their variants, as weights may.
  u64 fresh_score(const std::vector<HeldOutCase>& wanted, const Judgement& judgement) const {
    std::vector<CaseScore> cases = judgement.cases;
    for (size_t k = 0; k < cases.size(); ++k) cases[k].name = wanted[k].variant;
    return score_of(task(), cases);
  }

  const Contest& contest_;
  const Workplace& workplace_;
  const Secret* secret_;
};

}  // namespace

std::string judgement_difference(const Judgement& a, std::string_view where_a, const Judgement& b,
                                 std::string_view where_b) {
  const auto differ = [&](auto x, auto y, std::string_view what) {
    return fmt::format("{}{} {}, {}{} {}", x, what, where_a, y, what, where_b);
  };
  if (a.verdict != b.verdict) return differ(name(a.verdict), name(b.verdict), "");
  if (a.failed_case != b.failed_case)
    return differ(name(a.verdict), name(b.verdict), " in another case");
  if (a.cases.size() != b.cases.size()) return differ(a.cases.size(), b.cases.size(), " cases");
  for (size_t k = 0; k < a.cases.size(); ++k) {
    const CaseScore &x = a.cases[k], &y = b.cases[k];
    const std::string at = fmt::format("case {}: ", x.name);
    if (x.cycles != y.cycles) return at + differ(x.cycles, y.cycles, " cycles");
    if (x.instructions != y.instructions)
      return at + differ(x.instructions, y.instructions, " instructions");
    if (x.dma_bytes != y.dma_bytes) return at + differ(x.dma_bytes, y.dma_bytes, " bytes moved");
    if (x.ocm_bytes != y.ocm_bytes) return at + differ(x.ocm_bytes, y.ocm_bytes, " bytes in OCM");
    if (x.dram_bytes != y.dram_bytes)
      return at + differ(x.dram_bytes, y.dram_bytes, " bytes in DRAM");
    if (x.error != y.error) return at + differ(x.error, y.error, " units of error");
    for (u32 bin = 0; bin < stall_count; ++bin)
      if (x.total.stalls[bin] != y.total.stalls[bin])
        return at + differ(x.total.stalls[bin], y.total.stalls[bin],
                           fmt::format(" cycles of {}", name(static_cast<Stall>(bin))));
    if (x.total != y.total) return at + "other instructions by class";
  }
  return {};
}

Decision decide(const Contest& contest, const Workplace& workplace) {
  return Referee(contest, workplace).run();
}

}  // namespace simfarm::farm
