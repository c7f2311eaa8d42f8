// Leases, results, and who may say what became of a submission.
#include <fmt/format.h>

#include <limits>

#include "farm/store/record.h"
#include "farm/store/store.h"

namespace simfarm::farm {
namespace {

struct Waiting {
  i64 submission = 0;
  i64 task = 0;
  i64 attempt = 0;
  std::string archive;
  std::string key;
};

/// The verdict that a key has; none: not judged yet.
Result<std::optional<Verdict>> verdict_of(const Database& database, const std::string& key) {
  Query query(database, "SELECT verdict FROM evaluations WHERE key = ?", {key});
  std::optional<Verdict> verdict;
  if (query.next()) verdict = parse_verdict(query.text(0));
  if (const auto read = query.end(); !read) return read.error();
  return verdict;
}

/// What the queue has for somebody who asks: those that have an answer, then one that has not.
struct Looked {
  std::vector<std::pair<Waiting, Verdict>> answered;
  std::optional<Waiting> next;
};

Result<Looked> look_through(Database& database, const Store::KeyOf& key_of,
                            const std::function<Result<bool>(const std::string&)>& is_running) {
  Looked looked;
  Query query(database,
              "SELECT s.id, s.task, coalesce(j.attempt, 0), s.archive, s.sources, s.options "
              "FROM submissions s LEFT JOIN jobs j ON j.submission = s.id "
              "WHERE s.state = 'queued' ORDER BY s.faults, s.id");
  while (!looked.next && query.next()) {
    Waiting each{query.integer(0), query.integer(1), query.integer(2), query.text(3),
                 key_of(query.integer(1), query.text(4), query.text(5))};
    if (each.key.empty()) continue;
    const Result<std::optional<Verdict>> known = verdict_of(database, each.key);
    if (!known) return known.error();
    const Result<bool> running = is_running(each.key);
    if (!running) return running.error();
    if (*known)
      looked.answered.emplace_back(std::move(each), **known);
    else if (!*running)
      looked.next = std::move(each);
  }
  if (const auto read = query.end(); !read) return read.error();
  return looked;
}

/// Ends the lease; false: it was no longer this one.
Result<bool> end_lease(Database& database, const Claim& claim) {
  if (const auto ended =
          database.run("UPDATE jobs SET token = NULL, evaluation = NULL, lease_end = NULL "
                       "WHERE submission = ? AND token = ?",
                       {claim.submission, claim.token});
      !ended)
    return ended.error();
  return database.changed() == 1;
}

}  // namespace

Result<void> Store::judge(i64 submission, i64 attempt, const std::string& key, Verdict verdict,
                          const std::string& detail) {
  if (const auto logged = log(submission, State::judged, attempt, detail, key); !logged)
    return logged.error();
  if (verdict == Verdict::accepted) return log(submission, State::ranked, attempt, "", key);
  if (verdict == Verdict::held) return log(submission, State::held, attempt, "", key);
  return {};
}

Result<Claim> Store::lease(i64 submission, i64 task, i64 attempt, const std::string& archive,
                           const std::string& key) {
  if (const auto logged =
          log(submission, State::running, attempt, fmt::format("attempt {}", attempt));
      !logged)
    return logged.error();
  const Result<i64> token = database_.integer("SELECT max(id) FROM events");
  if (!token) return token.error();
  if (const auto leased = database_.run(
          "INSERT INTO jobs(submission, token, evaluation, lease_end, attempt) "
          "VALUES(?, ?, ?, ?, ?) ON CONFLICT(submission) DO UPDATE SET token = excluded.token, "
          "evaluation = excluded.evaluation, lease_end = excluded.lease_end, "
          "attempt = excluded.attempt",
          {submission, *token, key, now() + lease_milliseconds, attempt});
      !leased)
    return leased.error();
  return Claim{*token, submission, task, attempt, archive, key};
}

Result<bool> Store::is_running(const std::string& key) {
  const Result<i64> leases = database_.integer(
      "SELECT (SELECT count(*) FROM jobs WHERE token IS NOT NULL AND evaluation = ?1) + "
      "(SELECT count(*) FROM rejudge_members WHERE lease_end IS NOT NULL AND evaluation = ?1)",
      {key});
  if (!leases) return leases.error();
  return *leases != 0;
}

Result<Claimed> Store::claim(const KeyOf& key_of) {
  Claimed result;
  Result<Transaction> transaction = Transaction::begin(database_);
  if (!transaction) return transaction.error();
  if (const auto ended = take_back(now(), "its lease ended"); !ended) return ended.error();
  const Result<Looked> looked =
      look_through(database_, key_of, [&](const std::string& key) { return is_running(key); });
  if (!looked) return looked.error();
  for (const auto& [each, verdict] : looked->answered) {
    if (const auto done =
            judge(each.submission, each.attempt, each.key, verdict, "answered from the store");
        !done)
      return done.error();
    result.answered.push_back(each.submission);
  }
  if (looked->next) {
    const Waiting& each = *looked->next;
    Result<Claim> leased =
        lease(each.submission, each.task, each.attempt + 1, each.archive, each.key);
    if (!leased) return leased.error();
    result.claim = std::move(*leased);
  } else {
    Result<std::optional<Claim>> member = claim_member(key_of);
    if (!member) return member.error();
    result.claim = std::move(*member);
  }
  if (const auto done = transaction->commit(); !done) return done.error();
  return result;
}

Result<void> Store::keep(const std::string& key, const Evaluation& evaluation,
                         const JudgingHost& host) {
  Evaluation timed = evaluation;
  timed.timing = host.timing;
  const std::optional<HeldOutScore>& held_out = evaluation.held_out;
  if (const auto kept = database_.run(
          "INSERT INTO evaluations(key, verdict, failed_case, failure, local_bytes, sources, elf, "
          "toolchain, simulator, record, finished, timing, secret, held_out_cases, "
          "held_out_cycles) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
          {key, std::string(name(evaluation.verdict)), evaluation.failed_case, evaluation.failure,
           static_cast<i64>(evaluation.local_bytes), evaluation.source_digest,
           evaluation.elf_digest, host.toolchain, host.simulator, record_digest(timed), now(),
           i64{host.timing}, evaluation.secret, held_out ? Value(i64{held_out->cases}) : Value(),
           held_out ? Value(static_cast<i64>(held_out->cycles)) : Value()});
      !kept)
    return kept.error();
  i64 place = 0;
  for (const CaseScore& each : evaluation.cases)
    if (const auto kept = database_.run(
            "INSERT INTO case_results(evaluation, place, name, cycles, boot_cycles, instructions, "
            "units, dma_bytes, counters) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
            {key, place++, each.name, static_cast<i64>(each.cycles),
             static_cast<i64>(each.boot_cycles), static_cast<i64>(each.instructions),
             static_cast<i64>(each.units), static_cast<i64>(each.dma_bytes),
             print_counters(each.total)});
        !kept)
      return kept.error();
  return {};
}

Result<Settled> Store::complete(const Claim& claim, const Evaluation& evaluation,
                                const JudgingHost& host) {
  const bool authors = row(evaluation.verdict).authors;
  if (authors && !evaluation.elf.empty())
    if (const auto put = blobs_.put(evaluation.elf); !put) return put.error();
  if (claim.rejudge != 0) return complete_member(claim, evaluation, host);
  if (!authors) return complete_fault(claim, evaluation);
  Result<Transaction> transaction = Transaction::begin(database_);
  if (!transaction) return transaction.error();
  const Result<bool> ours = end_lease(database_, claim);
  if (!ours) return ours.error();
  if (!*ours) return Settled::stale;
  if (const auto kept = keep(claim.key, evaluation, host); !kept) return kept.error();
  if (const auto judged = judge(claim.submission, claim.attempt, claim.key, evaluation.verdict,
                                std::string(name(evaluation.verdict)));
      !judged)
    return judged.error();
  if (const auto done = transaction->commit(); !done) return done.error();
  return Settled::judged;
}

Result<Settled> Store::complete_fault(const Claim& claim, const Evaluation& evaluation) {
  Result<Transaction> transaction = Transaction::begin(database_);
  if (!transaction) return transaction.error();
  const Result<bool> ours = end_lease(database_, claim);
  if (!ours) return ours.error();
  if (!*ours) return Settled::stale;
  if (const auto counted = database_.run("UPDATE submissions SET faults = faults + 1 WHERE id = ?",
                                         {claim.submission});
      !counted)
    return counted.error();
  const Result<i64> faults =
      database_.integer("SELECT faults FROM submissions WHERE id = ?", {claim.submission});
  if (!faults) return faults.error();
  const bool again = *faults <= max_retries;
  const std::string detail = fmt::format("{}: {}", name(evaluation.verdict), evaluation.failure);
  if (const auto logged =
          log(claim.submission, again ? State::queued : State::system_error, claim.attempt, detail);
      !logged)
    return logged.error();
  if (const auto done = transaction->commit(); !done) return done.error();
  return again ? Settled::again : Settled::gave_up;
}

Result<i64> Store::take_back(i64 until, const std::string& why) {
  std::vector<std::pair<i64, i64>> leased;
  Query query(database_,
              "SELECT submission, attempt FROM jobs WHERE token IS NOT NULL AND lease_end <= ?",
              {until});
  while (query.next()) leased.emplace_back(query.integer(0), query.integer(1));
  if (const auto read = query.end(); !read) return read.error();
  for (const auto& [submission, attempt] : leased) {
    if (const auto logged = log(submission, State::queued, attempt, why); !logged)
      return logged.error();
    if (const auto freed =
            database_.run("UPDATE jobs SET token = NULL, evaluation = NULL, lease_end = NULL "
                          "WHERE submission = ?",
                          {submission});
        !freed)
      return freed.error();
  }
  if (const auto freed = database_.run(
          "UPDATE rejudge_members SET lease_end = NULL, evaluation = NULL WHERE lease_end <= ?",
          {until});
      !freed)
    return freed.error();
  return static_cast<i64>(leased.size()) + database_.changed();
}

Result<i64> Store::requeue_leased() {
  Result<Transaction> transaction = Transaction::begin(database_);
  if (!transaction) return transaction.error();
  const Result<i64> count =
      take_back(std::numeric_limits<i64>::max(), "its coordinator ended before it was judged");
  if (!count) return count.error();
  if (const auto done = transaction->commit(); !done) return done.error();
  return count;
}

namespace {

constexpr std::string_view waiting_members =
    "FROM rejudge_members m JOIN rejudges r ON r.id = m.rejudge WHERE m.result IS NULL AND "
    "m.lease_end IS NULL AND m.faults <= ? AND (SELECT l.state FROM rejudge_log l WHERE "
    "l.rejudge = m.rejudge ORDER BY l.id DESC LIMIT 1) = 'begun'";

}  // namespace

Result<std::vector<i64>> Store::queued_tasks() {
  std::vector<i64> tasks;
  Query query(database_,
              fmt::format("SELECT task FROM submissions WHERE state = 'queued' UNION "
                          "SELECT r.task {}",
                          waiting_members),
              {max_retries});
  while (query.next()) tasks.push_back(query.integer(0));
  if (const auto read = query.end(); !read) return read.error();
  return tasks;
}

Result<i64> Store::count_queued() {
  return database_.integer(
      fmt::format("SELECT (SELECT count(*) FROM submissions WHERE state = 'queued') + "
                  "(SELECT count(*) {})",
                  waiting_members),
      {max_retries});
}

}  // namespace simfarm::farm
