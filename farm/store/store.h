// A farm on a disk: tasks, submissions, the queue, results and the log of everything that happened
// (docs/farm.md). One write transaction for each step, so that after any crash every step has
// happened or has not.
//
// The folder: farm.db (SQLite), blobs/ (by content), tasks/ (packages unpacked, made again when
// they are not as they must be), secret (farm/secret.h), coordinator.lock.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "farm/evaluate.h"
#include "farm/promotion.h"
#include "farm/score.h"
#include "farm/secret.h"
#include "farm/store/blobs.h"
#include "farm/store/database.h"
#include "farm/store/key.h"

namespace simfarm::farm {

/// Where a submission is on its way; the table of transitions is `may_follow`.
enum class State : u8 {
  received,      ///< its bytes are on the disk
  rejected,      ///< by intake; never queued
  queued,        ///< to be judged
  running,       ///< somebody has a lease on it
  judged,        ///< has a verdict
  ranked,        ///< judged ACCEPTED: on the board
  held,          ///< judged HELD: a person has to look at it
  cancelled,     ///< withdrawn
  system_error,  ///< the farm failed to judge it, more often than it tries
  count
};
std::string_view name(State state);
std::optional<State> parse_state(std::string_view text);

/// Who made a transition: the farm itself (`none`, `promotion`), or a person, and what that person
/// did.
enum class Act : u8 {
  none,
  hold,       ///< takes a judged one off the board's ranks
  approve,    ///< gives a held one the verdict back that it had; what a rule held is ranked
  cancel,     ///< withdraws one that is not judged, or held
  promotion,  ///< the farm's: decides whether it leads, or what else it turned out to be
  count
};
/// "hold"; empty: none.
std::string_view name(Act act);
std::optional<Act> parse_act(std::string_view text);

/// Whether the log may have `after`, made by `act`, behind `before` of the same submission.
bool may_follow(State before, State after, Act act = Act::none);

struct StoredTask {
  i64 id = 0;
  std::string name;
  std::string digest;  ///< of its package
  std::string folder;  ///< where it came from
};

struct StoredSubmission {
  i64 id = 0;
  std::string name;  ///< "kernel", or its number: what boards call it
  std::string task;  ///< empty: none that the farm has
  std::string author, parent, note;
  std::string archive;            ///< digest of what was handed in
  std::string sources;            ///< digest of its files
  State state = State::received;  ///< as the log says
  std::string evaluation;         ///< key of what counts now; empty: not judged
  Act act = Act::none;            ///< what led to `state`
  std::string detail;             ///< of it: the reason that a person gave
};

/// What each author may submit; 0: no bound.
struct Quotas {
  i64 waiting = 0;  ///< submissions that are queued or running
  i64 daily = 0;    ///< submissions in 24 hours
};

/// What became of a set of submissions that are judged again.
enum class SetState : u8 {
  begun,      ///< its members are judged; what they had counts
  applied,    ///< what they have now counts
  cancelled,  ///< it does not count, or no longer
  count
};
/// "begun".
std::string_view name(SetState state);

struct RejudgeSet {
  i64 id = 0;
  std::string task, selection, reason;
  SetState state = SetState::begun;
};

struct RejudgeMember {
  i64 submission = 0;
  std::string before;    ///< key of what it had when the set was begun
  std::string after;     ///< key of what it has now; empty: not judged yet
  bool gave_up = false;  ///< the farm failed to judge it, more often than it tries
};

/// One line of the log.
struct Event {
  i64 id = 0;
  i64 time = 0;  ///< milliseconds since 1970; for people, nothing is ordered by it
  i64 submission = 0;
  State state = State::received;
  i64 attempt = 0;
  std::string evaluation;
  std::string detail;  ///< for people; of a person's act: the reason
  Act act = Act::none;
};

/// A blob that a row names and that is not kept, on purpose.
struct Dropped {
  i64 time = 0;
  std::string why;
};

/// What an act changed.
struct Acted {
  i64 submission = 0;
  State before = State::received;
  State after = State::received;
};

/// What was decided about a submission that would have led. It holds of these two results: when
/// another counts for one of them, it says nothing, until that one counts again.
struct Promotion {
  i64 submission = 0;
  std::string evaluation;  ///< key of its result
  i64 leader = 0;          ///< who led then; 0: nobody
  std::string leader_evaluation;
  bool promoted = false;
  Verdict verdict = Verdict::accepted;          ///< what the submission turned out to be
  Verdict leaders_verdict = Verdict::accepted;  ///< and what the leader did
  std::string detail;
  std::string description;  ///< a blob; empty: none
};

/// Whose turn it is to be considered for the lead of a task's board.
struct Turn {
  i64 task = 0;
  i64 candidate = 0;  ///< 0: nobody's
  std::string evaluation;
  i64 leader = 0;  ///< 0: nobody leads
  std::string leader_evaluation;
  /// The same two results were held against each other before, of other submissions.
  std::optional<Promotion> known = {};
};

/// A decision, and about whom.
struct Decided {
  Turn turn;
  Decision decision;
};

/// How far somebody has followed who led a task's board, in the order of submitting; begins anew
/// after a person's act.
struct LeadTrail {
  i64 leader = 0;
  std::string evaluation;
  u64 key = 0;  ///< of the leader's score, less is better
  i64 looked_up_to = 0;
  i64 acts = -1;  ///< persons' acts in the log then
};

/// A lease on a submission: its holder alone may say what became of it.
struct Claim {
  i64 token = 0;
  i64 submission = 0;
  i64 task = 0;
  i64 attempt = 0;
  std::string archive;
  std::string key;
  i64 rejudge = 0;  ///< the set for which it is judged again; 0: none
};

/// What asking for work gave.
struct Claimed {
  std::optional<Claim> claim;  ///< none: nothing to be done now
  std::vector<i64> answered;   ///< judged on the way, since their key was judged before
};

/// What a lease's holder was told.
enum class Settled : u8 {
  judged,   ///< the verdict is in the log
  again,    ///< the farm's own fault: queued once more
  gave_up,  ///< the same, too often: system error
  stale,    ///< the lease was no longer his; nothing was changed
};

// Longer than any evaluation takes. A coordinator's end takes its leases back at once
// (requeue_leased). A clock that jumps costs a second run, whose lease alone counts then.
inline constexpr i64 lease_milliseconds = i64{6} * 3600 * 1000;

/// Error (usage): a person's reason must be one line of text that may be shown, and not too long.
Result<void> check_reason(const std::string& reason);

/// What became of a claim.
struct Finished {
  Claim claim;
  Evaluation evaluation;
};

/// What a coordinator and the store tell each other at once.
struct Exchange {
  std::vector<Finished> finished;  ///< results
  std::vector<Claim> given_back;   ///< leases of which nothing became: queued again, no fault
  size_t want = 0;                 ///< claims, at most
  std::vector<Decided> decided = {};
};
struct Exchanged {
  std::vector<Settled> settled;  ///< of `finished`
  std::vector<Claim> claims;
  std::vector<i64> answered;  ///< judged on the way, since their key was judged before
  bool more = false;          ///< the queue was not looked through: `max_answered` were
  std::vector<bool> decided;  ///< of `decided`: written; else one of the two is not what it was
  std::set<i64> tasks;        ///< in which something was judged or decided
};

struct StoreOptions {
  std::function<i64()> clock;  ///< milliseconds since 1970; the host's when empty
  Boundary boundary;           ///< database.h
};

class Store {
 public:
  /// The farm's own faults (SYSTEM_ERROR, HOST_LIMIT, ...) are followed by another try so often.
  static constexpr i64 max_retries = 3;
  /// One transaction answers no more than about so many: others wait for it.
  static constexpr size_t max_answered = 1000;

