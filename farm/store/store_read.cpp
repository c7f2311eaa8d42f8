// What is known: submissions, their log, their results, and the batch that a board is made of.
#include <fmt/format.h>

#include "farm/store/ranked.h"
#include "farm/store/record.h"
#include "farm/store/store.h"
#include "farm/task_score.h"

namespace simfarm::farm {
namespace {

// By the log alone. `last` is what a submission's last event says that is about its state, `counts`
// the key of the result that counts: that of the set that was applied last and not cancelled, else
// the one that it was judged under.
constexpr std::string_view counting_submissions =
    "FROM (SELECT *, coalesce("
    "(SELECT m.result FROM rejudge_members m JOIN rejudge_log l ON l.rejudge = m.rejudge "
    "WHERE m.submission = submissions.id AND l.state = 'applied' AND NOT EXISTS (SELECT 1 FROM "
    "rejudge_log c WHERE c.rejudge = l.rejudge AND c.id > l.id) ORDER BY l.id DESC LIMIT 1), "
    "(SELECT e.evaluation FROM events e WHERE e.submission = submissions.id AND "
    "e.state = 'judged' AND e.act = '')) AS counts FROM submissions) s "
    "LEFT JOIN evaluations v ON v.key = s.counts JOIN events last ON "
    "last.id = (SELECT max(e.id) FROM events e WHERE e.submission = s.id AND "
    "NOT (e.act = 'promotion' AND e.state = 'ranked')) ";

/// State and act as they are for whoever looks, of columns that begin with last.state, last.act,
/// last.evaluation, the key that counts, its verdict.
std::pair<State, Act> state_and_act(const Query& query, int column) {
  const State logged = parse_state(query.text(column)).value_or(State::count);
  Act act = parse_act(query.text(column + 1)).value_or(Act::count);
  // What a promotion found out about a result is nothing about another one that counts now.
  if (act == Act::promotion && query.text(column + 2) != query.text(column + 3)) act = Act::none;
  const std::optional<Verdict> verdict = parse_verdict(query.text(column + 4));
  const bool rule_held = logged == State::held && act == Act::none;
  if (!verdict || (logged != State::judged && logged != State::ranked && !rule_held))
    return {logged, act};
  if (*verdict == Verdict::accepted) return {State::ranked, act};
  if (*verdict == Verdict::held) return {act == Act::approve ? State::ranked : State::held, act};
  return {State::judged, act};
}

StoredSubmission read_submission(const Query& query) {
  StoredSubmission one;
  one.id = query.integer(0);
  one.name = query.text(1).empty() ? fmt::format("{}", one.id) : query.text(1);
  one.task = query.text(2);
  one.author = query.text(3);
  one.parent = query.text(4);
  one.note = query.text(5);
  one.archive = query.text(6);
  one.sources = query.text(7);
  std::tie(one.state, one.act) = state_and_act(query, 8);
  one.evaluation = query.text(11);
  one.detail = query.text(13);
  return one;
}

Result<std::vector<StoredSubmission>> read_submissions(const Database& database,
                                                       const std::string& condition,
                                                       const std::vector<Value>& values) {
  std::vector<StoredSubmission> all;
  Query query(database,
              "SELECT s.id, s.name, t.name, s.author, s.parent, s.note, s.archive, s.sources, "
              "last.state, last.act, last.evaluation, s.counts, v.verdict, last.detail " +
                  std::string(counting_submissions) + "LEFT JOIN tasks t ON t.id = s.task " +
                  condition,
              values);
  while (query.next()) all.push_back(read_submission(query));
  if (const auto read = query.end(); !read) return read.error();
  return all;
}

/// Why intake refused it; none: it did not.
Result<std::optional<std::string>> refusal_of(const Database& database, i64 submission) {
  Query query(database, "SELECT detail FROM events WHERE submission = ? AND state = 'rejected'",
              {submission});
  std::optional<std::string> why;
  if (query.next()) why = query.text(0);
  if (const auto read = query.end(); !read) return read.error();
  return why;
}

/// The verdict that a promotion found out, in the place of that which it had.
void apply_finding(const StoredSubmission& one, const std::vector<Promotion>& promotions,
                   Evaluation& evaluation) {
  if (one.state != State::held || one.act != Act::promotion) return;
  for (const Promotion& each : promotions) {  // the last counts
    if (each.submission == one.id && each.evaluation == one.evaluation &&
        each.verdict != Verdict::accepted)
      evaluation.verdict = each.verdict;
    if (each.leader == one.id && each.leader_evaluation == one.evaluation &&
        each.leaders_verdict != Verdict::accepted)
      evaluation.verdict = each.leaders_verdict;
  }
  evaluation.failed_case.clear();
  evaluation.failure = one.detail + "\n";
}

/// What a board has of a submission that a person took off its ranks, or withdrew: the reason.
Evaluation without_result(const StoredSubmission& one) {
  Evaluation result;
  result.verdict = one.state == State::cancelled ? Verdict::cancelled : Verdict::held;
  result.failure = one.detail.empty() ? "" : one.detail + "\n";
  result.source_digest = one.sources;
  return result;
}

}  // namespace

Result<std::vector<CaseScore>> read_cases(const Database& database, const std::string& key) {
  std::vector<CaseScore> cases;
  Query query(database,
              "SELECT name, cycles, boot_cycles, instructions, units, dma_bytes, counters "
              "FROM case_results WHERE evaluation = ? ORDER BY place",
              {key});
  while (query.next()) {
    CaseScore one{.name = query.text(0),
                  .cycles = static_cast<u64>(query.integer(1)),
                  .boot_cycles = static_cast<u64>(query.integer(2)),
                  .instructions = static_cast<u64>(query.integer(3)),
                  .units = static_cast<u64>(query.integer(4)),
                  .total = {},
                  .dma_bytes = static_cast<u64>(query.integer(5))};
    if (const auto read = parse_figures(query.text(6), one); !read) return read.error();
    cases.push_back(std::move(one));
  }
  if (const auto read = query.end(); !read) return read.error();
  return cases;
}

Entrants::Entrants(const Database& database, i64 task, i64 after, u32 timing,
                   std::shared_ptr<const Task> rules)
    : database_(database),
      query_(database,
             "SELECT s.id, s.name = 'kernel', last.state, last.act, last.evaluation, v.key, "
             "v.verdict, v.timing, (SELECT sum(c.cycles + c.boot_cycles) FROM case_results c "
             "WHERE c.evaluation = v.key) " +
                 std::string(counting_submissions) + "WHERE s.task = ? AND s.id > ? ORDER BY s.id",
             {task, after}),
      timing_(timing),
      rules_(std::move(rules)) {}

std::optional<Entrant> Entrants::next() {
  if (!query_.next()) return std::nullopt;
  const State state = state_and_act(query_, 2).first;
  Entrant entrant;
  entrant.submission = query_.integer(0);
  entrant.kernel = query_.integer(1) != 0;
  entrant.pending = state == State::received || state == State::queued || state == State::running;
  entrant.ranked = state == State::ranked && query_.integer(7) == i64{timing_};
  entrant.evaluation = query_.text(5);
  if (!entrant.ranked) return entrant;
  if (rules_->score.kind == ScoreKind::cycles) {
    entrant.key = static_cast<u64>(query_.integer(8));
    return entrant;
  }
  const Result<std::vector<CaseScore>> cases = read_cases(database_, entrant.evaluation);
  if (!cases) {
    failed_ = cases.error();
    return std::nullopt;
  }
  entrant.key = rank_key(rules_->score.kind, score_of(*rules_, *cases));
  return entrant;
}

Result<std::optional<StoredSubmission>> Store::submission(i64 id) {
  Result<std::vector<StoredSubmission>> found = read_submissions(database_, "WHERE s.id = ?", {id});
  if (!found) return found.error();
  if (found->empty()) return std::optional<StoredSubmission>();
  return std::optional(std::move(found->front()));
}

Result<std::vector<Event>> Store::events(i64 submission) {
  std::vector<Event> events;
  Query query(database_,
              "SELECT id, time, submission, state, attempt, evaluation, detail, act FROM events "
              "WHERE submission = ? ORDER BY id",
              {submission});
  while (query.next())
    events.push_back({query.integer(0), query.integer(1), query.integer(2),
                      parse_state(query.text(3)).value_or(State::count), query.integer(4),
                      query.text(5), query.text(6), parse_act(query.text(7)).value_or(Act::count)});
  if (const auto read = query.end(); !read) return read.error();
  return events;
}

Result<Evaluation> Store::evaluation(const std::string& key) {
  Evaluation result;
  const auto damaged = [&] {
    return io_error(fmt::format("{}: result {}: damaged", folder_, key));
  };
  std::string record;
  {
    Query query(database_,
                "SELECT verdict, failed_case, failure, local_bytes, sources, elf, timing, record, "
                "secret, held_out_cases, held_out_cycles "
                "FROM evaluations WHERE key = ?",
                {key});
    if (!query.next()) return query.end() ? damaged() : query.end().error();
    const std::optional<Verdict> verdict = parse_verdict(query.text(0));
    if (!verdict) return damaged();
    result.verdict = *verdict;
    result.failed_case = query.text(1);
    result.failure = query.text(2);
    result.local_bytes = static_cast<u64>(query.integer(3));
    result.source_digest = query.text(4);
    result.elf_digest = query.text(5);
    result.timing = static_cast<u32>(query.integer(6));
    record = query.text(7);
    result.secret = query.text(8);
    if (!query.is_null(9))
      result.held_out = {static_cast<u32>(query.integer(9)), static_cast<u64>(query.integer(10))};
  }
  Result<std::vector<CaseScore>> cases = read_cases(database_, key);
  if (!cases) return damaged();
  result.cases = std::move(*cases);
  if (record_digest(result) != record) return damaged();
  return result;
}

Result<Store::Counts> Store::counts(i64 task) {
  Counts counts{};
  Query query(database_,
              "SELECT state, count(*) FROM submissions WHERE coalesce(task, 0) = ? GROUP BY state",
              {task});
  while (query.next())
    if (const auto state = parse_state(query.text(0)))
      counts[static_cast<size_t>(*state)] = query.integer(1);
  if (const auto read = query.end(); !read) return read.error();
  return counts;
}

Result<Scored> Store::scored_of(const StoredSubmission& one,
                                std::shared_ptr<const LoadedTask> task) {
  Scored scored;
  scored.entry.path = blobs_.path(one.archive);
  scored.entry.id = one.name;
  scored.entry.order = static_cast<u64>(one.id);
  scored.entry.rerun = "simfarm try " + scored.entry.path;
  if (task) scored.entry.rerun += " --task " + task->task.folder;
  scored.entry.task = std::move(task);
  if (!one.sources.empty()) {
    Submission submission;
    submission.task = one.task;
    submission.author = one.author;
    submission.parent = one.parent;
    submission.note = one.note;
    scored.entry.submission = std::move(submission);
  }
  if (!one.evaluation.empty()) {
    Result<Evaluation> evaluation = this->evaluation(one.evaluation);
    if (!evaluation) return evaluation.error();
    scored.evaluation = std::move(*evaluation);
    if (one.state == State::ranked && scored.evaluation.verdict == Verdict::held) {
      // A rule held it, a person approved it.
      scored.evaluation.verdict = Verdict::accepted;
      scored.evaluation.failure.clear();
    }
    return scored;
  }
  const Result<std::optional<std::string>> refusal = refusal_of(database_, one.id);
  if (!refusal) return refusal.error();
  scored.evaluation.verdict = Verdict::rejected;
  scored.evaluation.failure = refusal->value_or("") + "\n";
  scored.evaluation.source_digest = one.sources;
  return scored;
}

Result<std::vector<Scored>> Store::scored(const StoredTask& task, u32 timing) {
  const Result<std::string> folder = task_folder(task);
  if (!folder) return folder.error();
  Result<Task> loaded = load_task(*folder);
  if (!loaded) return loaded.error();
  const auto shared = std::make_shared<const LoadedTask>(LoadedTask{std::move(*loaded), {}});
  const Result<std::vector<StoredSubmission>> all = read_submissions(
      database_,
      "WHERE s.task = ? AND EXISTS (SELECT 1 FROM events e WHERE e.submission = s.id AND "
      "e.state IN ('judged', 'rejected', 'cancelled')) ORDER BY s.id",
      {task.id});
  if (!all) return all.error();
  const Result<std::vector<Promotion>> decided = promotions(task.id);
  if (!decided) return decided.error();
  const Result<std::map<i64, Standing>> standings = this->standings(task.id, timing);
  if (!standings) return standings.error();
  std::vector<Scored> batch;
  for (const StoredSubmission& each : *all) {
    Result<Scored> one = scored_of(each, shared);
    if (!one) return one.error();
    if (each.state == State::cancelled || each.act == Act::hold)
      one->evaluation = without_result(each);
    apply_finding(each, *decided, one->evaluation);
    if (const auto found = standings->find(each.id); found != standings->end())
      one->standing = found->second;
    batch.push_back(std::move(*one));
  }
  return batch;
}

Result<std::optional<Scored>> Store::scored(i64 id) {
  const Result<std::optional<StoredSubmission>> one = submission(id);
  if (!one) return one.error();
  if (!*one || ((*one)->evaluation.empty() && (*one)->state != State::rejected))
    return std::optional<Scored>();
  std::shared_ptr<const LoadedTask> shared;
  if (!(*one)->task.empty()) {
    const Result<std::optional<StoredTask>> task = find_task((*one)->task);
    if (!task) return task.error();
    const Result<std::string> folder = task_folder(**task);
    if (!folder) return folder.error();
    Result<Task> loaded = load_task(*folder);
    if (!loaded) return loaded.error();
    shared = std::make_shared<const LoadedTask>(LoadedTask{std::move(*loaded), {}});
  }
  Result<Scored> scored = scored_of(**one, std::move(shared));
  if (!scored) return scored.error();
  if ((*one)->evaluation.empty()) return std::optional(std::move(*scored));
  const Result<i64> its_task = database_.integer("SELECT task FROM submissions WHERE id = ?", {id});
  if (!its_task) return its_task.error();
  const Result<std::vector<Promotion>> decided = promotions(*its_task);
  if (!decided) return decided.error();
  apply_finding(**one, *decided, scored->evaluation);
  const Result<std::map<i64, Standing>> standings = this->standings(*its_task);
  if (!standings) return standings.error();
  if (const auto found = standings->find(id); found != standings->end())
    scored->standing = found->second;
  return std::optional(std::move(*scored));
}

}  // namespace simfarm::farm
