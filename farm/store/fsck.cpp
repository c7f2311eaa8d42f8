#include "farm/store/fsck.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "farm/store/named_blobs.h"

namespace simfarm::farm {
namespace {

/// One look at a farm, all in one read transaction.
class FarmCheck {
 public:
  explicit FarmCheck(Store& store) : store_(store), database_(store.database()) {}

  Result<FsckReport> run() {
    if (const auto begun = database_.run("BEGIN"); !begun) return begun.error();
    Result<void> looked = look();
    const Result<void> ended = database_.run("COMMIT");
    if (!looked) return looked.error();
    if (!ended) return ended.error();
    return std::move(report_);
  }

 private:
  Result<void> look() {
    if (const auto done = check_database(); !done) return done.error();
    if (const auto done = check_results(); !done) return done.error();
    if (const auto done = check_log(); !done) return done.error();
    if (const auto done = check_promotions(); !done) return done.error();
    if (const auto done = check_leases(); !done) return done.error();
    if (const auto done = check_secret(); !done) return done.error();
    return check_blobs();
  }

  void problem(std::string text) { report_.problems.push_back(std::move(text)); }

  Result<void> check_database() {
    Query integrity(database_, "PRAGMA integrity_check");
    while (integrity.next())
      if (integrity.text(0) != "ok") problem("farm.db: " + integrity.text(0));
    if (const auto read = integrity.end(); !read) return read.error();
    Query foreign(database_, "PRAGMA foreign_key_check");
    while (foreign.next())
      problem(fmt::format("farm.db: a row of {} refers to a row of {} that is not there",
                          foreign.text(0), foreign.text(2)));
    return foreign.end();
  }

  /// Results read as they were written.
  Result<void> check_results() {
    Query keys(database_, "SELECT key FROM evaluations ORDER BY key");
    while (keys.next()) {
      ++report_.evaluations;
      const Result<Evaluation> evaluation = store_.evaluation(keys.text(0));
      if (evaluation)
        verdicts_.emplace(keys.text(0), evaluation->verdict);
      else
        problem(evaluation.error().message);
    }
    return keys.end();
  }

  /// Every submission's log is a walk from `received` to the state that the table has.
  Result<void> check_log() {
    std::set<std::string> used;
    Query members(database_,
                  "SELECT DISTINCT m.submission FROM rejudge_members m JOIN rejudge_log l ON "
                  "l.rejudge = m.rejudge AND l.state = 'applied'");
    while (members.next()) in_sets_.insert(members.integer(0));
    if (const auto read = members.end(); !read) return read.error();
    Query submissions(database_, "SELECT id, state FROM submissions ORDER BY id");
    while (submissions.next()) {
      ++report_.submissions;
      const i64 id = submissions.integer(0);
      const Result<std::vector<Event>> events = store_.events(id);
      if (!events) return events.error();
      report_.events += events->size();
      const Result<std::optional<StoredSubmission>> one = store_.submission(id);
      if (!one) return one.error();
      check_walk(id, *events, *one ? (*one)->state : State::count,
                 parse_state(submissions.text(1)).value_or(State::count));
      for (const Event& event : *events) used.insert(event.evaluation);
    }
    if (const auto read = submissions.end(); !read) return read.error();
    if (const auto done = check_sets(used); !done) return done.error();
    for (const auto& [key, verdict] : verdicts_)
      if (!used.contains(key)) problem(fmt::format("result {}: the log does not know it", key));
    return {};
  }

  /// `says`: the state that the log comes to, its sets considered; `now`: that of the table.
  void check_walk(i64 id, const std::vector<Event>& events, State says, State now) {
    if (events.empty() || events.front().state != State::received)
      return problem(fmt::format("submission {}: its log does not begin with received", id));
    for (size_t k = 1; k < events.size(); ++k)
      if (!may_come(events[k - 1], events[k]))
        problem(fmt::format("submission {}: its log has {} after {}", id, name(events[k].state),
                            name(events[k - 1].state)));
    if (says != now)
      problem(
          fmt::format("submission {}: the log says {}, the table {}", id, name(says), name(now)));
    for (const Event& event : events) check_judgement(event);
  }

  /// Whether the log may have it there; a set that was applied may have changed the state between.
  bool may_come(const Event& before, const Event& after) const {
    if (may_follow(before.state, after.state, after.act)) return true;
    const bool farms = before.act == Act::none || before.act == Act::promotion;
    const bool changed = before.state == State::judged || before.state == State::ranked ||
                         (before.state == State::held && farms);
    if (!changed || !in_sets_.contains(after.submission)) return false;
    return may_follow(State::judged, after.state, after.act) ||
           may_follow(State::ranked, after.state, after.act) ||
           may_follow(State::held, after.state, after.act);
  }