  /// Makes a farm in a folder, which need not be there. Error: a network file system, a farm there
  /// already.
  static Result<void> create(const std::string& folder);
  /// The same, for rotate_secret() to make one.
  static Result<void> create_without_secret(const std::string& folder);
  /// Error: no farm, another schema's, or on a network file system.
  static Result<Store> open(const std::string& folder, StoreOptions options = {});
  /// The same to look only.
  static Result<Store> open_to_read(const std::string& folder);

  const std::string& folder() const { return folder_; }
  /// Milliseconds since 1970, by StoreOptions::clock.
  i64 now() const { return options_.clock(); }
  const Blobs& blobs() const { return blobs_; }
  Database& database() { return database_; }

  // Tasks (store_tasks.cpp).
  /// Keeps the package; queues its starting kernel, which speed-ups are over. The same package once
  /// more changes nothing. Error: another package of this name is there.
  Result<StoredTask> add_task(const std::string& folder);
  Result<std::vector<StoredTask>> tasks();
  Result<std::optional<StoredTask>> find_task(const std::string& name);
  /// The folder in which the task's package is unpacked, byte for byte as it was added.
  Result<std::string> task_folder(const StoredTask& task) const;
  /// What the task asks and ranks by; read once, as a package never changes.
  Result<std::shared_ptr<const Task>> rules_of(i64 task);

