// Who leads a task's board: decided one after the other, in the order of submitting.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "farm/store/ranked.h"
#include "farm/store/store.h"

namespace simfarm::farm {
namespace {

constexpr std::string_view promotion_columns =
    "SELECT submission, evaluation, coalesce(leader, 0), coalesce(leader_evaluation, ''), "
    "promoted, verdict, leaders_verdict, detail, description FROM promotions ";

Promotion read_promotion(const Query& query) {
  return {query.integer(0),
          query.text(1),
          query.integer(2),
          query.text(3),
          query.integer(4) != 0,
          parse_verdict(query.text(5)).value_or(Verdict::judge_error),
          parse_verdict(query.text(6)).value_or(Verdict::judge_error),
          query.text(7),
          query.text(8)};
}

Result<std::vector<Promotion>> read_promotions(const Database& database,
                                               const std::string& condition,
                                               const std::vector<Value>& values) {
  std::vector<Promotion> all;
  Query query(database, std::string(promotion_columns) + condition, values);
  while (query.next()) all.push_back(read_promotion(query));
  if (const auto read = query.end(); !read) return read.error();
  return all;
}

/// Whether its turn came: it has a better score than whoever leads.
bool would_lead(const LeadTrail& trail, const Entrant& entrant) {
  return trail.leader == 0 || entrant.key < trail.key;
}

/// A starting kernel leads until somebody is promoted.
bool leads_at_once(const LeadTrail& trail, const Entrant& entrant) {
  return trail.leader == 0 && entrant.kernel;
}

void take_lead(LeadTrail& trail, const Entrant& entrant) {
  trail.leader = entrant.submission;
  trail.evaluation = entrant.evaluation;
  trail.key = entrant.key;
}

/// Grows whenever a person does anything that may change who is ranked, or with which result.
Result<i64> count_acts(Database& database) {
  return database.integer(
      "SELECT coalesce((SELECT max(id) FROM events INDEXED BY acts WHERE act IN ('hold', "
      "'approve', 'cancel')), 0) + coalesce((SELECT max(id) FROM rejudge_log), 0)");
}

}  // namespace

Result<std::vector<Promotion>> Store::promotions(i64 task) {
  return read_promotions(database_, "WHERE task = ? ORDER BY id", {task});
}

Result<Turn> Store::next_turn(i64 task, LeadTrail& trail, u32 timing) {
  const Result<i64> acts = count_acts(database_);
  if (!acts) return acts.error();
  if (trail.acts != *acts) trail = {0, "", 0, 0, *acts};
  const Result<std::shared_ptr<const Task>> rules = rules_of(task);
  if (!rules) return rules.error();
  Turn turn{task};
  Entrants entrants(database_, task, trail.looked_up_to, timing, *rules);
  while (const auto entrant = entrants.next()) {
    if (entrant->pending) return turn;
    if (entrant->ranked && leads_at_once(trail, *entrant)) {
      take_lead(trail, *entrant);
    } else if (entrant->ranked && would_lead(trail, *entrant)) {
      // Those of the same two results; its own first.
      const Result<std::vector<Promotion>> decided = read_promotions(
          database_,
          "WHERE evaluation = ? AND coalesce(leader_evaluation, '') = ? ORDER BY "
          "submission <> ? OR coalesce(leader, 0) <> ?, id LIMIT 1",
          {entrant->evaluation, trail.evaluation, entrant->submission, trail.leader});
      if (!decided) return decided.error();
      const Promotion* const known = decided->empty() ? nullptr : &decided->front();
      const bool own = known != nullptr && known->submission == entrant->submission &&
                       known->leader == trail.leader;
      if (!own) {
        turn.candidate = entrant->submission;
        turn.evaluation = entrant->evaluation;
        turn.leader = trail.leader;
        turn.leader_evaluation = trail.evaluation;
        if (known != nullptr) turn.known = *known;
        return turn;
      }
      if (known->promoted) take_lead(trail, *entrant);
    }
    trail.looked_up_to = entrant->submission;
  }
  if (const auto read = entrants.end(); !read) return read.error();
  return turn;
}

Result<Contest> Store::contest(const Turn& turn, const JudgingHost& host) {
  Contest contest;
  const auto contender = [&](i64 id, const std::string& key) -> Result<Contender> {
    const Result<std::optional<StoredSubmission>> one = submission(id);
    if (!one) return one.error();
    Result<Evaluation> evaluation = this->evaluation(key);
    if (!evaluation) return evaluation.error();
    return Contender{*one ? (*one)->name : fmt::format("{}", id), std::move(*evaluation)};
  };
  Result<Contender> candidate = contender(turn.candidate, turn.evaluation);
  if (!candidate) return candidate.error();
  contest.candidate = std::move(*candidate);
  if (turn.leader != 0) {
    Result<Contender> leader = contender(turn.leader, turn.leader_evaluation);
    if (!leader) return leader.error();
    contest.leader = std::move(*leader);
  }
  Query query(database_, "SELECT toolchain, simulator FROM evaluations WHERE key = ?",
              {turn.evaluation});
  if (query.next()) {
    contest.same_toolchain = query.text(0) == host.toolchain;
    contest.same_simulator = query.text(1) == host.simulator;
  }
  if (const auto read = query.end(); !read) return read.error();
  return contest;
}

Result<bool> Store::decide(const Turn& turn, const Decision& decision) {
  const Result<Exchanged> one = exchange({{}, {}, 0, {{turn, decision}}}, {}, {});
  if (!one) return one.error();
  return one->decided.front();
}

Result<bool> Store::write_decision(const Turn& turn, const Decision& decision,
                                   const std::string& description) {
  const auto is_ranked = [&](i64 id, const std::string& key) -> Result<bool> {
    const Result<std::optional<StoredSubmission>> one = submission(id);
    if (!one) return one.error();
    return *one && (*one)->state == State::ranked && (*one)->evaluation == key;
  };
  // A person may have held one of the two meanwhile, or applied a set.
  const Result<bool> candidate = is_ranked(turn.candidate, turn.evaluation);
  if (!candidate) return candidate.error();
  const Result<bool> leader =
      turn.leader == 0 ? true : is_ranked(turn.leader, turn.leader_evaluation);
  if (!leader) return leader.error();
  const Result<i64> before = database_.integer(
      "SELECT count(*) FROM promotions WHERE evaluation = ? AND coalesce(leader_evaluation, '') = "
      "? AND submission = ? AND coalesce(leader, 0) = ?",
      {turn.evaluation, turn.leader_evaluation, turn.candidate, turn.leader});
  if (!before) return before.error();
  if (!*candidate || !*leader || *before != 0) return false;
  const bool led = turn.leader != 0;
  if (!description.empty()) {
    // One that is known from another decision may have been dropped, and stays so.
    const Result<std::optional<Dropped>> gone = dropped(description);
    if (!gone) return gone.error();
    if (!*gone || blobs_.exists(description))
      if (const auto there = about_to_name(description); !there) return there.error();
  }
  if (const auto kept = database_.run(
          "INSERT INTO promotions(time, task, submission, evaluation, leader, leader_evaluation, "
          "promoted, verdict, leaders_verdict, detail, description) "
          "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
          {now(), turn.task, turn.candidate, turn.evaluation, led ? Value(turn.leader) : Value(),
           led ? Value(turn.leader_evaluation) : Value(), i64{decision.promoted},
           std::string(name(decision.verdict)), std::string(name(decision.leaders_verdict)),
           decision.detail, description});
      !kept)
    return kept.error();
  const bool stays = decision.verdict == Verdict::accepted;
  const std::string said =
      fmt::format("{}: {}{}", decision.promoted ? "promoted" : "not promoted", decision.detail,
                  description.empty() ? "" : "; what both say is blob " + description);
  if (const auto logged = log(turn.candidate, stays ? State::ranked : State::held, 0, said,
                              turn.evaluation, Act::promotion);
      !logged)
    return logged.error();
  if (decision.leaders_verdict == Verdict::accepted) return true;
  if (const auto logged = log(turn.leader, State::held, 0,
                              fmt::format("{} in a fresh case", name(decision.leaders_verdict)),
                              turn.leader_evaluation, Act::promotion);
      !logged)
    return logged.error();
  return true;
}

Result<std::map<i64, Standing>> Store::standings(i64 task, u32 timing) {
  Result<std::vector<Promotion>> all = promotions(task);
  if (!all) return all.error();
  std::map<std::tuple<i64, std::string, i64, std::string>, const Promotion*> decisions;
  for (const Promotion& each : *all)
    decisions.emplace(
        std::tuple(each.submission, each.evaluation, each.leader, each.leader_evaluation), &each);
  std::map<i64, Standing> standings;
  const Result<std::shared_ptr<const Task>> rules = rules_of(task);
  if (!rules) return rules.error();
  LeadTrail trail;
  Entrants entrants(database_, task, 0, timing, *rules);
  while (const auto entrant = entrants.next()) {
    if (!entrant->ranked) continue;
    Standing& standing = standings[entrant->submission];
    if (leads_at_once(trail, *entrant)) {
      take_lead(trail, *entrant);
      continue;
    }
    if (!would_lead(trail, *entrant)) continue;
    const auto decision =
        decisions.find({entrant->submission, entrant->evaluation, trail.leader, trail.evaluation});
    standing.undecided = decision == decisions.end();
    if (!standing.undecided) {
      standing.promoted = decision->second->promoted;
      standing.why = decision->second->detail;
    }
    if (standing.promoted == true)
      take_lead(trail, *entrant);
    else if (trail.leader != 0)
      standing.behind = static_cast<u64>(trail.leader);
  }
  if (const auto read = entrants.end(); !read) return read.error();
  if (trail.leader != 0) standings[trail.leader].leads = true;
  return standings;
}

Result<i64> Store::leader(i64 task, u32 timing) {
  const Result<std::map<i64, Standing>> all = standings(task, timing);
  if (!all) return all.error();
  const auto leads =
      std::find_if(all->begin(), all->end(), [](const auto& each) { return each.second.leads; });
  return leads == all->end() ? i64{0} : leads->first;
}

}  // namespace simfarm::farm
