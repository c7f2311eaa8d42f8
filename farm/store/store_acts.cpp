// What a person decides about submissions: hold, approve, cancel.
#include <fmt/format.h>

#include <array>

#include "farm/store/store.h"
#include "farm/text.h"

namespace simfarm::farm {
namespace {

constexpr std::array<std::string_view, static_cast<size_t>(Act::count) + 1> act_names = {
    "", "hold", "approve", "cancel", "promotion", "unknown"};
constexpr std::array<std::string_view, static_cast<size_t>(Act::count)> act_results = {
    "", "held", "approved", "cancelled", "promoted"};
constexpr size_t max_reason = 500;  // characters

/// What can be done to a submission in that state.
std::string_view choices(State state) {
  switch (state) {
    case State::queued:
    case State::running:
      return "it can be cancelled";
    case State::judged:
    case State::ranked:
      return "it can be held (simfarm hold), and cancelled then";
    case State::held:
      return "it can be approved or cancelled";
    default:
      return "nothing can be done about it; submit it again to have it judged";
  }
}

}  // namespace

Result<void> check_reason(const std::string& reason) {
  if (reason.empty()) return usage_error("a reason is needed: it goes into the log");
  if (const auto problem = text_problem(reason, false))
    return usage_error("the reason " + *problem);
  if (utf8_characters(reason) > max_reason)
    return usage_error(fmt::format("the reason has more than {} characters", max_reason));
  return {};
}

namespace {

/// Where an act leads; `verdict` is what the submission was judged, if it was.
State led_to(Act act, std::optional<Verdict> verdict) {
  if (act == Act::hold) return State::held;
  if (act == Act::cancel) return State::cancelled;
  // What a rule held is as good as accepted once a person has looked at it.
  return verdict == Verdict::accepted || verdict == Verdict::held ? State::ranked : State::judged;
}

}  // namespace

std::string_view name(Act act) { return act_names[static_cast<size_t>(act)]; }

std::optional<Act> parse_act(std::string_view text) {
  for (size_t k = 0; k < static_cast<size_t>(Act::count); ++k)
    if (act_names[k] == text) return static_cast<Act>(k);
  return std::nullopt;
}

Result<Acted> Store::act_on(i64 id, Act act, const std::string& reason) {
  const Result<std::optional<StoredSubmission>> found = submission(id);
  if (!found) return found.error();
  if (!*found) return usage_error(fmt::format("{}: no submission {}", folder_, id));
  const StoredSubmission& one = **found;
  std::optional<Verdict> verdict;
  if (!one.evaluation.empty()) {
    const Result<Evaluation> evaluation = this->evaluation(one.evaluation);
    if (!evaluation) return evaluation.error();
    verdict = evaluation->verdict;
  }
  const State after = led_to(act, verdict);
  if (!may_follow(one.state, after, act))
    return usage_error(fmt::format("submission {} is {} and cannot be {}; {}", id, name(one.state),
                                   act_results[static_cast<size_t>(act)], choices(one.state)));
  // Whoever runs it comes too late then.
  if (const auto ended =
          database_.run("UPDATE jobs SET token = NULL, evaluation = NULL, lease_end = NULL "
                        "WHERE submission = ?",
                        {id});
      !ended)
    return ended.error();
  const Result<i64> attempt =
      database_.integer("SELECT attempt FROM jobs WHERE submission = ?", {id});
  if (!attempt) return attempt.error();
  if (const auto logged = log(id, after, *attempt, reason, one.evaluation, act); !logged)
    return logged.error();
  return Acted{id, one.state, after};
}

Result<std::vector<Acted>> Store::act(const std::vector<i64>& ids, Act act,
                                      const std::string& reason) {
  if (!reason.empty() || act != Act::cancel)
    if (const auto good = check_reason(reason); !good) return good.error();
  Result<Transaction> transaction = Transaction::begin(database_);
  if (!transaction) return transaction.error();
  std::vector<Acted> done;
  for (const i64 id : ids) {
    const Result<Acted> one = act_on(id, act, reason);
    if (!one) return one.error();
    done.push_back(*one);
  }
  if (const auto committed = transaction->commit(); !committed) return committed.error();
  return done;
}

}  // namespace simfarm::farm