  // The secret (store_secret.cpp).
  /// None: the farm has none yet, or no longer. Error: it is damaged, or others may read it.
  Result<std::optional<Secret>> secret() const;
  /// Makes another one; its id goes into the list of all that the farm has had. Only for who has
  /// the CoordinatorLock. Returns the ids of the old one (empty: there was none) and the new one.
  Result<std::pair<std::string, std::string>> rotate_secret();
  /// The ids of all secrets that the farm has had.
  Result<std::vector<std::string>> secret_ids();
  std::string secret_path() const { return folder_ + "/secret"; }

  // Intake (store_intake.cpp).
  /// Keeps what lies at `path` (a folder or a tar file) and queues or rejects it. Error: it could
  /// not be read, or not be kept; nothing was received.
  Result<StoredSubmission> submit(const std::string& path);
  Result<Quotas> quotas();
  Result<void> set_quotas(const Quotas& quotas);

  // The queue (store_queue.cpp). Only for who has the CoordinatorLock.
  /// A submission's key, from its parts that the store has; empty: not now.
  using KeyOf =
      std::function<std::string(i64 task, const std::string& sources, const std::string& options)>;
  /// Leases the next submission, of those with fewest faults the first, after it has queued again
  /// what has a lease that ended. On the way answers those
  /// whose key has a result, and passes over those whose key is being judged.
  Result<Claimed> claim(const KeyOf& key_of);
  /// How long a submission of that task will take, in milliseconds; negative: nobody knows. Those
  /// that take longest are leased first.
  using Expected = std::function<double(i64 task)>;
  /// All of it in one transaction, and so with one wait for the disk: results first, then claims.
  Result<Exchanged> exchange(const Exchange& exchange, const KeyOf& key_of, const JudgingHost& host,
                             const Expected& expected = {});
  /// How long the task's latest judgements took, on average, in milliseconds; negative: there are
  /// none. For guesses: times are the log's.
  Result<double> typical_milliseconds(i64 task);
  /// Says what became of it, in one transaction with the result.
  Result<Settled> complete(const Claim& claim, const Evaluation& evaluation,
                           const JudgingHost& host);
  /// Takes all leases back: whoever had them is gone. Returns how many.
  Result<i64> requeue_leased();
  /// How many wait: queued ones, and members of sets that are judged again.
  Result<i64> count_queued();

  // Who leads (store_promotion.cpp). A board's lead is followed in the order of submitting: the
  // starting kernel has it first; who is ranked with a better score takes it when a decision says
  // so.
  /// The first that is ranked with a better score than the leader of its turn and of which nothing
  /// is decided; nobody's while an earlier one is not judged. The trail is moved up to there.
  Result<Turn> next_turn(i64 task, LeadTrail& trail, u32 timing = timing_version);
  /// Both results, without programs and sources.
  Result<Contest> contest(const Turn& turn, const JudgingHost& host);
  /// Writes one decision, as exchange() does.
  Result<bool> decide(const Turn& turn, const Decision& decision);
  /// Where everybody who is ranked in that timing stands, by number.
  Result<std::map<i64, Standing>> standings(i64 task, u32 timing = timing_version);
  /// 0: nobody leads.
  Result<i64> leader(i64 task, u32 timing = timing_version);
  /// All decisions of a task, in their order.
  Result<std::vector<Promotion>> promotions(i64 task);

  // A person's decisions (store_acts.cpp).
  /// Does that to all of them or, with an error, to none. The reason goes into the log: one line of
  /// text, needed for all but cancel. Error (usage): one of them is in a state in which that cannot
  /// be done; the message says in which, and what can.
  Result<std::vector<Acted>> act(const std::vector<i64>& ids, Act act, const std::string& reason);

