#include "farm/store/coordinator.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "base/parallel.h"
#include "farm/files.h"
#include "farm/store/intake.h"
#include "farm/store/place.h"

namespace simfarm::farm {
namespace {

// With less, nothing more is claimed: a result that cannot be written is work lost.
constexpr u64 min_free_bytes = 16u << 20;

Result<void> check_space(const std::string& folder) {
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) != 0) return io_error(folder + ": cannot stat");
  const u64 left = u64{status.f_bavail} * status.f_frsize;
  if (left >= min_free_bytes) return {};
  return io_error(fmt::format("{}: {} kB left on the disk, {} are needed; nothing more is claimed",
                              folder, left >> 10, min_free_bytes >> 10));
}

/// Where builds and simulations work must take files, too: else whatever is judged is the host's
/// fault, until no tries are left.
Result<void> check_room(const std::string& folder) {
  if (auto space = check_space(folder); !space) return space;
  const Result<TemporaryFolder> temporary = TemporaryFolder::create();
  if (!temporary)
    return io_error(temporary.error().message +
                    "; nothing more is claimed: set TMPDIR to a folder that can be written to");
  return check_space(std::filesystem::path(temporary->path()).parent_path().string());
}

/// A task, and its part of the keys.
struct ReadyTask {
  std::shared_ptr<const LoadedTask> loaded;
  KeyParts parts;
};

/// Threads that judge, and one that keeps the books: it alone touches the store. It gives results
/// and asks for work in one transaction, so that many short evaluations share one wait for the
/// disk, and goes round as soon as there is either.
class Coordination {
 public:
  Coordination(Store& store, const Judge& judge, const CoordinatorRequest& request)
      : store_(store), judge_(judge), request_(request) {}

  Result<CoordinatorSummary> run() {
    const Result<i64> taken = store_.requeue_leased();
    if (!taken) return taken.error();
    summary_.taken_back = *taken;
    const Result<i64> queued = store_.count_queued();
    if (!queued) return queued.error();
    queued_ = *queued;
    const Result<std::vector<StoredTask>> tasks = store_.tasks();
    if (!tasks) return tasks.error();
    for (const StoredTask& each : *tasks) trails_.emplace(each.id, LeadTrail{});
    threads_ = request_.threads == 0 ? host_threads() : request_.threads;
    std::thread books([&] { keep_books(); });
    parallel_for(threads_, threads_, [&](size_t) { work(); });
    books.join();
    if (!failed_) return failed_.error();
    const Result<i64> left = store_.count_queued();
    if (!left) return left.error();
    summary_.queued = *left;
    return summary_;
  }

 private:
  using BookClock = std::chrono::steady_clock;

  /// A claim, with what is needed to judge it.
  struct Ready {
    Claim claim;
    std::shared_ptr<const LoadedTask> task;
  };

  /// A decision that is to be made, with all that it needs but the archive and programs.
  struct ReadyContest {
    Turn turn;
    Contest contest;
    std::string archive;
  };

