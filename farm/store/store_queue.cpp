// Leases, results, and who may say what became of a submission.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "farm/store/record.h"
#include "farm/store/store.h"

namespace simfarm::farm {
namespace {

struct Waiting {
  i64 submission = 0;
  i64 task = 0;
  i64 attempt = 0;
  std::string archive;
  std::string key;  ///< once it is needed
  std::string sources, options;
  i64 faults = 0;
  double expected = -1;  ///< milliseconds; negative: nobody knows
};

/// The verdict that a key has; none: not judged yet.
Result<std::optional<Verdict>> verdict_of(const Database& database, const std::string& key) {
  Query query(database, "SELECT verdict FROM evaluations WHERE key = ?", {key});
  std::optional<Verdict> verdict;
  if (query.next()) verdict = parse_verdict(query.text(0));
  if (const auto read = query.end(); !read) return read.error();
  return verdict;
}

/// A queue's rows from its head on, some at a time: however long it is, few are in memory.
class QueueWindow {
 public:
  explicit QueueWindow(const Database& database)
      : query_(database,
               "SELECT s.id, s.task, coalesce(j.attempt, 0), s.archive, s.sources, s.options, "
               "s.faults FROM submissions s LEFT JOIN jobs j ON j.submission = s.id "
               "WHERE s.state = 'queued' ORDER BY s.faults, s.id") {}

  /// The next ones, those that take longest first; of those of which nobody knows, the first.
  /// Empty: no more.
  std::vector<Waiting> next(const Store::Expected& expected) {
    const size_t rows = expected ? 256 : 1;
    std::vector<Waiting> window;
    while (!over_ && window.size() < rows) {
      over_ = !query_.next();  // which would begin again
      if (over_) break;
      const i64 task = query_.integer(1);
      window.push_back({query_.integer(0),
                        task,
                        query_.integer(2),
                        query_.text(3),
                        {},
                        query_.text(4),
                        query_.text(5),
                        query_.integer(6),
                        expected ? expected(task) : -1});
    }
    std::stable_sort(window.begin(), window.end(), [](const Waiting& a, const Waiting& b) {
      if (a.faults != b.faults) return a.faults < b.faults;
      const bool known = a.expected >= 0 && b.expected >= 0;
      return known ? a.expected > b.expected : a.expected < 0 && b.expected >= 0;
    });
    return window;
  }
  Result<void> end() const { return query_.end(); }

 private:
  Query query_;
  bool over_ = false;
};

/// What a decision's engines say, as a blob; empty: nothing.
Result<std::string> keep_description(const Blobs& blobs, const Decided& decided) {
  if (decided.turn.known) return decided.turn.known->description;
  const std::string& text = decided.decision.description;
  if (text.empty()) return std::string();
  return blobs.put(std::span(reinterpret_cast<const u8*>(text.data()), text.size()));
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

Result<void> Store::hand_out(size_t want, const KeyOf& key_of, const Expected& expected,
                             Exchanged& result) {
  std::vector<std::pair<Waiting, Verdict>> answered;
  std::vector<Waiting> chosen;
  std::set<std::string> chosen_keys;
  QueueWindow queue(database_);
  for (std::vector<Waiting> window; chosen.size() < want;) {
    result.more = answered.size() >= max_answered;
    if (result.more) break;
    window = queue.next(expected);
    if (window.empty()) break;
    for (Waiting& each : window) {
      if (chosen.size() == want) break;
      each.key = key_of(each.task, each.sources, each.options);
      if (each.key.empty()) continue;
      const Result<std::optional<Verdict>> known = verdict_of(database_, each.key);
      if (!known) return known.error();
      const Result<bool> running = is_running(each.key);
      if (!running) return running.error();
      if (*known)
        answered.emplace_back(std::move(each), **known);
      else if (!*running && chosen_keys.insert(each.key).second)
        chosen.push_back(std::move(each));
    }
  }
  if (const auto read = queue.end(); !read) return read.error();
  for (const auto& [each, verdict] : answered) {
    if (const auto done =
            judge(each.submission, each.attempt, each.key, verdict, "answered from the store");
        !done)
      return done.error();
    result.answered.push_back(each.submission);
    result.tasks.insert(each.task);
  }
  for (const Waiting& each : chosen) {
    Result<Claim> leased =
        lease(each.submission, each.task, each.attempt + 1, each.archive, each.key);
    if (!leased) return leased.error();
    result.claims.push_back(std::move(*leased));
  }
  while (!result.more && result.claims.size() < want) {
    Result<std::optional<Claim>> member = claim_member(key_of);
    if (!member) return member.error();
    if (!*member) break;
    result.claims.push_back(std::move(**member));
  }
  return {};
}

Result<Exchanged> Store::exchange(const Exchange& exchange, const KeyOf& key_of,
                                  const JudgingHost& host, const Expected& expected) {
  Exchanged result;
  for (const Finished& each : exchange.finished)
    if (row(each.evaluation.verdict).authors && !each.evaluation.elf.empty())
      if (const auto put = blobs_.put(each.evaluation.elf); !put) return put.error();
  std::vector<std::string> descriptions;
  for (const Decided& each : exchange.decided) {
    Result<std::string> kept = keep_description(blobs_, each);
    if (!kept) return kept.error();
    descriptions.push_back(std::move(*kept));
  }
  Result<Transaction> transaction = Transaction::begin(database_);
  if (!transaction) return transaction.error();
  for (const Finished& each : exchange.finished) {
    const Result<Settled> settled = settle(each.claim, each.evaluation, host);
    if (!settled) return settled.error();
    result.settled.push_back(*settled);
    result.tasks.insert(each.claim.task);
  }
  for (size_t k = 0; k < exchange.decided.size(); ++k) {
    const auto& [turn, decision] = exchange.decided[k];
    const Result<bool> written = write_decision(turn, decision, descriptions[k]);
    if (!written) return written.error();
    result.decided.push_back(*written);
    result.tasks.insert(turn.task);
  }
  for (const Claim& each : exchange.given_back)
    if (const auto released = release(each); !released) return released.error();
  if (exchange.want > 0) {
    if (const auto ended = take_back(now(), "its lease ended"); !ended) return ended.error();
    if (const auto done = hand_out(exchange.want, key_of, expected, result); !done)
      return done.error();
  }
  if (const auto done = transaction->commit(); !done) return done.error();
  return result;
}

Result<Claimed> Store::claim(const KeyOf& key_of) {
  Claimed result;
  for (bool more = true; more && !result.claim;) {
    Result<Exchanged> one = exchange({{}, {}, 1}, key_of, {});
    if (!one) return one.error();
    if (!one->claims.empty()) result.claim = std::move(one->claims.front());
    result.answered.insert(result.answered.end(), one->answered.begin(), one->answered.end());
    more = one->more;
  }
  return result;
}

Result<Settled> Store::complete(const Claim& claim, const Evaluation& evaluation,
                                const JudgingHost& host) {
  Result<Exchanged> one = exchange({{{claim, evaluation}}, {}, 0}, {}, host);
  if (!one) return one.error();
  return one->settled.front();
}

Result<void> Store::keep(const std::string& key, const Evaluation& evaluation,
                         const JudgingHost& host) {
  Evaluation timed = evaluation;
  timed.timing = host.timing;
  const std::optional<HeldOutScore>& held_out = evaluation.held_out;
  if (!evaluation.elf_digest.empty())
    if (const auto there = about_to_name(evaluation.elf_digest); !there) return there.error();
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
             static_cast<i64>(each.units), static_cast<i64>(each.dma_bytes), print_figures(each)});
        !kept)
      return kept.error();
  return {};
}

