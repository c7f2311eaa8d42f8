// Goldens as they are kept: what is written is read, and nothing else is.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "farm/tensor_file.h"
#include "regress/explain.h"
#include "regress/goldens.h"
#include "regress/sources.h"
#include "tests/support/kernel.h"
#include "tests/support/random.h"

#ifdef __SANITIZE_ADDRESS__
// libhdf5 does not free everything of a file that it refuses.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }
#endif

namespace simfarm::test {
namespace {

using regress::Entry;
using regress::Golden;
using regress::GoldenCase;
using testing::HasSubstr;

const regress::Variant fast{"fast", EngineKind::fast, {}};

/// Each PE counts down from another number, and stores it.
GoldenCase counting_case(const std::string& name, i32 more = 0) {
  profile::RunCase run_case;
  run_case.input.machine.name = "test";
  run_case.input.machine.rows = 1;
  run_case.input.machine.columns = 2;
  std::vector<Kernel> kernels(2);
  for (u32 pe = 0; pe < 2; ++pe) {
    Kernel& kernel = kernels[pe];
    kernel.region(static_cast<u8>(pe)).li(t0, 20 + 10 * pe);
    const u32 top = kernel.here();
    kernel.addi(t0, t0, -1).branch(Op::BNE, t0, zero, top);
    if (pe == 1)
      for (i32 k = 0; k < more; ++k) kernel.nop();
    kernel.li(t1, local_base).sw(t1, t1, 64).exit(pe);
  }
  run_case.input.program = program_of(kernels, 2);
  return regress::case_of(name, run_case, {{"y", dram_base, 64}});
}

Entry measured(const GoldenCase& one) {
  Result<Golden> golden = regress::run_case(one, fast);
  EXPECT_TRUE(golden) << (golden ? "" : golden.error().message);
  return {one, golden ? *golden : Golden{}};
}

class Folder {
 public:
  Folder() {
    std::string name = testing::TempDir() + "/goldens.XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string path(const std::string& name = "") const { return path_ + "/" + name; }

 private:
  std::string path_;
};

TEST(Pack, IsReadAsItWasWritten) {
  const Folder folder;
  const std::vector<Entry> entries{measured(counting_case("a/one")),
                                   measured(counting_case("b", 3))};
  ASSERT_TRUE(regress::write_pack(folder.path("x.h5"), {entries[1], entries[0]}));
  const Result<std::vector<Entry>> read = regress::read_pack(folder.path("x.h5"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, entries) << "in order of name";
  EXPECT_NE(entries[0].golden, entries[1].golden);
  ASSERT_TRUE(regress::write_pack(folder.path("y.h5"), entries));
  EXPECT_EQ(*read_file(folder.path("x.h5"), 1 << 24), *read_file(folder.path("y.h5"), 1 << 24));
}

TEST(Pack, FlippedBytesAreRefusedOrChangeNothing) {
  const Folder folder;
  const std::vector<Entry> entries{measured(counting_case("a"))};
  ASSERT_TRUE(regress::write_pack(folder.path("x.h5"), entries));
  const std::vector<u8> right = *read_file(folder.path("x.h5"), 1 << 24);
  Random random(7);
  const std::string right_index = regress::print_index(entries);
  for (u32 k = 0; k < 300; ++k) {
    std::vector<u8> wrong = right;
    wrong[random.below(static_cast<u32>(wrong.size()))] ^= static_cast<u8>(1u << random.below(8));
    ASSERT_TRUE(write_file(folder.path("y.h5"), wrong));
    const Result<std::vector<Entry>> read = regress::read_pack(folder.path("y.h5"));
    if (!read || *read == entries) continue;
    // What slips through the file's checksums does not get past the index.
    EXPECT_NE(regress::print_index(*read), right_index) << "flip " << k;
  }
  ASSERT_TRUE(write_file(folder.path("y.h5"), std::span(right).first(right.size() / 2)));
  EXPECT_FALSE(regress::read_pack(folder.path("y.h5")));
}

TEST(Index, SaysWhichLineIsWrong) {
  const std::string right = regress::print_index({measured(counting_case("a"))});
  ASSERT_TRUE(regress::parse_index(right, "g.txt"));
  const std::string line = right.substr(right.find('\n') + 1);
  const auto refused = [](const std::string& text) {
    const auto parsed = regress::parse_index(text, "g.txt");
    return parsed ? std::string("accepted") : parsed.error().message;
  };
  EXPECT_THAT(refused(right + line), HasSubstr("g.txt:3: a is there twice"));
  EXPECT_THAT(refused(right.substr(0, right.size() - 1)), HasSubstr("cut off"));
  EXPECT_THAT(refused(right + "b 1 2\n"), HasSubstr("g.txt:3: not a line of an index"));
  EXPECT_THAT(refused("hello\n"), HasSubstr("g.txt:1"));
  EXPECT_THAT(refused(""), HasSubstr("g.txt:1"));
}

TEST(Names, AreWordsAndPatternsAreAsInAShell) {
  EXPECT_FALSE(regress::name_problem("gemm/kernel/tiny-2"));
  for (const char* const wrong : {"", "/a", "a/", "a//b", "a b", "a\nb", "a\xff"})
    EXPECT_TRUE(regress::name_problem(wrong)) << wrong;
  EXPECT_TRUE(regress::matches("gemm/*/tiny", "gemm/kernel/tiny"));
  EXPECT_TRUE(regress::matches("*", ""));
  EXPECT_TRUE(regress::matches("a*b*c", "aXbYbZc"));
  EXPECT_TRUE(regress::matches("??", "ab"));
  EXPECT_FALSE(regress::matches("a*b", "abc"));
  EXPECT_FALSE(regress::matches("", "a"));
}

TEST(Goldens, DifferencesAreSaidByPeAndBin) {
  const Golden golden = measured(counting_case("a")).golden;
  EXPECT_TRUE(regress::differences(golden, golden).empty());
  Golden now = golden;
  ++now.counters.back().counters.stalls[static_cast<u32>(Stall::branch)];
  now.exit_codes[0] = 9;
  const auto found = regress::differences(golden, now);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].pe, 1u);
  EXPECT_THAT(found[0].text, HasSubstr("PE 1, region 1: stall branch: "));
  EXPECT_THAT(found[1].text, HasSubstr("PE 0: exit code: 0, now 9"));
}

TEST(Goldens, NamesOutOfAFileMoveNoCursorAndAreNoPes) {
  const Golden golden = measured(counting_case("a")).golden;
  Golden now = golden;
  now.contents[0].name = "local 99999999999";
  now.contents[1].name = "local x\x1b[2J";
  const auto found = regress::differences(now, golden);
  ASSERT_EQ(found.size(), 2u);
  for (const auto& difference : found) {
    EXPECT_FALSE(difference.pe);
    EXPECT_EQ(difference.text.find('\x1b'), std::string::npos);
  }
}

TEST(Goldens, EveryWayToRunACaseGivesTheSame) {
  const GoldenCase one = counting_case("a", 2);
  const Golden golden = measured(one).golden;
  regress::Dimensions all;
  all.engines = {EngineKind::fast, EngineKind::reference};
  all.threads = {1, 2};
  all.early_code = true;
  for (const regress::Variant& variant : regress::product(all)) {
    const Result<Golden> now = regress::run_case(one, variant);
    ASSERT_TRUE(now);
    EXPECT_EQ(*now, golden) << variant.name;
  }
  EXPECT_EQ(regress::product(all).size(), 5u);
}

TEST(Explain, FindsTheFirstCycleAndPe) {
  // PE 1 does something else after its loop of 30 rounds.
  const GoldenCase before = counting_case("a"), now = counting_case("a", 1);
  const auto parting = regress::find_parting(now, regress::measure_here(before, fast),
                                             regress::measure_here(now, fast), 10'000);
  ASSERT_TRUE(parting) << parting.error().message;
  ASSERT_TRUE(*parting);
  EXPECT_EQ((*parting)->pe, 1u);
  EXPECT_THAT((*parting)->cycle, testing::AllOf(testing::Gt(119u), testing::Lt(130u)));
  EXPECT_FALSE((*parting)->trace.empty());
  const auto same = regress::find_parting(before, regress::measure_here(before, fast),
                                          regress::measure_here(before, fast), 10'000);
  ASSERT_TRUE(same);
  EXPECT_FALSE(*same);
}

TEST(Explain, CheckpointsSayAboutWhere) {
  // PE 0 waits at barriers for PE 1, which is late once.
  const auto meeting = [](u32 late) {
    profile::RunCase run_case;
    run_case.input.machine.name = "test";
    run_case.input.machine.rows = 1;
    run_case.input.machine.columns = 2;
    std::vector<Kernel> kernels(2);
    for (u32 round = 0; round < 100; ++round) {
      if (round == 61) kernels[1].nop(late);
      for (Kernel& kernel : kernels) kernel.bar(0);
    }
    for (Kernel& kernel : kernels) kernel.exit(0);
    run_case.input.program = program_of(kernels, 2);
    return regress::case_of("a", run_case, {});
  };
  const Golden before = measured(meeting(3)).golden, now = measured(meeting(4)).golden;
  EXPECT_EQ(regress::first_interval(before, before), std::nullopt);
  const auto interval = regress::first_interval(before, now);
  ASSERT_TRUE(interval);
  // 101 instructions, of which every fourth is kept: 60 were the same, 64 not.
  const Checkpoints& all = before.checkpoints[interval->pe];
  ASSERT_EQ(all.stride(), 4u);
  EXPECT_EQ(interval->first, all.kept()[14].cycle + 1);
  EXPECT_EQ(interval->last, now.checkpoints[interval->pe].kept()[15].cycle);
  EXPECT_THAT(regress::print(*interval, meeting(4)), HasSubstr("gp.bar"));
  u32 runs = 0;
  const auto counted = [&](const regress::Measure& measure) {
    return [&runs, measure](Cycle limit) { return ++runs, measure(limit); };
  };
  const auto parting =
      regress::find_parting(meeting(4), counted(regress::measure_here(meeting(3), fast)),
                            counted(regress::measure_here(meeting(4), fast)), 100'000);
  ASSERT_TRUE(parting && *parting);
  EXPECT_GT((*parting)->cycle, interval->first);
  EXPECT_LE((*parting)->cycle, interval->last);
  EXPECT_LE(runs, 20u) << "bisecting 100,000 cycles would be 38";
}

TEST(Goldens, WhatWaitsIsAcceptedOrKept) {
  const Folder folder;
  const Entry a = measured(counting_case("a")), b = measured(counting_case("b"));
  ASSERT_TRUE(regress::add_pending(folder.path(), "g", {a, b}));
  auto goldens = regress::open_goldens(folder.path());
  ASSERT_TRUE(goldens);
  EXPECT_EQ(goldens->problems.size(), 2u);
  EXPECT_EQ(goldens->problems[0].kind, regress::Problem::Kind::pending);
  const auto done =
      regress::bless(folder.path(), [](const Entry& entry) { return entry.one.name == "a"; },
                     {"me", "now", "because"});
  ASSERT_TRUE(done);
  EXPECT_EQ(*done, std::vector<std::string>{"a"});
  goldens = regress::open_goldens(folder.path());
  ASSERT_TRUE(goldens);
  EXPECT_EQ(goldens->groups[0].entries, std::vector<Entry>{a});
  EXPECT_EQ(goldens->groups[0].pending, std::vector<Entry>{b});
  ASSERT_TRUE(regress::discard_pending(folder.path(), "g"));
  goldens = regress::open_goldens(folder.path());
  EXPECT_TRUE(goldens->problems.empty());
  const std::vector<u8> log = *read_file(folder.path("bless.log"), 1 << 16);
  EXPECT_THAT(std::string(log.begin(), log.end()), HasSubstr("now me: because\n  g: a new -> "));
}

/// Runs `act` in a process that is killed at its step number `at`. False: it came to its end
/// before.
bool killed(int at, const std::function<void(const std::function<void()>& step)>& act) {
  const pid_t child = fork();
  if (child == 0) {
    int step = 0;
    act([&] {
      if (step++ == at) _exit(9);
    });
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status) == 9;
}

TEST(Goldens, ABlessThatIsKilledAnywhereHasChangedAllOrNothing) {
  const Entry old = measured(counting_case("a")), a = measured(counting_case("a", 2)),
              b = measured(counting_case("b")), c = measured(counting_case("c"));
  const auto all = [](const Entry&) { return true; };
  u32 nothing = 0, cut_off = 0, everything = 0;
  for (int at = 0;; ++at) {
    SCOPED_TRACE(at);
    const Folder folder;
    {
      ASSERT_TRUE(regress::add_pending(folder.path(), "g", {old}));
      ASSERT_TRUE(regress::bless(folder.path(), all, {"me", "first", "because"}));
      ASSERT_TRUE(regress::add_pending(folder.path(), "g", {a}));
      ASSERT_TRUE(regress::add_pending(folder.path(), "h", {b, c}));
    }
    const bool was_killed = killed(at, [&](const std::function<void()>& step) {
      if (!regress::Lock::take(folder.path())) _exit(1);
      if (!regress::bless(folder.path(), all, {"me", "second", "because", step})) _exit(1);
    });
    const auto found = regress::open_goldens(folder.path());
    ASSERT_TRUE(found);
    for (const regress::Problem& problem : found->problems)
      if (problem.kind != regress::Problem::Kind::pending) {
        EXPECT_THAT(problem.what, HasSubstr("`simfarm regress bless` finishes it"));
        ++cut_off;
      }
    const auto lock = regress::Lock::take(folder.path());
    ASSERT_TRUE(lock);
    const auto goldens = regress::open_goldens(folder.path());
    ASSERT_TRUE(goldens);
    EXPECT_FALSE(std::filesystem::exists(folder.path(".new")));
    EXPECT_FALSE(std::filesystem::exists(folder.path(".decided")));
    const std::vector<u8> bytes = *read_file(folder.path("bless.log"), 1 << 16);
    const std::string log(bytes.begin(), bytes.end());
    if (log.find("second") == std::string::npos) {
      ++nothing;
      EXPECT_EQ(goldens->find("g")->entries, std::vector<Entry>{old});
      EXPECT_EQ(goldens->find("g")->pending, std::vector<Entry>{a});
      EXPECT_EQ(goldens->find("h")->pending, (std::vector<Entry>{b, c}));
    } else {
      ++everything;
      EXPECT_TRUE(goldens->problems.empty());
      EXPECT_EQ(goldens->find("g")->entries, std::vector<Entry>{a});
      EXPECT_EQ(goldens->find("h")->entries, (std::vector<Entry>{b, c}));
    }
    if (!was_killed) break;
  }
  EXPECT_GE(nothing, 3u);
  EXPECT_GE(cut_off, 5u);
  EXPECT_GT(everything, cut_off);
}

TEST(Goldens, ARemovalThatIsKilledAnywhereHasHappenedOrNot) {
  const Entry a = measured(counting_case("a")), b = measured(counting_case("b"));
  const auto all = [](const Entry&) { return true; };
  for (int at = 0;; ++at) {
    SCOPED_TRACE(at);
    const Folder folder;
    ASSERT_TRUE(regress::add_pending(folder.path(), "g", {a, b}));
    ASSERT_TRUE(regress::bless(folder.path(), all, {"me", "first", "because"}));
    const bool was_killed = killed(at, [&](const std::function<void()>& step) {
      if (!regress::remove(folder.path(), all, {"me", "second", "because", step})) _exit(1);
    });
    ASSERT_TRUE(regress::Lock::take(folder.path()));
    const auto goldens = regress::open_goldens(folder.path());
    ASSERT_TRUE(goldens);
    EXPECT_TRUE(goldens->problems.empty());
    if (const regress::Group* const group = goldens->find("g")) {
      EXPECT_EQ(group->entries, (std::vector<Entry>{a, b}));
    }
    if (was_killed) continue;
    EXPECT_EQ(goldens->find("g"), nullptr);
    break;
  }
}

TEST(Goldens, AGroupThatIsGoneOrThereTwiceIsNoticed) {
  const Folder folder;
  const auto all = [](const Entry&) { return true; };
  const Entry a = measured(counting_case("a")), b = measured(counting_case("b"));
  ASSERT_TRUE(regress::add_pending(folder.path(), "g", {a}));
  ASSERT_TRUE(regress::add_pending(folder.path(), "h", {b}));
  ASSERT_TRUE(regress::bless(folder.path(), all, {"me", "first", "because"}));
  const auto problems = [&] {
    std::string text;
    const auto goldens = regress::open_goldens(folder.path());
    if (!goldens) return goldens.error().message;
    for (const regress::Problem& problem : goldens->problems)
      text += fmt::format("{} {}: {}\n", name(problem.kind), problem.where, problem.what);
    return text;
  };
  EXPECT_EQ(problems(), "");
  for (const char* const ending : {".h5", ".txt"})
    std::filesystem::copy_file(folder.path(std::string("h") + ending),
                               folder.path(std::string("i") + ending));
  EXPECT_EQ(problems(), "damaged i: b: group h has a case of that name, too\n");
  for (const char* const file : {"h.h5", "h.txt", "i.h5", "i.txt"})
    std::filesystem::remove(folder.path(file));
  EXPECT_EQ(problems(), "missing h: bless.log has 1 goldens in it, and there is no such group\n");
  ASSERT_TRUE(regress::remove(folder.path(), all, {"me", "then", "because"}));
  EXPECT_THAT(problems(), HasSubstr("missing h"));
}

TEST(Goldens, OfOtherCountersKeepTheirCases) {
  const Folder folder;
  const Entry a = measured(counting_case("a"));
  ASSERT_TRUE(regress::write_pack(folder.path("g.h5"), {a}));
  const std::string index = regress::print_index({a});
  ASSERT_TRUE(write_text(folder.path("g.txt"), index));
  // As another simfarm would have named its counters.
  farm::TensorFile file = *farm::read_tensor_file(folder.path("g.h5"));
  for (farm::Tensor& tensor : file.expected)
    if (tensor.name == "columns") tensor.bytes[0] = 'C';
  ASSERT_TRUE(farm::write_tensor_file(folder.path("g.h5"), file));
  EXPECT_FALSE(regress::read_pack(folder.path("g.h5")));
  const auto goldens = regress::open_goldens(folder.path());
  ASSERT_TRUE(goldens);
  ASSERT_EQ(goldens->problems.size(), 1u) << goldens->problems[1].what;
  EXPECT_EQ(goldens->problems[0].kind, regress::Problem::Kind::outdated);
  ASSERT_EQ(goldens->groups[0].entries.size(), 1u);
  EXPECT_EQ(goldens->groups[0].entries[0].one, a.one);
  EXPECT_FALSE(goldens->groups[0].entries[0].golden.known());
  // The log makes nothing up about what was there.
  ASSERT_TRUE(regress::add_pending(folder.path(), "g", {a}));
  const auto all = [](const Entry&) { return true; };
  ASSERT_TRUE(regress::bless(folder.path(), all, {"me", "now", "because"}));
  const std::vector<u8> log = *read_file(folder.path("bless.log"), 1 << 16);
  EXPECT_THAT(std::string(log.begin(), log.end()), HasSubstr("g: a outdated -> "));
}

TEST(Goldens, OneAtATimeChangesThem) {
  const Folder folder;
  {
    const auto lock = regress::Lock::take(folder.path());
    ASSERT_TRUE(lock);
    const auto second = regress::Lock::take(folder.path());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, Error::Kind::temporary);
  }
  EXPECT_TRUE(regress::Lock::take(folder.path()));
}

}  // namespace
}  // namespace simfarm::test
