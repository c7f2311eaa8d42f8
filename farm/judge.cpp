#include "farm/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "farm/compare.h"
#include "farm/floor.h"
#include "farm/lint.h"
#include "farm/logits.h"
#include "profile/report.h"

namespace simfarm::farm {
namespace {

/// A finding that is not "accepted".
struct Finding {
  Verdict verdict;
  std::string text;
};

struct Run {
  Outcome outcome;
  Memory memory;
};

/// A deadlock on a thousand PEs names them all; the first lines tell the story.
std::string first_lines(const std::string& text, size_t lines) {
  size_t at = 0;
  for (size_t k = 0; k < lines; ++k) {
    at = text.find('\n', at);
    if (at == std::string::npos || ++at == text.size()) return text;
  }
  const auto rest = std::count(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), '\n');
  return fmt::format("{}({} more lines)\n", text.substr(0, at), rest);
}

std::string cut(std::string text) {
  if (text.size() <= max_failure_bytes) return text;
  constexpr size_t room = 64;
  const size_t kept = max_failure_bytes - room;
  const std::string rest = fmt::format("\n({} more bytes)\n", text.size() - kept);
  return text.substr(0, kept) + rest;
}

/// Judges one case; the story is in examine().
class CaseJudge {
 public:
  CaseJudge(const Task& task, const Case& one, const Program& program, const JudgeOptions& options)
      : task_(task), case_(one), program_(program), options_(options) {}

  std::optional<Finding> examine() {
    if (auto failed = run(options_.poison[0], first_)) return failed;
    if (auto abnormal = check_end(first_.outcome)) return abnormal;
    if (auto broken = broken_identity(task_.machine, first_.outcome))
      return Finding{Verdict::judge_error, std::move(*broken)};
    // Also when the first run's outputs are wrong: "and differently wrong each time" is the more
    // helpful answer, and the graver verdict.
    if (auto failed = run(options_.poison[1], second_)) return failed;
    std::optional<Finding> told = check_agreement();
    for (const auto& [poison, each] :
         {std::pair(options_.poison[0], &first_), std::pair(options_.poison[1], &second_)})
      if (auto wrong = find_difference(case_, each->memory, poison))
        if (!told || graver(told->verdict, Verdict::wrong_output) != told->verdict)
          told = Finding{Verdict::wrong_output, std::move(*wrong)};
    return told;
  }

  CaseScore score(u64 local_bytes) const {
    const Outcome& outcome = first_.outcome;
    CaseScore score{case_.name,
                    outcome.cycles,
                    boot_cycles(local_bytes, case_.arguments.size()),
                    outcome.instructions(),
                    case_.units,
                    profile::total(outcome),
                    0};
    for (const DmaReport& dma : outcome.dma) {
      score.dma_bytes += dma.bytes_read + dma.bytes_written;
      score.ocm_bytes += dma.ocm_bytes;
      score.dram_bytes += dma.dram_bytes;
    }
    if (case_.reference) {
      const u32 tensor = case_.reference->rule.tensor;
      score.outputs = case_.reference->values.size();
      score.error = logit_errors(*case_.reference, case_.layout.tensors[tensor],
                                 tensor_bytes(case_.layout, first_.memory, tensor))
                        .sum;
    }
    return score;
  }

 private:
  std::optional<Finding> run(u64 poison, Run& result) const {
    RunInput input{task_.machine, program_, initial_memory(case_.layout, case_.before, poison),
                   case_.arguments, poison};
    RunOptions options;
    options.cycle_limit = task_.limits.cycles;
    options.check_races = true;
    options.console_limit = task_.limits.console_bytes;
    auto simulation = make_simulation(options_.engine, std::move(input), options);
    // The task's part fits, or the case would not have been bound: it is the image that does not.
    if (!simulation) return Finding{Verdict::rejected, simulation.error().message + "\n"};
    result.outcome = (*simulation)->run();
    result.memory = read_arenas(case_.layout, **simulation);
    return std::nullopt;
  }

  std::optional<Finding> check_end(const Outcome& outcome) const {
    const auto finding = [&](Verdict verdict) {
      return Finding{verdict, first_lines(profile::summary(task_.machine, program_, outcome), 40)};
    };
    switch (outcome.kind) {
      case Outcome::Kind::finished:
        break;
      case Outcome::Kind::trap:
        return finding(outcome.trap->kind == TrapKind::output_limit ? Verdict::output_limit
                                                                    : Verdict::runtime_trap);
      case Outcome::Kind::deadlock:
        return finding(Verdict::deadlock);
      case Outcome::Kind::cycle_limit:
        return finding(Verdict::cycle_limit);
    }
    for (const PeReport& pe : outcome.pes)
      if (pe.exit_code.value_or(0) != 0) return finding(Verdict::runtime_trap);
    return std::nullopt;
  }

  /// Whether the two runs are one: how they ended, every PE's and engine's cycles, every output.
  std::optional<Finding> check_agreement() const {
    const Outcome& a = first_.outcome;
    const Outcome& b = second_.outcome;
    const auto differ = [](std::string text) {
      return Finding{Verdict::nondeterministic, std::move(text)};
    };
    constexpr std::string_view second =
        "in a second run that differs in uninitialised memory and registers alone";
    if (const auto abnormal = check_end(b))
      return differ(fmt::format("finished in one run, {} {}:\n{}", name(abnormal->verdict), second,
                                abnormal->text));
    if (auto output = find_disagreement(case_, first_.memory, options_.poison[0], second_.memory,
                                        options_.poison[1]))
      return differ(std::move(*output));
    if (a.cycles != b.cycles)
      return differ(fmt::format("{} cycles in one run, {} {}\n", a.cycles, b.cycles, second));
    for (PeId pe = 0; pe < a.pes.size(); ++pe)
      if (a.pes[pe].total != b.pes[pe].total || a.dma[pe].cycles != b.dma[pe].cycles)
        return differ(fmt::format("PE {} spends its cycles otherwise {}\n", pe, second));
    return std::nullopt;
  }

  const Task& task_;
  const Case& case_;
  const Program& program_;
  const JudgeOptions& options_;
  Run first_;
  Run second_;
};

}  // namespace

Judgement judge(const Task& task, const std::vector<Case>& cases,
                std::shared_ptr<const Image> image, u64 local_bytes, const JudgeOptions& options) {
  const Program program{{std::move(image)}, {}};
  Judgement judgement;
  judgement.local_bytes = local_bytes;
  for (const Case& one : cases) {
    CaseJudge judge(task, one, program, options);
    if (auto finding = judge.examine()) {
      judgement.verdict = finding->verdict;
      judgement.failed_case = one.name;
      judgement.failure = cut(std::move(finding->text));
      return judgement;
    }
    judgement.cases.push_back(judge.score(local_bytes));
  }
  return judgement;
}

Judgement judge_program(const Task& task, const std::vector<Case>& cases, std::vector<u8> elf,
                        const JudgeOptions& options) {
  Judgement refused;
  Result<Image> image = parse_elf(std::move(elf), "kernel.elf");
  if (!image) {
    refused.verdict = Verdict::rejected;
    refused.failure = cut(image.error().message);
    return refused;
  }
  Linted linted = lint(*image, task);
  if (linted.verdict == Verdict::accepted)
    return judge(task, cases, std::make_shared<const Image>(std::move(*image)), linted.local_bytes,
                 options);
  refused.verdict = linted.verdict;
  refused.failure = cut(std::move(linted.why));
  refused.local_bytes = linted.local_bytes;
  return refused;
}

}  // namespace simfarm::farm
