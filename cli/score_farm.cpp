#include "cli/score_farm.h"

#include <fmt/format.h>

#include "base/parallel.h"
#include "cli/events.h"
#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "cli/interrupts.h"
#include "cli/progress.h"
#include "farm/board.h"
#include "farm/store/coordinator.h"
#include "farm/store/stored_builds.h"
#include "farm/store/view.h"
#include "farm/text.h"

namespace simfarm::cli {
namespace {

/// News of the coordinator as a progress line.
class FarmProgress {
 public:
  /// What the farm knows of its tasks before anything runs.
  FarmProgress(farm::Store& store, u32 threads) : progress_(threads) {
    const auto tasks = store.tasks();
    if (!tasks) return;
    progress_.tell([&](farm::Pace& pace, i64) {
      for (const farm::StoredTask& each : *tasks) {
        const auto typical = store.typical_milliseconds(each.id);
        if (typical && *typical >= 0) pace.learn(each.name, *typical);
        const auto counts = store.counts(each.id);
        if (counts) pace.wait(each.name, counts->at(static_cast<size_t>(farm::State::queued)));
      }
    });
  }

  void tell(const farm::CoordinatorNews& news) {
    using What = farm::CoordinatorNews::What;
    const bool beside = news.what == What::deciding || news.what == What::decided;
    const std::string label =
        fmt::format("{}{} {}", beside ? "deciding " : "", news.task, news.submission);
    progress_.tell([&](farm::Pace& pace, i64 now) {
      switch (news.what) {
        case What::started:
        case What::deciding:
          pace.begin(label, news.task, now, beside);
          break;
        case What::settled:
        case What::decided:
          pace.end(label, now, beside || news.settled == farm::Settled::judged);
          break;
        case What::answered:
          pace.answer(true);
          break;
      }
      pace.wait_in_all(news.queued);
    });
  }
  void end() { progress_.end(); }

