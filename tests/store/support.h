// What the store's tests share: farms with a small task, submissions to it, judges that run
// nothing.
#pragma once
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "farm/board.h"
#include "farm/digest.h"
#include "farm/store/coordinator.h"
#include "farm/store/fsck.h"
#include "farm/store/view.h"
#include "tests/farm/small_task.h"

namespace simfarm::farm::test {

inline const JudgingHost some_host{"some toolchain", "some simulator"};

/// A source that differs for each number; its first case "takes" so many cycles (invented_judge).
inline std::string invented_source(u64 cycles, u64 number) {
  return "// cycles " + std::to_string(cycles) + "\n// number " + std::to_string(number) + "\n";
}

/// Judges a submission by what its first line says, as said above; without one: WRONG_OUTPUT.
inline Evaluation invented_judge(const LoadedTask&, const Result<Submission>& submission) {
  Evaluation result;
  if (!submission) {
    result.failure = submission.error().message;
    return result;
  }
  const std::vector<u8>& bytes = submission->files.front().bytes;
  const std::string text(bytes.begin(), bytes.end());
  result.source_digest = sha256(submission->files);
  result.verdict = Verdict::wrong_output;
  result.failed_case = "one";
  result.failure = "as invented\n";
  if (text.starts_with("// cycles ")) {
    result.verdict = Verdict::accepted;
    result.failed_case = result.failure = "";
    CaseScore one{.name = "one", .cycles = std::stoull(text.substr(10)), .boot_cycles = 1};
    one.total.issued[0] = one.cycles;
    one.total.stalls[3] = 7;
    result.cases = {one};
  }
  return result;
}

/// Promotes whoever would lead, but for what a line of the source says.
inline Decision invented_referee(const Contest& contest) {
  const std::vector<u8>& bytes = contest.submission->files.front().bytes;
  const std::string text(bytes.begin(), bytes.end());
  const auto says = [&](const char* word) { return text.find(word) != std::string::npos; };
  if (says("// fault")) return {.verdict = Verdict::system_error, .detail = "as invented"};
  if (says("// slower")) return {.decided = true, .detail = "slower, as invented"};
  if (says("// fails"))
    return {.decided = true, .verdict = Verdict::wrong_output, .detail = "fails, as invented"};
  if (says("// engines"))
    return {.decided = true,
            .verdict = Verdict::judge_error,
            .detail = "the engines disagree, as invented",
            .description = "what they say"};
  Decision promoted{.decided = true, .promoted = true, .detail = "as invented"};
  if (says("// exposes")) promoted.leaders_verdict = Verdict::wrong_output;
  return promoted;
}

inline Store open_store(const std::string& farm, StoreOptions options = {}) {
  Result<Store> store = Store::open(farm, std::move(options));
  EXPECT_TRUE(store) << (store ? "" : store.error().message);
  return std::move(*store);
}

/// Where a farm that syncs every step is quick: in memory, where there is such a place.
inline std::filesystem::path quick_place() {
  std::error_code error;
  const std::filesystem::path memory = "/dev/shm";
  return std::filesystem::is_directory(memory, error) ? memory
                                                      : std::filesystem::temp_directory_path();
}

/// A folder with a task, and a farm that has it. The task has no kernel.
class FarmFolder : public Folder {
 public:
  /// The task's toml begins with `head`.
  explicit FarmFolder(const std::string& head = "")
      : Folder(quick_place()), task_(write_small_task(*this)) {
    if (!head.empty()) write("tasks/small/task.toml", head + small_task_toml);
    EXPECT_TRUE(Store::create(farm()));
    Store store = open();
    const auto added = store.add_task(task_);
    EXPECT_TRUE(added) << (added ? "" : added.error().message);
  }
  std::string farm() const { return path("farm"); }
  Store open(StoreOptions options = {}) const { return open_store(farm(), std::move(options)); }
  /// Writes a submission; returns its folder.
  std::string candidate(const std::string& name, const std::string& source,
                        const std::string& author = "test", const std::string& more = "") const {
    write("in/" + name + "/a.c", source);
    write("in/" + name + "/submission.toml",
          "task = \"small\"\nauthor = \"" + author + "\"\nsources = [\"a.c\"]\n" + more);
    return path("in/" + name);
  }

 private:
  std::string task_;
};

/// A key of the submission's own parts alone.
inline std::string simple_key(i64 task, const std::string& sources, const std::string& options) {
  return evaluation_key({sources, options, std::to_string(task), "", "", some_host, false});
}

/// Judges all that is queued, with invented results unless said otherwise; without a referee nobody
/// is promoted.
inline Result<CoordinatorSummary> coordinate_all(Store& store, u32 threads = 1,
                                                 const Judge& judge = invented_judge,
                                                 const Referee& referee = {}) {
  return coordinate(store, judge, {threads, some_host, {}, {}, referee});
}

inline void expect_whole(Store& store) {
  const auto report = check_farm(store);
  ASSERT_TRUE(report) << (report ? "" : report.error().message);
  for (const std::string& problem : report->problems) ADD_FAILURE() << problem;
}

/// The states of a submission's log.
inline std::vector<std::string> states(Store& store, i64 id) {
  std::vector<std::string> names;
  const std::vector<Event> events = *store.events(id);
  for (const Event& each : events) names.emplace_back(name(each.state));
  return names;
}

/// Hands in what lies there; its number.
inline i64 submitted(Store& store, const std::string& path) {
  const auto one = store.submit(path);
  EXPECT_TRUE(one) << (one ? "" : one.error().message);
  return one ? one->id : 0;
}

/// The board, byte for byte, without the folder's name.
inline std::string board_bytes(Store& store) {
  const std::optional<StoredTask> task = *store.find_task("small");
  std::vector<Scored> batch = *store.scored(*task);
  for (Scored& each : batch) each.entry.rerun = "";
  return batch.empty() ? "" : board_document(make_boards(batch).front()).dump();
}

/// Ends the process, as kill -9 does, when a transaction reaches its step number `at`.
inline StoreOptions killed_at(int at) {
  auto left = std::make_shared<int>(at);
  StoreOptions options;
  options.boundary = [left](std::string_view) {
    if (--*left == 0) kill(getpid(), SIGKILL);
  };
  return options;
}

/// Runs `body` in a process of its own; its exit status, or minus the signal that ended it.
template <class Body>
int in_child(const Body& body) {
  const pid_t pid = fork();
  if (pid == 0) {
    body();
    _exit(testing::Test::HasFailure() ? 99 : 0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace simfarm::farm::test
