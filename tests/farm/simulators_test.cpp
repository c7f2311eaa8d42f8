// Simulations in child processes: the same judgements as here, and whatever a child does, an
// answer. The worker is this test program, started again (Worker.ServesWhenAsked): its children
// look for a word in the program that they are given, and do what it says.
#include "farm/simulators.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/bytes.h"
#include "base/file.h"
#include "base/hash.h"
#include "farm/build.h"
#include "farm/score.h"
#include "farm/seccomp.h"
#include "farm/simulation_record.h"
#include "tests/farm/small_task.h"

namespace simfarm::farm {
namespace {

using test::Folder;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* worker_variable = "SIMFARM_TEST_WORKER";

std::vector<u8> bytes_of_text(const std::string& text) { return {text.begin(), text.end()}; }

/// What a simulation's process can still do to its host; as a program might that has taken it over.
std::string what_is_possible() {
  std::string possible;
  const auto note = [&](bool done, const char* what) {
    if (done) possible += std::string(what) + "\n";
  };
  note(open("/etc/passwd", O_RDONLY) >= 0, "opens files");
  note(open("/tmp/simfarm-test-file", O_CREAT | O_WRONLY, 0600) >= 0, "makes files");
  note(socket(AF_INET, SOCK_STREAM, 0) >= 0, "has a network");
  note(kill(getppid(), 0) == 0, "signals its parent");
  note(prctl(PR_SET_DUMPABLE, 1) == 0, "asks for prctl");
  note(mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, 1, 0) != MAP_FAILED, "maps files");
  const pid_t child = fork();
  if (child == 0) _exit(0);
  note(child > 0, "starts processes");
  execl("/bin/true", "true", nullptr);
  return possible;
}

/// Does what the program's word says; without one, what it has to.
std::vector<u8> obey(std::span<const u8> bytes) {
  const Result<SimulationRequest> request = unpack_request(bytes);
  const std::string program(request->elf.begin(), request->elf.end());
  const auto says = [&](const char* word) { return program.find(word) != std::string::npos; };
  if (says("PLEASE-CRASH")) {
    fprintf(stderr, "last\x1b[31m words\n");
    *static_cast<volatile int*>(nullptr) = 1;
  }
  if (says("PLEASE-ABORT")) check(false, "as asked");
  if (says("PLEASE-EXIT")) _exit(3);
  if (says("PLEASE-STARVE")) throw std::bad_alloc();
  if (says("PLEASE-THROW")) throw std::runtime_error("thrown");
  if (says("PLEASE-TALK"))
    for (int k = 0; k < 100'000; ++k) fprintf(stderr, "a line of a flood of lines\n");
  if (says("PLEASE-HANG"))
    for (;;) sched_yield();
  if (says("PLEASE-SAY-NOTHING")) return {};
  if (says("PLEASE-SAY-NONSENSE")) return bytes_of_text("ACCEPTED: 1 cycle");
  if (says("PLEASE-FLOOD")) return std::vector<u8>(50u << 20, 7);
  if (says("PLEASE-TRY")) {
    Judgement told;
    told.verdict = Verdict::rejected;
    told.failure = what_is_possible();
    return pack_record(told);
  }
  return simulate_request(bytes);
}

TEST(Worker, ServesWhenAsked) {
  if (std::getenv(worker_variable) != nullptr) _exit(serve_simulations(worker_socket, obey));
}

SimulatorOptions this_program(const Folder& folder) {
  return {.command = {"/usr/bin/env", std::string(worker_variable) + "=1",
                      std::filesystem::read_symlink("/proc/self/exe").string(),
                      "--gtest_filter=Worker.*"},
          .version = [] { return "some version"; },
          .crashes = folder.path("crashes"),
          .limits = {}};
}

/// The small task, in a folder of its own, and simulators for it.
class SimulatorsTest : public testing::Test {
 protected:
  SimulatorsTest() : task_(*load_task_and_cases(test::write_small_task(folder_))) {}
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a child has no right to what sanitizers do";
#endif
  }
  Judgement judge(const std::string& elf, const JudgeOptions& options = {}) {
    return simulators_.judge(task_->task, task_->cases, bytes_of_text(elf), options);
  }
  size_t crashes() const {
    std::error_code none;
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(folder_.path("crashes"), none), {}));
  }
  Folder folder_;
  std::shared_ptr<const LoadedTask> task_;
  Simulators simulators_{this_program(folder_)};
};