Result<Settled> Store::settle(const Claim& claim, const Evaluation& evaluation,
                              const JudgingHost& host) {
  if (claim.rejudge != 0) return complete_member(claim, evaluation, host);
  if (!row(evaluation.verdict).authors) return settle_fault(claim, evaluation);
  const Result<bool> ours = end_lease(database_, claim);
  if (!ours) return ours.error();
  if (!*ours) return Settled::stale;
  if (const auto kept = keep(claim.key, evaluation, host); !kept) return kept.error();
  if (const auto judged = judge(claim.submission, claim.attempt, claim.key, evaluation.verdict,
                                std::string(name(evaluation.verdict)));
      !judged)
    return judged.error();
  return Settled::judged;
}

Result<Settled> Store::settle_fault(const Claim& claim, const Evaluation& evaluation) {
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
  const std::string kind = fmt::format("{}: ", name(evaluation.verdict));
  const Result<i64> before = database_.integer(
      "SELECT count(*) FROM events WHERE submission = ? AND substr(detail, 1, ?) = ?",
      {claim.submission, static_cast<i64>(kind.size()), kind});
  if (!before) return before.error();
  const bool again = *faults <= max_retries && *before < repeats(evaluation.verdict);
  if (const auto logged = log(claim.submission, again ? State::queued : State::system_error,
                              claim.attempt, kind + evaluation.failure);
      !logged)
    return logged.error();
  return again ? Settled::again : Settled::gave_up;
}

Result<void> Store::release(const Claim& claim) {
  if (claim.rejudge != 0)
    return database_.run(
        "UPDATE rejudge_members SET lease_end = NULL, evaluation = NULL "
        "WHERE rejudge = ? AND submission = ? AND attempt = ? AND lease_end IS NOT NULL",
        {claim.rejudge, claim.submission, claim.attempt});
  const Result<bool> ours = end_lease(database_, claim);
  if (!ours) return ours.error();
  if (!*ours) return {};
  return log(claim.submission, State::queued, claim.attempt, "given back: interrupted");
}

Result<i64> Store::take_back(i64 until, const std::string& why) {
  std::vector<std::pair<i64, i64>> leased;
  Query query(database_,
              "SELECT submission, attempt FROM jobs INDEXED BY one_run "
              "WHERE token IS NOT NULL AND lease_end <= ?",
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

Result<double> Store::typical_milliseconds(i64 task) {
  Query query(database_,
              "SELECT count(*), sum(t) FROM (SELECT j.time - r.time AS t FROM events j "
              "JOIN submissions s ON s.id = j.submission JOIN events r ON r.submission = s.id "
              "AND r.state = 'running' AND r.attempt = j.attempt "
              "WHERE j.state = 'judged' AND s.task = ? ORDER BY j.id DESC LIMIT 16)",
              {task});
  const i64 count = query.next() ? query.integer(0) : 0;
  const double sum = count == 0 ? 0 : static_cast<double>(query.integer(1));
  if (const auto read = query.end(); !read) return read.error();
  return count == 0 ? -1 : sum / static_cast<double>(count);
}

Result<i64> Store::count_queued() {
  return database_.integer(
      fmt::format("SELECT (SELECT count(*) FROM submissions WHERE state = 'queued') + "
                  "(SELECT count(*) {})",
                  waiting_members),
      {max_retries});
}

}  // namespace simfarm::farm
