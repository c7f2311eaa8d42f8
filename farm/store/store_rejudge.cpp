// Sets of submissions that are judged again: begun, judged like others, applied or cancelled.
#include <fmt/format.h>

#include <array>

#include "farm/store/store.h"
#include "farm/text.h"

namespace simfarm::farm {
namespace {

constexpr std::array<std::string_view, static_cast<size_t>(SetState::count)> set_state_names = {
    "begun", "applied", "cancelled"};

std::optional<SetState> parse_set_state(std::string_view text) {
  for (size_t k = 0; k < set_state_names.size(); ++k)
    if (set_state_names[k] == text) return static_cast<SetState>(k);
  return std::nullopt;
}

Result<std::vector<RejudgeSet>> read_sets(const Database& database, const std::string& condition,
                                          const std::vector<Value>& values) {
  std::vector<RejudgeSet> sets;
  Query query(
      database,
      "SELECT r.id, t.name, r.selection, r.reason, (SELECT l.state FROM rejudge_log l WHERE "
      "l.rejudge = r.id ORDER BY l.id DESC LIMIT 1) FROM rejudges r JOIN tasks t ON "
      "t.id = r.task " +
          condition + " ORDER BY r.id",
      values);
  while (query.next())
    sets.push_back({query.integer(0), query.text(1), query.text(2), query.text(3),
                    parse_set_state(query.text(4)).value_or(SetState::cancelled)});
  if (const auto read = query.end(); !read) return read.error();
  return sets;
}

/// The open set that the submission is in; 0: none.
Result<i64> open_set_of(Database& database, i64 submission) {
  return database.integer(
      "SELECT m.rejudge FROM rejudge_members m WHERE m.submission = ? AND (SELECT l.state FROM "
      "rejudge_log l WHERE l.rejudge = m.rejudge ORDER BY l.id DESC LIMIT 1) = 'begun'",
      {submission});
}

}  // namespace

std::string_view name(SetState state) { return set_state_names[static_cast<size_t>(state)]; }

Result<void> Store::log_set(i64 set, SetState state, const std::string& reason) {
  return database_.run("INSERT INTO rejudge_log(time, rejudge, state, detail) VALUES(?, ?, ?, ?)",
                       {now(), set, std::string(name(state)), reason});
}

Result<void> Store::add_member(i64 set, const StoredTask& task, i64 id) {
  const Result<std::optional<StoredSubmission>> found = submission(id);
  if (!found) return found.error();
  if (!*found || (*found)->task != task.name)
    return usage_error(fmt::format("task {} has no submission {}", task.name, id));
  const State state = (*found)->state;
  if (state != State::judged && state != State::ranked && state != State::held)
    return usage_error(
        fmt::format("submission {} is {}: judged again can only be what was judged, ranked or held",
                    id, name(state)));
  const Result<i64> open = open_set_of(database_, id);
  if (!open) return open.error();
  if (*open != 0)
    return usage_error(fmt::format(
        "submission {} is in set {} already; apply or cancel that first (simfarm rejudge)", id,
        *open));
  return database_.run("INSERT INTO rejudge_members(rejudge, submission, before) VALUES(?, ?, ?)",
                       {set, id, (*found)->evaluation});
}

Result<i64> Store::begin_rejudge(const StoredTask& task, const std::vector<i64>& submissions,
                                 const std::string& selection, const std::string& reason) {
  if (submissions.empty()) return usage_error("no submission is selected");
  if (const auto good = check_reason(reason); !good) return good.error();
  Result<Transaction> transaction = Transaction::begin(database_);
  if (!transaction) return transaction.error();
  if (const auto added =
          database_.run("INSERT INTO rejudges(task, selection, reason) VALUES(?, ?, ?)",
                        {task.id, visible_text(selection), reason});
      !added)
    return added.error();
  const i64 set = database_.inserted();
  for (const i64 id : submissions)
    if (const auto added = add_member(set, task, id); !added) return added.error();
  if (const auto logged = log_set(set, SetState::begun, reason); !logged) return logged.error();
  if (const auto done = transaction->commit(); !done) return done.error();
  return set;
}

Result<std::vector<RejudgeSet>> Store::rejudges() { return read_sets(database_, "", {}); }

Result<RejudgeSet> Store::rejudge(i64 id) {
  Result<std::vector<RejudgeSet>> found = read_sets(database_, "WHERE r.id = ?", {id});
  if (!found) return found.error();
  if (found->empty()) return usage_error(fmt::format("{}: no set {}", folder_, id));
  return std::move(found->front());
}

Result<std::vector<RejudgeMember>> Store::rejudge_members(i64 set) {
  std::vector<RejudgeMember> members;
  Query query(database_,
              "SELECT submission, before, result, faults FROM rejudge_members WHERE rejudge = ? "
              "ORDER BY submission",
              {set});
  while (query.next())
    members.push_back({query.integer(0), query.text(1), query.text(2),
                       query.is_null(2) && query.integer(3) > max_retries});
  if (const auto read = query.end(); !read) return read.error();
  return members;
}

Result<void> Store::set_states(i64 set) {
  const Result<std::vector<RejudgeMember>> members = rejudge_members(set);
  if (!members) return members.error();
  for (const RejudgeMember& each : *members) {
    const Result<std::optional<StoredSubmission>> one = submission(each.submission);
    if (!one) return one.error();
    if (const auto done = database_.run("UPDATE submissions SET state = ? WHERE id = ?",
                                        {std::string(name((*one)->state)), each.submission});
        !done)
      return done.error();
  }
  return {};
}

Result<void> Store::settle_rejudge(i64 set, SetState to, const std::string& reason) {
  if (const auto good = check_reason(reason); !good) return good.error();
  Result<Transaction> transaction = Transaction::begin(database_);
  if (!transaction) return transaction.error();
  const Result<RejudgeSet> now = rejudge(set);
  if (!now) return now.error();
  const bool may =
      to == SetState::applied ? now->state == SetState::begun : now->state != SetState::cancelled;
  if (!may)
    return usage_error(
        fmt::format("set {} is {} and cannot be {}; {}", set, name(now->state), name(to),
                    now->state == SetState::applied ? "it can be cancelled"
                                                    : "begin another one (simfarm rejudge begin)"));
  const Result<i64> left = database_.integer(
      "SELECT count(*) FROM rejudge_members WHERE rejudge = ? AND result IS NULL", {set});
  if (!left) return left.error();
  if (to == SetState::applied && *left != 0)
    return usage_error(fmt::format(
        "set {}: {} submissions are not judged yet (simfarm score; simfarm rejudge show "
        "{} says which); a set is applied whole or cancelled",
        set, *left, set));
  // Whoever still runs one of them comes too late.
  if (const auto freed = database_.run(
          "UPDATE rejudge_members SET lease_end = NULL, evaluation = NULL WHERE rejudge = ?",
          {set});
      !freed)
    return freed.error();
  if (const auto logged = log_set(set, to, reason); !logged) return logged.error();
  if (const auto done = set_states(set); !done) return done.error();
  return transaction->commit();
}

// Members in the queue: after all that is queued, in order of set and submission.

Result<std::optional<Claim>> Store::claim_member(const KeyOf& key_of) {
  std::vector<std::pair<Claim, bool>> waiting;  // and whether its key has a result
  std::optional<Claim> next;
  {
    Query query(
        database_,
        "SELECT m.rejudge, m.submission, s.task, m.attempt, s.archive, s.sources, s.options "
        "FROM rejudge_members m JOIN submissions s ON s.id = m.submission "
        "WHERE m.result IS NULL AND m.lease_end IS NULL AND m.faults <= ? AND "
        "(SELECT l.state FROM rejudge_log l WHERE l.rejudge = m.rejudge "
        "ORDER BY l.id DESC LIMIT 1) = 'begun' ORDER BY m.faults, m.rejudge, m.submission",
        {max_retries});
    while (!next && query.next()) {
      Claim claim{0,
                  query.integer(1),
                  query.integer(2),
                  query.integer(3) + 1,
                  query.text(4),
                  key_of(query.integer(2), query.text(5), query.text(6)),
                  query.integer(0)};
      if (claim.key.empty()) continue;
      const Result<i64> known =
          database_.integer("SELECT count(*) FROM evaluations WHERE key = ?", {claim.key});
      if (!known) return known.error();
      const Result<bool> running = is_running(claim.key);
      if (!running) return running.error();
      if (*known != 0)
        waiting.emplace_back(std::move(claim), true);
      else if (!*running)
        next = std::move(claim);
    }
    if (const auto read = query.end(); !read) return read.error();
  }
  for (const auto& [claim, known] : waiting)
    if (const auto done = database_.run(
            "UPDATE rejudge_members SET result = ? WHERE rejudge = ? AND submission = ?",
            {claim.key, claim.rejudge, claim.submission});
        !done)
      return done.error();
  if (!next) return next;
  if (const auto leased = database_.run(
          "UPDATE rejudge_members SET attempt = ?, evaluation = ?, lease_end = ? "
          "WHERE rejudge = ? AND submission = ?",
          {next->attempt, next->key, now() + lease_milliseconds, next->rejudge, next->submission});
      !leased)
    return leased.error();
  return next;
}

Result<Settled> Store::complete_member(const Claim& claim, const Evaluation& evaluation,
                                       const JudgingHost& host) {
  const bool fault = !row(evaluation.verdict).authors;
  // The attempt is the token: every lease of a member has another one.
  if (const auto ended = database_.run(
          "UPDATE rejudge_members SET lease_end = NULL, evaluation = NULL, faults = faults + ? "
          "WHERE rejudge = ? AND submission = ? AND attempt = ? AND lease_end IS NOT NULL",
          {i64{fault}, claim.rejudge, claim.submission, claim.attempt});
      !ended)
    return ended.error();
  if (database_.changed() != 1) return Settled::stale;
  Settled settled = Settled::judged;
  if (fault) {
    const Result<i64> faults =
        database_.integer("SELECT faults FROM rejudge_members WHERE rejudge = ? AND submission = ?",
                          {claim.rejudge, claim.submission});
    if (!faults) return faults.error();
    settled = *faults <= max_retries ? Settled::again : Settled::gave_up;
  } else {
    if (const auto kept = keep(claim.key, evaluation, host); !kept) return kept.error();
    if (const auto done = database_.run(
            "UPDATE rejudge_members SET result = ? WHERE rejudge = ? AND submission = ?",
            {claim.key, claim.rejudge, claim.submission});
        !done)
      return done.error();
  }
  return settled;
}

}  // namespace simfarm::farm