void expect_equal(const Judgement& a, const Judgement& b) {
  EXPECT_EQ(name(a.verdict), name(b.verdict)) << a.failure;
  EXPECT_EQ(a.failed_case, b.failed_case);
  EXPECT_EQ(a.failure, b.failure);
  EXPECT_EQ(a.local_bytes, b.local_bytes);
  ASSERT_EQ(a.cases.size(), b.cases.size());
  for (size_t k = 0; k < a.cases.size(); ++k) {
    EXPECT_EQ(a.cases[k].name, b.cases[k].name);
    EXPECT_EQ(a.cases[k].cycles, b.cases[k].cycles);
    EXPECT_EQ(a.cases[k].boot_cycles, b.cases[k].boot_cycles);
    EXPECT_EQ(a.cases[k].instructions, b.cases[k].instructions);
    EXPECT_EQ(a.cases[k].units, b.cases[k].units);
    EXPECT_EQ(a.cases[k].total, b.cases[k].total);
    EXPECT_EQ(a.cases[k].dma_bytes, b.cases[k].dma_bytes);
    EXPECT_EQ(a.cases[k].ocm_bytes, b.cases[k].ocm_bytes);
    EXPECT_EQ(a.cases[k].dram_bytes, b.cases[k].dram_bytes);
    EXPECT_EQ(a.cases[k].outputs, b.cases[k].outputs);
    EXPECT_EQ(a.cases[k].error, b.cases[k].error);
  }
}

TEST_F(SimulatorsTest, JudgeAsThisProcessDoes) {
  SimulationsHere here;
  const auto both = [&](const std::vector<u8>& elf, const JudgeOptions& options = {}) {
    const Judgement expected = here.judge(task_->task, task_->cases, elf, options);
    expect_equal(simulators_.judge(task_->task, task_->cases, elf, options), expected);
    return expected;
  };
  EXPECT_EQ(both(bytes_of_text("no program")).verdict, Verdict::rejected);
  EXPECT_EQ(both({}).verdict, Verdict::rejected);
  const auto built = [&](const std::string& lines) {
    test::write_submission(folder_, "kernel", test::kernel_with(lines));
    return build(test::real_toolchain(), task_->task,
                 *load_submission(folder_.path("tasks/small/kernel")))
        .elf;
  };
  const std::vector<u8> good = built("");
  EXPECT_EQ(both(good).cases.size(), 2u);
  EXPECT_EQ(both(good, {.engine = EngineKind::reference, .poison = {1, 2}}).verdict,
            Verdict::accepted);
  EXPECT_EQ(both(built("if (n == 16) y[0] = 0;")).failed_case, "two");
  EXPECT_EQ(both(built("sf_recv(SF_EAST);")).verdict, Verdict::deadlock);
  // Other cases than the task's, also none.
  const std::vector<Case> second = {task_->cases[1]};
  EXPECT_EQ(simulators_.judge(task_->task, second, good).cases.front().name, "two");
  EXPECT_EQ(simulators_.judge(task_->task, {}, good).verdict, Verdict::accepted);
  EXPECT_EQ(crashes(), 0u);
}

TEST_F(SimulatorsTest, ACrashIsTheFarmsFaultAndLeavesAReproducer) {
  const Judgement crashed = judge("PLEASE-CRASH");
  EXPECT_EQ(crashed.verdict, Verdict::system_error);
#ifndef __SANITIZE_ADDRESS__  // which ends such a process itself
  EXPECT_THAT(crashed.failure, HasSubstr("ended by signal 11 (SIGSEGV)"));
#endif
  EXPECT_THAT(crashed.failure, AllOf(HasSubstr("last\\x1b[31m words"),
                                     HasSubstr("simfarm rerun " + folder_.path("crashes/"))));
  EXPECT_EQ(judge("PLEASE-CRASH").verdict, Verdict::system_error) << "again, but saved once";
  EXPECT_EQ(crashes(), 1u);
  EXPECT_EQ(judge("no program").verdict, Verdict::rejected) << "the next has its own process";

  const std::string place =
      std::filesystem::directory_iterator(folder_.path("crashes"))->path().string();
  EXPECT_EQ(*read_file(place + "/program.elf", 100), bytes_of_text("PLEASE-CRASH"));
  const std::vector<u8> about = *read_file(place + "/about.txt", 1 << 16);
  EXPECT_THAT(
      std::string(about.begin(), about.end()),
      AllOf(HasSubstr("simulator  some version\n"), HasSubstr("task       small, cases one"),
            HasSubstr("engine     fast, poison 0x51a7"),
            HasSubstr("rerun      simfarm rerun " + place + "\n")));
  const auto request = unpack_request(*load_crash(place));
  ASSERT_TRUE(request);
  EXPECT_EQ(pack_request(request->task, request->cases, request->elf, request->options),
            *load_crash(place));
  EXPECT_EQ(simulators_.judge_request(*load_crash(place), request->task, request->cases).verdict,
            Verdict::system_error);
}