 private:
  Progress progress_;
};

/// A decision about who leads, begun or made.
nlohmann::ordered_json promotion_event(const farm::CoordinatorNews& news) {
  const bool begun = news.what == farm::CoordinatorNews::What::deciding;
  nlohmann::ordered_json event = {{"event", begun ? "deciding" : "decided"},
                                  {"task", news.task},
                                  {"submission", fmt::format("{}", news.submission)}};
  if (begun) return event;
  const farm::Decision& decision = news.decision;
  event["promoted"] =
      decision.decided ? nlohmann::ordered_json(decision.promoted) : nlohmann::ordered_json();
  event["verdict"] = name(decision.verdict);
  event["why"] = farm::visible_text(decision.detail);
  return event;
}

/// One transition, as the farm has it now.
nlohmann::ordered_json farm_event(farm::Store& store, const farm::CoordinatorNews& news) {
  using What = farm::CoordinatorNews::What;
  if (news.what == What::deciding || news.what == What::decided) return promotion_event(news);
  const auto one = store.submission(news.submission);
  const bool known = one && *one;
  nlohmann::ordered_json event = {
      {"event", news.what == What::started ? "running" : "settled"},
      {"task", known ? nlohmann::ordered_json((*one)->task) : nlohmann::ordered_json()},
      {"submission", fmt::format("{}", news.submission)}};
  if (news.rejudge != 0) event["set"] = news.rejudge;
  if (news.what == What::started) return event;
  event["state"] = known ? nlohmann::ordered_json(name((*one)->state)) : nlohmann::ordered_json();
  event["verdict"] = nullptr;
  event["cycles"] = nullptr;
  event["score"] = nullptr;
  event["answered"] = news.what == What::answered;
  if (news.rejudge != 0) {  // what counts for it does not change
    event["verdict"] = news.settled == farm::Settled::judged
                           ? nlohmann::ordered_json(name(news.verdict))
                           : nlohmann::ordered_json();
    return event;
  }
  if (!known || (*one)->evaluation.empty()) return event;
  const Result<std::optional<farm::Scored>> scored = store.scored(news.submission);
  if (!scored || !*scored) return event;
  const farm::Evaluation& evaluation = (*scored)->evaluation;
  event["verdict"] = name(evaluation.verdict);
  if (!evaluation.accepted()) return event;
  event["cycles"] = evaluation.cycles();
  event["score"] = farm::score_digits_of(**scored);
  return event;
}

nlohmann::ordered_json summary_json(const farm::CoordinatorSummary& summary) {
  return {{"judged", summary.judged},
          {"answered", summary.answered},
          {"retried", summary.retried},
          {"system_errors", summary.gave_up},
          {"stale", summary.stale},
          {"taken_back", summary.taken_back},
          {"promoted", summary.promoted},
          {"not_promoted", summary.not_promoted},
          {"disagreements", summary.disagreements},
          {"undecided", summary.undecided}};
}

std::string summary_text(const farm::CoordinatorSummary& summary) {
  std::string text =
      fmt::format("judged {}, answered from the store {}\n", summary.judged, summary.answered);
  if (summary.promoted + summary.not_promoted != 0)
    text += fmt::format("would have led: {} promoted, {} not (simfarm show says why)\n",
                        summary.promoted, summary.not_promoted);
  if (summary.undecided != 0)
    text += fmt::format("tasks whose next leader could not be decided {}; score again: {}\n",
                        summary.undecided, farm::visible_text(summary.undecided_why, true));
  if (summary.disagreements != 0)
    text += fmt::format("decisions for which two engines disagree, the simulator's fault {}\n",
                        summary.disagreements);
  if (summary.taken_back != 0)
    text += fmt::format("taken back from a coordinator that ended {}\n", summary.taken_back);
  if (summary.retried + summary.gave_up != 0)
    text += fmt::format("faults of the farm: {} repeated, {} given up (simfarm show says why)\n",
                        summary.retried, summary.gave_up);
  if (summary.stale != 0)
    text += fmt::format("thrown away, being cancelled meanwhile {}\n", summary.stale);
  return text;
}

}  // namespace

int score_farm(const ScoreFarmRequest& request) {
  const std::string& folder = request.farm;
  const Result<farm::Toolchain> tools = build_toolchain({folder}, request.trust);
  if (!tools) return report(tools.error());
  Result<farm::Store> store = farm::Store::open(folder);
  if (!store) return report(store.error());
  Result<farm::JudgingHost> host = judging_host(*tools);
  if (!host) return report(host.error());
  const Result<std::optional<farm::Secret>> secret = store->secret();
  if (!secret) return report(secret.error());
  if (*secret) host->secret = (*secret)->id();
  Result<EventLog> events = EventLog::open(request.events);
  if (!events) return report(events.error());
  events->write({{"event", "begin"},
                 {"schema", "simfarm.event"},
                 {"version", 1},
                 {"farm", folder},
                 {"submissions", nullptr}});
  const auto cancellation = catch_interrupts();
  const u32 threads = request.jobs == 0 ? host_threads() : request.jobs;
  farm::Simulators simulations(
      simulator_options(request.crashes.empty() ? folder + "/crashes" : request.crashes,
                        cancellation),
      threads);
  farm::StoredBuilds builds(folder, *host);
  FarmProgress progress(*store, threads);
  const farm::Workplace workplace{*tools, simulations, *secret ? &**secret : nullptr, &builds,
                                  cancellation.get()};
  const Result<farm::CoordinatorSummary> summary =
      farm::coordinate(*store, farm::official_judge(workplace),
                       {threads, *host, request.stop,
                        [&](const farm::CoordinatorNews& news) {
                          progress.tell(news);
                          if (!request.events.empty()) events->write(farm_event(*store, news));
                        },
                        farm::official_referee(workplace)});
  progress.end();
  if (!summary) return report(summary.error());
  Result<nlohmann::ordered_json> status = farm::status_document(*store);
  if (!status) return report(status.error());
  (*status)["coordinator"] = nullptr;  // this one, and it is done
  (*status)["run"] = summary_json(*summary);
  events->write({{"event", "end"}, {"interrupted", request.stop()}});
  const std::string text =
      request.json ? status->dump(2) + "\n" : summary_text(*summary) + farm::status_text(*status);
  if (events->on_standard_output())
    std::fputs(text.c_str(), stderr);
  else if (const int code = print(text); code != exit_done)
    return code;
  if (const auto told = events->end(); !told) return report(told.error());
  if (request.stop()) {
    std::fprintf(stderr,
                 "simfarm: interrupted; %lld are still queued. To go on:\n"
                 "  simfarm score --farm %s\n",
                 static_cast<long long>(summary->queued), folder.c_str());
    return exit_interrupted;
  }
  const i64 failed = summary->gave_up + summary->undecided + summary->disagreements;
  return failed == 0 ? exit_done : exit_incomplete;
}

}  // namespace simfarm::cli
