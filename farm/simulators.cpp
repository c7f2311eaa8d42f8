#include "farm/simulators.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>

#include "farm/simulator_process.h"
#include "profile/source.h"

namespace simfarm::farm {
namespace {

/// What kept a simulation from having a record.
struct SimulatorFault {
  Verdict verdict;
  std::string how;
};

std::string signal_words(int signal) {
  const char* const abbreviation = ::sigabbrev_np(signal);
  return fmt::format("signal {} (SIG{})", signal, abbreviation == nullptr ? "?" : abbreviation);
}

/// Whether the host ended it, or it broke.
SimulatorFault classify_end(const SimulationEnd& end, const SimulatorLimits& limits) {
  switch (end.how) {
    case SimulationEnd::How::silent:
      return {Verdict::host_limit, fmt::format("ended: no result after {} s", limits.wall_seconds)};
    case SimulationEnd::How::cancelled:
      return {Verdict::cancelled, "ended: interrupted"};
    case SimulationEnd::How::flooded:
      return {Verdict::system_error, "ended: its record was too long"};
    case SimulationEnd::How::lost:
    case SimulationEnd::How::not_begun:
      return {Verdict::system_error, "lost: the simulator ended, or does not speak as one"};
    case SimulationEnd::How::signalled:
      // Nobody here sends these two: the kernel, for memory or processor time.
      if (end.code == SIGKILL || end.code == SIGXCPU)
        return {Verdict::host_limit, "ended by the host with " + signal_words(end.code)};
      return {Verdict::system_error, "ended by " + signal_words(end.code)};
    case SimulationEnd::How::exited:
      break;
  }
  if (end.code == simulator_exit::no_memory)
    return {Verdict::host_limit,
            fmt::format("ended: it needs more than {} MiB", limits.address_bytes >> 20)};
  return {Verdict::system_error, fmt::format("ended with exit status {}", end.code)};
}

Judgement without_result(Verdict verdict, const std::string& failure) {
  Judgement judgement;
  judgement.verdict = verdict;
  judgement.failure = failure;
  return judgement;
}

}  // namespace

Simulators::Simulators(SimulatorOptions options, u32 ahead)
    : options_(std::move(options)), crashes_(options_.crashes), ahead_(ahead) {}

void Simulators::prepare() {
  const std::lock_guard lock(mutex_);
  for (; ahead_ > 0; --ahead_)
    if (auto worker = SimulatorProcess::start(options_)) idle_.push_back(std::move(*worker));
}

Simulators::~Simulators() = default;

std::unique_ptr<SimulatorProcess> Simulators::take() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return nullptr;
  std::unique_ptr<SimulatorProcess> worker = std::move(idle_.back());
  idle_.pop_back();
  return worker;
}

void Simulators::give_back(std::unique_ptr<SimulatorProcess> worker) {
  if (!worker->usable()) return;
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(worker));
}

Judgement Simulators::judge(const Task& task, const std::vector<Case>& cases,
                            std::span<const u8> elf, const JudgeOptions& options) {
  return judge_request(pack_request(task, cases, elf, options), task, cases);
}

Judgement Simulators::judge_request(std::span<const u8> request, const Task& task,
                                    const std::vector<Case>& cases) {
  SimulationEnd end;
  end.how = SimulationEnd::How::not_begun;
  // One that ended while it was idle has said nothing about this program: then a fresh one.
  if (auto worker = take()) {
    end = worker->run(request, max_record_bytes(cases.size()));
    give_back(std::move(worker));
  }
  if (end.how == SimulationEnd::How::not_begun) {
    auto worker = SimulatorProcess::start(options_);
    if (!worker)
      return without_result(Verdict::system_error,
                            "no simulator: " + worker.error().message + "\n");
    end = (*worker)->run(request, max_record_bytes(cases.size()));
    give_back(std::move(*worker));
  }

  SimulatorFault fault = classify_end(end, options_.limits);
  if (end.how == SimulationEnd::How::exited && end.code == 0) {
    Result<Judgement> judgement = parse_record(end.record, task, cases);
    if (judgement) return std::move(*judgement);
    fault.how = "ended well, but " + judgement.error().message;
  }
  if (fault.verdict == Verdict::cancelled) return without_result(fault.verdict, fault.how + "\n");
  const CrashReport report{options_.version ? options_.version() : "", fault.how,
                           profile::printable(end.log)};
  std::string text = fmt::format("the simulation's process was {}\n{}", report.how, report.log);
  if (text.back() != '\n') text += '\n';
  const Result<std::string> saved = crashes_.save(request, report);
  text += saved ? fmt::format("to have it again: simfarm rerun {}\n", *saved)
                : fmt::format("no reproducer was saved: {}\n", saved.error().message);
  return without_result(fault.verdict, text);
}

}  // namespace simfarm::farm