  /// A judgement that the log has: its result is there.
  void check_judgement(const Event& event) {
    if (event.state == State::judged && !verdicts_.contains(event.evaluation))
      problem(fmt::format("submission {}: judged, and its result is not there (or damaged)",
                          event.submission));
  }

  /// Every decision about a lead has its lines in the log: the candidate's and, where one was found
  /// wrong, the leader's.
  Result<void> check_promotions() {
    Query wrong(database_,
                "SELECT id FROM (SELECT submission AS id, 1 AS n FROM events WHERE act = "
                "'promotion' UNION ALL SELECT submission, -1 FROM promotions UNION ALL SELECT "
                "leader, -1 FROM promotions WHERE leaders_verdict <> 'ACCEPTED') "
                "GROUP BY id HAVING sum(n) <> 0 ORDER BY id");
    while (wrong.next())
      problem(fmt::format("submission {}: the log and the decisions about its lead differ",
                          wrong.integer(0)));
    return wrong.end();
  }

  /// Sets that were applied have a result for each member.
  Result<void> check_sets(std::set<std::string>& used) {
    const Result<std::vector<RejudgeSet>> sets = store_.rejudges();
    if (!sets) return sets.error();
    for (const RejudgeSet& set : *sets) {
      const Result<std::vector<RejudgeMember>> members = store_.rejudge_members(set.id);
      if (!members) return members.error();
      for (const RejudgeMember& each : *members) {
        used.insert(each.after);
        if (set.state == SetState::applied && !verdicts_.contains(each.after))
          problem(
              fmt::format("set {}: applied, and the result of submission {} is not there (or "
                          "damaged)",
                          set.id, each.submission));
      }
    }
    return {};
  }

  Result<void> check_leases() {
    Query wrong(database_,
                "SELECT s.id, s.state FROM submissions s LEFT JOIN jobs j ON j.submission = s.id "
                "WHERE (s.state = 'running') <> (j.token IS NOT NULL) ORDER BY s.id");
    while (wrong.next())
      problem(fmt::format("submission {}: it is {}, and its lease says otherwise", wrong.integer(0),
                          wrong.text(1)));
    return wrong.end();
  }

  /// Whether the secret is there, readable for its owner alone, and the last of the list.
  Result<void> check_secret() {
    const Result<std::vector<std::string>> ids = store_.secret_ids();
    if (!ids) return ids.error();
    const Result<std::optional<Secret>> secret = store_.secret();
    const std::string path = store_.secret_path();
    if (!secret)
      problem(secret.error().message);
    else if (*secret && std::find(ids->begin(), ids->end(), (*secret)->id()) == ids->end())
      problem(path + ": another farm's: the log does not know its id");
    else if (!*secret && !ids->empty())
      problem(path + ": not there; put it back, or `simfarm farm rotate-secret`");
    return {};
  }

  Result<void> check_blobs() {
    const Result<std::map<std::string, std::string>> needed = named_blobs(database_);
    if (!needed) return needed.error();
    Query query(database_, "SELECT digest FROM dropped");
    std::set<std::string> dropped;
    while (query.next()) dropped.insert(query.text(0));
    if (const auto read = query.end(); !read) return read.error();
    report_.dropped = dropped.size();
    const Result<Blobs::Listing> listing = store_.blobs().list();
    if (!listing) return listing.error();
    for (const std::string& digest : listing->digests) {
      ++report_.blobs;
      const auto what = needed->find(digest);
      if (const auto whole = store_.blobs().get(digest); !whole)
        problem(whole.error().message +
                (what == needed->end() ? "" : fmt::format(" ({})", what->second)));
      if (what == needed->end())
        report_.notes.push_back(fmt::format("blob {}: nothing refers to it", digest));
    }
    for (const auto& [digest, what] : *needed)
      if (!dropped.contains(digest) &&
          !std::binary_search(listing->digests.begin(), listing->digests.end(), digest))
        problem(fmt::format("{}: not there ({})", store_.blobs().path(digest), what));
    for (const std::string& stray : listing->strays)
      report_.notes.push_back(stray + ": no blob; left by a crash");
    return {};
  }

  Store& store_;
  Database& database_;
  FsckReport report_;
  std::map<std::string, Verdict> verdicts_;
  std::set<i64> in_sets_;  ///< submissions of sets that were applied
};

}  // namespace

Result<FsckReport> check_farm(Store& store) { return FarmCheck(store).run(); }

}  // namespace simfarm::farm