  // Judging again (store_rejudge.cpp). Members are judged as what is queued, after it.
  /// Begins a set; its number. Error (usage): one of them was not judged, or is in a set that is
  /// neither applied nor cancelled.
  Result<i64> begin_rejudge(const StoredTask& task, const std::vector<i64>& submissions,
                            const std::string& selection, const std::string& reason);
  Result<std::vector<RejudgeSet>> rejudges();
  /// Error (usage): no such set.
  Result<RejudgeSet> rejudge(i64 id);
  Result<std::vector<RejudgeMember>> rejudge_members(i64 set);
  /// Applies a set that was begun, or cancels one that was begun or applied: then what its members
  /// had counts again. Error (usage): another state, or not all of it is judged.
  Result<void> settle_rejudge(i64 set, SetState to, const std::string& reason);

  // Looking (store_read.cpp).
  Result<std::optional<StoredSubmission>> submission(i64 id);
  /// When and why a blob was dropped (store_drop.cpp); none: it was not.
  Result<std::optional<Dropped>> dropped(const std::string& digest);
  Result<std::vector<Event>> events(i64 submission);
  /// Error (io): a result that is damaged.
  Result<Evaluation> evaluation(const std::string& key);
  /// Submissions by state, of one task (or, 0, of none).
  using Counts = std::array<i64, static_cast<size_t>(State::count)>;
  Result<Counts> counts(i64 task);
  /// What a board is made of: every judged, rejected or cancelled submission of the task, by the
  /// log alone. What a person holds is HELD there, what is cancelled CANCELLED, with the reason and
  /// without the result that it had.
  Result<std::vector<Scored>> scored(const StoredTask& task, u32 timing = timing_version);
  /// One of them with the result that it had, held or not; none: neither judged nor rejected.
  Result<std::optional<Scored>> scored(i64 submission);

 private:
  Store(std::string folder, Database database, StoreOptions options);
  /// Appends to the log, and sets the state that the log says.
  Result<void> log(i64 submission, State state, i64 attempt, const std::string& detail,
                   const std::string& evaluation = {}, Act act = Act::none);
  Result<void> log_set(i64 set, SetState state, const std::string& reason);
  Result<void> add_member(i64 set, const StoredTask& task, i64 id);
  /// Makes the table say what the log says of a set's members.
  Result<void> set_states(i64 set);
  /// These two inside a transaction.
  Result<std::optional<Claim>> claim_member(const KeyOf& key_of);
  Result<Settled> complete_member(const Claim& claim, const Evaluation& evaluation,
                                  const JudgingHost& host);
  /// Whether somebody has a lease under that key.
  Result<bool> is_running(const std::string& key);
  /// One of act(); inside a transaction.
  Result<Acted> act_on(i64 id, Act act, const std::string& reason);
  /// Error (temporary): the author has submitted as much as is allowed now.
  Result<void> check_quotas(const std::string& author);
  struct Intake;
  Result<i64> insert(const Intake& intake);
  /// Queues again what has a lease that ends then or before; inside a transaction.
  Result<i64> take_back(i64 until, const std::string& why);
  /// A token is the log's number of the line that gave it: never given twice.
  Result<Claim> lease(i64 submission, i64 task, i64 attempt, const std::string& archive,
                      const std::string& key);
  Result<void> judge(i64 submission, i64 attempt, const std::string& key, Verdict verdict,
                     const std::string& detail);
  Result<void> keep(const std::string& key, const Evaluation& evaluation, const JudgingHost& host);
  /// These inside a transaction.
  /// Before a row names a blob: it is there, and no longer dropped. Error (temporary): it went away
  /// since it was put.
  Result<void> about_to_name(const std::string& digest);
  Result<Settled> settle(const Claim& claim, const Evaluation& evaluation, const JudgingHost& host);
  Result<Settled> settle_fault(const Claim& claim, const Evaluation& evaluation);
  Result<void> release(const Claim& claim);
  Result<bool> write_decision(const Turn& turn, const Decision& decision,
                              const std::string& description);
  Result<void> hand_out(size_t want, const KeyOf& key_of, const Expected& expected,
                        Exchanged& result);
  Result<Scored> scored_of(const StoredSubmission& submission,
                           std::shared_ptr<const LoadedTask> task);

  std::string folder_;
  std::map<i64, std::shared_ptr<const Task>> rules_;  ///< of tasks, by id, as they were needed
  Blobs blobs_;
  Database database_;
  StoreOptions options_;
};

}  // namespace simfarm::farm