  /// A thread that judges and decides, until there is nothing left to do. Decisions first: others
  /// wait for them.
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      to_workers_.wait(lock, [&] { return over_ || !ready_.empty() || !contests_.empty(); });
      if (!contests_.empty())
        decide_next(lock);
      else if (!ready_.empty())
        judge_next(lock);
      else
        return;
      to_books_.notify_one();
    }
  }

  void judge_next(std::unique_lock<std::mutex>& lock) {
    const Ready mine = std::move(ready_.front());
    ready_.pop_front();
    begun({CoordinatorNews::What::started,
           mine.claim.submission,
           mine.task->task.name,
           Settled::judged,
           {},
           waiting(),
           mine.claim.rejudge});
    lock.unlock();
    const BookClock::time_point begin = BookClock::now();
    Evaluation evaluation = evaluate_claim(mine);
    const std::chrono::duration<double, std::milli> took = BookClock::now() - begin;
    lock.lock();
    --running_;
    if (evaluation.verdict == Verdict::cancelled)
      given_back_.push_back(mine);
    else
      finished_.push_back({{mine.claim, std::move(evaluation)}, took.count()});
  }

  void decide_next(std::unique_lock<std::mutex>& lock) {
    ReadyContest mine = std::move(contests_.front());
    contests_.pop_front();
    begun({CoordinatorNews::What::deciding,
           mine.turn.candidate,
           mine.contest.task->task.name,
           Settled::judged,
           {},
           waiting()});
    lock.unlock();
    Decided decided{mine.turn, decide_contest(mine)};
    lock.lock();
    --running_;
    decided_.push_back(std::move(decided));
  }

  void begun(CoordinatorNews news) {
    ++running_;
    news_.push_back(std::move(news));
    to_books_.notify_one();
  }

  /// From the archive to the result.
  Evaluation evaluate_claim(const Ready& ready) {
    const Result<std::vector<u8>> archive = store_.blobs().get(ready.claim.archive);
    if (!archive) return judge_(*ready.task, archive.error());
    Evaluation evaluation = judge_(*ready.task, parse_archive(*archive, "submission"));
    // Here, where others need not wait for the disk. What fails now fails with the result.
    if (!evaluation.elf.empty() && store_.blobs().put(evaluation.elf)) evaluation.elf.clear();
    return evaluation;
  }

  /// The same for a contest: blobs are read here, where nobody waits for it.
  Decision decide_contest(ReadyContest& ready) {
    const auto fault = [](const Error& error) {
      return Decision{.verdict = Verdict::system_error, .detail = error.message};
    };
    Contest& contest = ready.contest;
    const Result<std::vector<u8>> archive = store_.blobs().get(ready.archive);
    if (!archive) return fault(archive.error());
    contest.submission = parse_archive(*archive, "submission");
    std::vector<Contender*> contenders = {&contest.candidate};
    if (contest.leader) contenders.push_back(&*contest.leader);
    for (Contender* const each : contenders) {
      if (each->evaluation.elf_digest.empty()) continue;
      Result<std::vector<u8>> elf = store_.blobs().get(each->evaluation.elf_digest);
      if (!elf) return fault(elf.error());
      each->evaluation.elf = std::move(*elf);
    }
    return request_.referee(contest);
  }

  void keep_books() {
    std::unique_lock lock(mutex_);
    for (;;) {
      for (const CoordinatorNews& each : news_) tell(each);
      news_.clear();
      stopping_ |= request_.stop && request_.stop();
      if (stopping_ || !failed_) begin_nothing_more();
      if (!changed_.empty()) {
        find_turns(lock);
        continue;  // what was begun meanwhile is told first
      }
      const bool nothing_came = finished_.empty() && given_back_.empty() && decided_.empty();
      if (running_ == 0 && ready_.empty() && contests_.empty() && nothing_came) {
        if (stopping_ || !failed_) break;
        // Once more from the beginning: a person may have approved an early one.
        if (dry_ && !find_any_turn(lock)) break;
        if (dry_) continue;
      }
      if (nothing_came && wanted() == 0 && news_.empty()) {
        // Whoever submits or interrupts says nothing here.
        if (to_books_.wait_for(lock, std::chrono::milliseconds(100)) == std::cv_status::timeout)
          dry_ = dry_ && BookClock::now() - exchanged_ < std::chrono::seconds(1);
      } else if (!nothing_came || wanted() != 0) {
        go_round(lock);
      }
    }
    over_ = true;
    to_workers_.notify_all();
  }

  void begin_nothing_more() {
    given_back_.insert(given_back_.end(), ready_.begin(), ready_.end());
    ready_.clear();
    contests_.clear();
    changed_.clear();
  }

  /// The next decisions in tasks in which something changed. Of each task one at a time.
  void find_turns(std::unique_lock<std::mutex>& lock) {
    std::set<i64> changed;
    std::swap(changed, changed_);
    if (!request_.referee) return;
    lock.unlock();
    std::vector<ReadyContest> found;
    std::vector<Decided> known;
    Result<void> done;
    for (const i64 task : changed)
      if (done && !contested_.contains(task)) done = find_turn(task, found, known);
    lock.lock();
    if (!done && failed_) failed_ = done.error();
    for (ReadyContest& each : found) contests_.push_back(std::move(each));
    for (Decided& each : known) decided_.push_back(std::move(each));
    to_workers_.notify_all();
  }

  /// Whether there is one in any task.
  bool find_any_turn(std::unique_lock<std::mutex>& lock) {
    for (const auto& [task, trail] : trails_) changed_.insert(task);
    find_turns(lock);
    return !contests_.empty() || !decided_.empty();
  }

  Result<void> find_turn(i64 task, std::vector<ReadyContest>& found, std::vector<Decided>& known) {
    const Result<Turn> turn = store_.next_turn(task, trails_[task], request_.host.timing);
    if (!turn) return turn.error();
    if (turn->candidate == 0) return {};
    if (!tasks_.contains(task))
      if (const auto loaded = load(task); !loaded) return loaded.error();
    contested_.insert(task);
    if (turn->known) {
      const Promotion& as = *turn->known;
      known.push_back(
          {*turn,
           {.decided = true, .promoted = as.promoted, .verdict = as.verdict, .detail = as.detail}});
      return {};
    }
    const Result<std::optional<StoredSubmission>> candidate = store_.submission(turn->candidate);
    if (!candidate) return candidate.error();
    Result<Contest> contest = store_.contest(*turn, request_.host);
    if (!contest) return contest.error();
    contest->task = tasks_.at(task).loaded;
    found.push_back({*turn, std::move(*contest), (*candidate)->archive});
    return {};
  }

  /// What decisions became of; those that are none are made again, but not for ever.
  void take_decisions(std::vector<Decided>&& all, Exchange& exchange) {
    for (Decided& each : all) {
      const Decision& decision = each.decision;
      if (decision.decided) {
        exchange.decided.push_back(std::move(each));
        continue;
      }
      const i64 task = each.turn.task;
      const bool again = decision.verdict == Verdict::cancelled ||
                         ++faults_[task] <= i64{repeats(decision.verdict)};
      if (again) {
        contested_.erase(task);
        changed_.insert(task);
      } else {  // It stays contested: nobody is promoted in this run.
        ++summary_.undecided;
        summary_.undecided_why = decision.detail;
      }
      tell_decision(each);
    }
  }

  void tell_decision(const Decided& decided) {
    CoordinatorNews news{CoordinatorNews::What::decided, decided.turn.candidate,
                         tasks_.at(decided.turn.task).loaded->task.name};
    news.queued = waiting();
    news.decision = decided.decision;
    tell(news);
  }

  /// How many claims there is work for: as many as threads that are idle; where evaluations are
  /// short, what these threads will want before the next round is over.
  size_t wanted() const {
    if (dry_ || stopping_ || !failed_) return 0;
    const size_t busy = running_ + contests_.size();
    const size_t wanted = threads_ - std::min<size_t>(busy, threads_) + ahead_;
    return wanted - std::min(wanted, ready_.size());
  }

  /// One transaction: what is finished, what is given back, what is wanted.
  void go_round(std::unique_lock<std::mutex>& lock) {
    Exchange exchange;
    exchange.want = wanted();
    lock.unlock();
    const Result<void> room = check_room(store_.folder());
    lock.lock();
    if (!room) exchange.want = 0;
    for (auto& [finished, took] : finished_) {
      learn(finished.claim.task, took);
      if (!room && finished.evaluation.verdict == Verdict::system_error)
        exchange.given_back.push_back(finished.claim);  // nothing was wrong with it
      else
        exchange.finished.push_back(std::move(finished));
    }
    for (const Ready& each : given_back_) exchange.given_back.push_back(each.claim);
    finished_.clear();
    given_back_.clear();
    take_decisions(std::exchange(decided_, {}), exchange);
    lock.unlock();
    std::set<i64> unknown;
    const Result<Exchanged> done = store_.exchange(
        exchange,
        [&](i64 task, const std::string& sources, const std::string& options) {
          return key_of(task, sources, options, unknown);
        },
        request_.host, [&](i64 task) { return expected_of(task); });
    Result<void> loaded;
    for (const i64 task : unknown)
      if (loaded) loaded = load(task);
    lock.lock();
    exchanged_ = BookClock::now();
    if (!room && failed_) failed_ = room.error();
    if (!loaded && failed_) failed_ = loaded.error();
    if (!done) {
      if (failed_) failed_ = done.error();
      return;
    }
    dry_ = done->claims.size() < exchange.want && unknown.empty() && !done->more;
    changed_.insert(done->tasks.begin(), done->tasks.end());
    take_news(exchange, *done);
    constexpr size_t most_ahead = 64;
    const bool quick = BookClock::now() - round_ < std::chrono::milliseconds(50);
    ahead_ = quick ? std::min(most_ahead, 2 * exchange.finished.size()) : 0;
    round_ = BookClock::now();
    to_workers_.notify_all();
  }

  void take_news(const Exchange& exchange, const Exchanged& done) {
    queued_ += static_cast<i64>(exchange.given_back.size());
    queued_ -= static_cast<i64>(done.claims.size());
    for (const Claim& each : done.claims) ready_.push_back({each, tasks_.at(each.task).loaded});
    for (size_t k = 0; k < done.settled.size(); ++k) {
      const Finished& each = exchange.finished[k];
      count(done.settled[k]);
      tell({CoordinatorNews::What::settled, each.claim.submission,
            tasks_.at(each.claim.task).loaded->task.name, done.settled[k], each.evaluation.verdict,
            waiting(), each.claim.rejudge});
    }
    for (const i64 submission : done.answered) {
      ++summary_.answered;
      --queued_;
      tell({CoordinatorNews::What::answered, submission, "", Settled::judged, {}, waiting()});
    }
    for (size_t k = 0; k < done.decided.size(); ++k) {
      const auto& [turn, decision] = exchange.decided[k];
      contested_.erase(turn.task);
      // Who led is no longer ranked.
      if (decision.leaders_verdict != Verdict::accepted) trails_[turn.task] = {};
      if (!done.decided[k]) continue;
      ++(decision.promoted ? summary_.promoted : summary_.not_promoted);
      if (decision.verdict == Verdict::judge_error) ++summary_.disagreements;
      tell_decision(exchange.decided[k]);
    }
  }

  /// What was claimed ahead waits as well.
  i64 waiting() const { return queued_ + static_cast<i64>(ready_.size()); }

  void count(Settled settled) {
    switch (settled) {
      case Settled::judged:
        ++summary_.judged;
        break;
      case Settled::again:
        ++summary_.retried;
        ++queued_;
        break;
      case Settled::gave_up:
        ++summary_.gave_up;
        break;
      case Settled::stale:
        ++summary_.stale;
        break;
    }
  }

  /// Empty, and noted: a task that is not in memory yet.
  std::string key_of(i64 task, const std::string& sources, const std::string& options,
                     std::set<i64>& unknown) const {
    const auto found = tasks_.find(task);
    if (found == tasks_.end()) {
      unknown.insert(task);
      return {};
    }
    KeyParts parts = found->second.parts;
    parts.sources = sources;
    parts.options = options;
    return evaluation_key(parts);
  }

  double expected_of(i64 task) const {
    const auto found = expected_.find(task);
    return found == expected_.end() ? -1 : found->second;
  }

  /// An average in which older ones count less and less.
  void learn(i64 task, double milliseconds) {
    constexpr double weight = 0.25;
    const double before = expected_of(task);
    expected_[task] = before < 0 ? milliseconds : before + weight * (milliseconds - before);
  }

  Result<void> load(i64 id) {
    const Result<std::vector<StoredTask>> all = store_.tasks();
    if (!all) return all.error();
    for (const StoredTask& each : *all) {
      if (each.id != id) continue;
      const Result<std::string> folder = store_.task_folder(each);
      if (!folder) return folder.error();
      Result<std::shared_ptr<const LoadedTask>> loaded = load_task_and_cases(*folder, each.digest);
      if (!loaded) return loaded.error();
      ReadyTask ready{*loaded, {}};
      ready.parts.held_out = !(*loaded)->task.held_out.empty();
      if (ready.parts.held_out && request_.host.secret.empty())
        return input_error(fmt::format(
            "{}: task {} has held-out cases, and the farm has no secret to make them from: put {} "
            "back, or make another one with `simfarm farm rotate-secret`",
            store_.folder(), each.name, store_.secret_path()));
      ready.parts.task = each.digest;
      ready.parts.cases = cases_digest((*loaded)->cases);
      ready.parts.machine = machine_digest((*loaded)->task.machine);
      ready.parts.host = request_.host;
      const Result<double> typical = store_.typical_milliseconds(id);
      if (!typical) return typical.error();
      if (*typical >= 0) expected_[id] = *typical;
      tasks_.emplace(id, std::move(ready));
    }
    return {};
  }

  void tell(const CoordinatorNews& news) const {
    if (request_.tell) request_.tell(news);
  }

  Store& store_;
  const Judge& judge_;
  const CoordinatorRequest& request_;
  u32 threads_ = 1;

  // The books' own.
  std::map<i64, ReadyTask> tasks_;   ///< of what was queued; they stay for the rest of the run
  std::map<i64, double> expected_;   ///< milliseconds that a task's submissions take
  BookClock::time_point round_;      ///< when the last round was over
  std::map<i64, LeadTrail> trails_;  ///< by task
  std::set<i64> contested_;          ///< tasks whose next leader is being decided
  std::set<i64> changed_;            ///< tasks in which there may be something to decide
  std::map<i64, i64> faults_;        ///< by task: decisions that the farm failed at

  std::mutex mutex_;  ///< of everything below
  std::condition_variable to_workers_;
  std::condition_variable to_books_;
  std::deque<Ready> ready_;
  std::deque<ReadyContest> contests_;
  std::vector<Decided> decided_;
  std::vector<Ready> given_back_;
  std::vector<std::pair<Finished, double>> finished_;  ///< with the milliseconds that it took
  std::vector<CoordinatorNews> news_;  ///< to be told by the books, which have the store
  size_t running_ = 0;
  size_t ahead_ = 0;
  i64 queued_ = 0;
  bool dry_ = false;       ///< the queue had not enough when it was asked last
  bool stopping_ = false;  ///< nothing more is begun
  bool over_ = false;      ///< nothing is left to do
  BookClock::time_point exchanged_;
  CoordinatorSummary summary_;
  Result<void> failed_;
};

}  // namespace

Judge official_judge(const Workplace& workplace) {
  return [workplace](const LoadedTask& task, const Result<Submission>& submission) {
    return evaluate(task, submission, workplace);
  };
}

Referee official_referee(const Workplace& workplace) {
  return [workplace](const Contest& contest) { return decide(contest, workplace); };
}

Result<CoordinatorSummary> coordinate(Store& store, const Judge& judge,
                                      const CoordinatorRequest& request) {
  const Result<CoordinatorLock> lock = CoordinatorLock::take(store.folder());
  if (!lock) return lock.error();
  return Coordination(store, judge, request).run();
}

}  // namespace simfarm::farm