TEST_F(SimulatorsTest, WhateverAChildDoesThereIsAnAnswer) {
  const struct {
    const char* program;
    Verdict verdict;
    const char* words;
  } rows[] = {
      {"PLEASE-ABORT", Verdict::system_error, "internal error at"},
      {"PLEASE-EXIT", Verdict::system_error, "ended with exit status 3"},
      {"PLEASE-STARVE", Verdict::host_limit, "it needs more than 8192 MiB"},
      {"PLEASE-THROW", Verdict::system_error, "thrown"},
      {"PLEASE-SAY-NOTHING", Verdict::system_error, "its record is not one"},
      {"PLEASE-SAY-NONSENSE", Verdict::system_error, "its record is not one"},
      {"PLEASE-FLOOD", Verdict::system_error, "its record was too long"},
      {"PLEASE-TALK", Verdict::rejected, ""},
      {"no program", Verdict::rejected, ""},
  };
  for (const auto& row : rows) {
    const Judgement judgement = judge(row.program);
    EXPECT_EQ(name(judgement.verdict), name(row.verdict)) << row.program << judgement.failure;
    EXPECT_THAT(judgement.failure, HasSubstr(row.words)) << row.program;
    EXPECT_LT(judgement.failure.size(), 40'000u) << row.program;
    EXPECT_THAT(judgement.cases, IsEmpty());
  }
  EXPECT_EQ(crashes(), 7u);
}

TEST_F(SimulatorsTest, SilenceIsTheHostsLimit) {
  SimulatorOptions options = this_program(folder_);
  options.limits.wall_seconds = 1;
  Simulators impatient(options);
  const Judgement silent = impatient.judge(task_->task, task_->cases, bytes_of_text("PLEASE-HANG"));
  EXPECT_EQ(silent.verdict, Verdict::host_limit);
  EXPECT_THAT(silent.failure, HasSubstr("no result after 1 s"));
  options.limits = {.cpu_seconds = 1};
  Simulators thrifty(options);
  const Judgement busy = thrifty.judge(task_->task, task_->cases, bytes_of_text("PLEASE-HANG"));
  EXPECT_EQ(busy.verdict, Verdict::host_limit);
  EXPECT_THAT(busy.failure, HasSubstr("SIGXCPU"));
}

TEST_F(SimulatorsTest, AProgramThatTakesItsProcessOverReachesNothing) {
  const Result<std::vector<u8>> filter = simulation_filter();
  const pid_t pid = fork();
  if (pid == 0) _exit(filter && take_filter(*filter) ? 0 : 1);
  int status = 0;
  waitpid(pid, &status, 0);
  if (status != 0) GTEST_SKIP() << "this host lets nobody have a filter";
  const Judgement told = judge("PLEASE-TRY");
  EXPECT_EQ(told.verdict, Verdict::rejected);
  EXPECT_EQ(told.failure, "");
}

TEST_F(SimulatorsTest, WorkersThatAreNoneAreNamed) {
  const auto with = [&](std::vector<std::string> command) {
    SimulatorOptions options = this_program(folder_);
    options.command = std::move(command);
    Simulators simulators(options);
    return simulators.judge(task_->task, task_->cases, bytes_of_text("x"));
  };
  const Judgement missing = with({"/nowhere/simfarm"});
  EXPECT_EQ(missing.verdict, Verdict::system_error);
  EXPECT_THAT(missing.failure, HasSubstr("/nowhere/simfarm: cannot be started: No such file"));
  for (const char* const script :
       {"echo broken >&2; exit 3", "echo nonsense >&3; cat >&2 <&3", "exec 3>&-; exit 0"}) {
    const Judgement lost = with({"/bin/sh", "-c", script});
    EXPECT_EQ(lost.verdict, Verdict::system_error) << script;
    EXPECT_THAT(lost.failure, HasSubstr("does not speak as one")) << script;
  }
  EXPECT_THAT(with({"/bin/sh", "-c", "echo broken >&2; exit 3"}).failure, HasSubstr("broken"));
}

TEST_F(SimulatorsTest, OneCrashDoesNotEndABatch) {
  for (const char* const each : {"a", "b", "c"})
    test::write_submission(
        folder_, std::string("submissions/") + each,
        test::kernel_with(*each == 'b' ? "static const char word[] = \"PLEASE-CRASH\"; "
                                         "__asm__ volatile(\"\" :: \"r\"(word));"
                                       : ""));
  auto plan = plan_score({.paths = {folder_.path("tasks/small")}});
  ASSERT_TRUE(plan);
  const Toolchain tools = test::real_toolchain();
  const std::vector<Scored> batch = run_score(std::move(*plan), {tools, simulators_}, 2, {});
  ASSERT_THAT(batch, SizeIs(3));
  EXPECT_EQ(batch[0].evaluation.verdict, Verdict::accepted);
  EXPECT_EQ(batch[1].evaluation.verdict, Verdict::system_error);
  EXPECT_EQ(batch[2].evaluation.verdict, Verdict::accepted);
  EXPECT_EQ(crashes(), 1u);
}

/// A judgement about the small task that a judge could give.
Judgement possible_judgement(const LoadedTask& loaded, size_t passed) {
  Judgement judgement;
  judgement.local_bytes = 100;
  for (size_t k = 0; k < passed; ++k) {
    CaseScore score{.name = loaded.cases[k].name, .cycles = 50, .units = loaded.cases[k].units};
    score.total.issued[0] = score.instructions = 33;
    score.total.stalls[2] = 50 * 16 - 33;
    score.dma_bytes = 12;
    score.ocm_bytes = 3;
    score.dram_bytes = 9;
    judgement.cases.push_back(score);
  }
  if (passed == loaded.cases.size()) return judgement;
  judgement.verdict = Verdict::wrong_output;
  judgement.failed_case = loaded.cases[passed].name;
  judgement.failure = "y[0]: wrong\n";
  return judgement;
}

class RecordTest : public testing::Test {
 protected:
  RecordTest() : task_(*load_task_and_cases(test::write_small_task(folder_))) {}
  Result<Judgement> parse(std::span<const u8> bytes) const {
    return parse_record(bytes, task_->task, task_->cases);
  }
  Folder folder_;
  std::shared_ptr<const LoadedTask> task_;
};

TEST_F(RecordTest, SimulatorsEndWithTheirFarmHoweverThatEnds) {
  // Orphans come to this process, which so sees their ends.
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  int begun[2];
  ASSERT_EQ(pipe(begun), 0);
  const pid_t farm = fork();
  if (farm == 0) {
    Simulators own(this_program(folder_));
    own.judge(task_->task, task_->cases, bytes_of_text("no program"));
    [[maybe_unused]] const ssize_t told = write(begun[1], "x", 1);
    own.judge(task_->task, task_->cases, bytes_of_text("PLEASE-HANG"));
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(begun[0], &byte, 1), 1);
  kill(farm, SIGKILL);
  alarm(60);  // a worker that stays would be waited for for ever
  int ended = 0;
  while (waitpid(-1, nullptr, 0) > 0) ++ended;
  alarm(0);
  EXPECT_GE(ended, 2) << "the farm and its worker";
  EXPECT_EQ(errno, ECHILD) << "nothing is left";
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  close(begun[0]);
  close(begun[1]);
}

TEST_F(RecordTest, IsReadAsItWasWrittenAndNotWhenAnyByteIsNot) {
  for (const size_t passed : {0, 1, 2}) {
    const std::vector<u8> bytes = pack_record(possible_judgement(*task_, passed));
    const auto read = parse(bytes);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(pack_record(*read), bytes);
    EXPECT_EQ(read->failed_case, passed == 2 ? "" : task_->cases[passed].name);
    for (size_t k = 0; k < bytes.size(); ++k) {
      std::vector<u8> damaged = bytes;
      damaged[k] ^= 0x10;
      EXPECT_FALSE(parse(damaged)) << k;
      EXPECT_FALSE(parse(std::span(bytes).first(k))) << k;
    }
  }
}

TEST_F(RecordTest, WithARightHashStillSaysOnlyWhatAJudgeCanSay) {
  // Each integer and each byte of text replaced, the hash made anew.
  for (const size_t passed : {0, 1, 2}) {
    const std::vector<u8> bytes = pack_record(possible_judgement(*task_, passed));
    for (size_t at = 16; at < bytes.size(); ++at)
      for (const u64 value : {u64{0}, u64{1}, u64{2}, u64{15}, u64{33}, ~u64{0}, u64{1} << 40}) {
        std::vector<u8> changed = bytes;
        const u32 count = at % 8 == 0 && at + 8 <= bytes.size() ? 8 : 1;
        store_bytes(changed, at, count, value);
        store_bytes(changed, 8, 8,
                    hash64(std::span(changed).subspan(16), load_bytes(changed, 0, 8)));
        const auto read = parse(changed);
        if (!read) continue;
        ASSERT_TRUE(row(read->verdict).authors || read->verdict == Verdict::judge_error);
        ASSERT_EQ(read->verdict == Verdict::accepted, read->cases.size() == 2);
        for (const CaseScore& each : read->cases) {
          ASSERT_LE(each.cycles, task_->task.limits.cycles);
          ASSERT_EQ(each.total.cycles(), 16 * each.cycles);
          ASSERT_EQ(each.total.instructions(), each.instructions);
        }
      }
  }
}

TEST_F(RecordTest, IsNotBelievedAboutVerdictsCasesAndText) {
  const auto refused = [&](auto change) {
    Judgement judgement = possible_judgement(*task_, 2);
    change(judgement);
    return !parse(pack_record(judgement));
  };
  EXPECT_FALSE(refused([](Judgement&) {}));
  for (const Verdict verdict : {Verdict::system_error, Verdict::host_limit, Verdict::cancelled,
                                Verdict::held, Verdict::compile_error})
    EXPECT_TRUE(refused([&](Judgement& each) {
      each = possible_judgement(*task_, 1);
      each.verdict = verdict;
    })) << name(verdict);
  EXPECT_TRUE(refused([](Judgement& each) { each.cases.pop_back(); })) << "accepted with one";
  EXPECT_TRUE(refused([](Judgement& each) { each.cases.push_back(each.cases[0]); }));
  EXPECT_TRUE(refused([](Judgement& each) { each.verdict = Verdict::wrong_output; }));
  EXPECT_TRUE(refused([](Judgement& each) { each.cases[0].cycles = 49; }));
  EXPECT_TRUE(refused([](Judgement& each) { each.cases[0].instructions = 34; }));
  EXPECT_TRUE(refused([](Judgement& each) { each.local_bytes = 513; })) << "more than allowed";
  EXPECT_TRUE(refused([](Judgement& each) { each.cases[1].ocm_bytes = 13; }));
  EXPECT_TRUE(refused([](Judgement& each) { each.cases[1].dram_bytes = 10; })) << "of 12 bytes";
  EXPECT_TRUE(refused([](Judgement& each) { each.cases[0].error = 1; })) << "of no reference";
  Judgement escapes = possible_judgement(*task_, 1);
  escapes.failure = "\x1b[2Jwiped\n\xff";
  EXPECT_EQ(parse(pack_record(escapes))->failure, "\\x1b[2Jwiped\n\\xff");
}

TEST_F(RecordTest, ReferencesAndLocalMemoryGoAlong) {
  LoadedTask loaded = *task_;
  loaded.task.machine.map.local.bytes = 1088;  // what no machine file can say
  Case& one = loaded.cases[0];
  one.reference = Reference{{1, 24, 3, -5, 77}, {1, -2, i64{1} << 52, 0, 4}};
  const auto read = unpack_request(pack_request(loaded.task, loaded.cases, {}, {}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->task.machine.map.local.bytes, 1088u);
  ASSERT_TRUE(read->cases[0].reference);
  EXPECT_FALSE(read->cases[1].reference);
  EXPECT_EQ(read->cases[0].reference->values, one.reference->values);
  EXPECT_EQ(read->cases[0].reference->rule.zero_point, -5);
  EXPECT_EQ(read->cases[0].reference->rule.bound, 77u);
  Judgement judgement = possible_judgement(loaded, 2);
  judgement.cases[0].error = 5 * 77;
  const auto parsed = parse_record(pack_record(judgement), loaded.task, loaded.cases);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->cases[0].error, 385u);
  EXPECT_EQ(parsed->cases[0].outputs, 5u);
  ++judgement.cases[0].error;
  EXPECT_FALSE(parse_record(pack_record(judgement), loaded.task, loaded.cases))
      << "more than the bound allows";
}

TEST_F(RecordTest, ARequestIsReadAsItWasWritten) {
  const std::vector<u8> bytes = pack_request(task_->task, task_->cases, bytes_of_text("elf"),
                                             {EngineKind::reference, {3, 4}});
  const auto read = unpack_request(bytes);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(pack_request(read->task, read->cases, read->elf, read->options), bytes);
  EXPECT_EQ(print_machine(read->task.machine), print_machine(task_->task.machine));
  EXPECT_EQ(read->task.limits.console_bytes, 100u);
  EXPECT_EQ(read->options.engine, EngineKind::reference);
  for (size_t k = 0; k < bytes.size(); k += 7) {
    std::vector<u8> damaged = bytes;
    damaged[k] ^= 1;
    EXPECT_FALSE(unpack_request(damaged)) << k;
  }
}

}  // namespace
}  // namespace simfarm::farm
