// The last step before a lead: a second build, the other engine, fresh cases.
#include "farm/promotion.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/farm/small_task.h"

namespace simfarm::farm {
namespace {

using test::kernel_with;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

/// Changes what a simulation says, of the call with that number.
class Doctored : public SimulationsHere {
 public:
  using Change = std::function<void(int call, const JudgeOptions&, Judgement&)>;
  explicit Doctored(Change change) : change_(std::move(change)) {}
  Judgement judge(const Task& task, const std::vector<Case>& cases, std::span<const u8> elf,
                  const JudgeOptions& options) override {
    Judgement judgement = SimulationsHere::judge(task, cases, elf, options);
    if (change_) change_(++calls, options, judgement);
    return judgement;
  }
  int calls = 0;

 private:
  Change change_;
};

// It needs some time of its own for each input but the public ones: none of theirs begins so.
constexpr const char* quick_on_public_cases =
    "if (x[0] != 1000) for (volatile int k = 0; k < 500; ++k);";
constexpr const char* slow = "for (volatile int k = 0; k < 100; ++k);";

/// The small task with held-out cases; "leader" and "candidate" are judged with their secret.
class Contests : public testing::Test {
 protected:
  Contests() {
    test::write_small_task(folder_);
    test::add_held_out(folder_, "\"few\", \"all\"");
  }
  Contender judged(const std::string& name, const std::string& lines,
                   const std::string& manifest = "") {
    const std::string path = test::write_submission(folder_, name, kernel_with(lines), manifest);
    contest_.task = *load_task_and_cases(folder_.path("tasks/small"), "digest");
    contest_.submission = load_submission(path);
    Contender contender{name, test::evaluate_here(*contest_.task, contest_.submission, &secret_)};
    EXPECT_EQ(contender.evaluation.verdict, Verdict::accepted) << contender.evaluation.failure;
    return contender;
  }
  Contest& between(const std::string& leader, const std::string& candidate) {
    contest_.leader = judged("leader", leader);
    contest_.candidate = judged("candidate", candidate);
    return contest_;
  }
  Decision decided(const Doctored::Change& change = {}) {
    const Toolchain tools = test::real_toolchain();
    Doctored simulations(change);
    return decide(contest_, {tools, simulations, &secret_});
  }
  test::Folder folder_;
  Secret secret_ = Secret::make().value();
  Contest contest_;
};

TEST_F(Contests, WhoIsFasterOnFreshCasesIsPromoted) {
  between(slow, "");
  const Decision decision = decided();
  EXPECT_TRUE(decision.decided);
  EXPECT_TRUE(decision.promoted) << decision.detail;
  EXPECT_EQ(decision.verdict, Verdict::accepted);
  EXPECT_THAT(decision.detail, MatchesRegex("[0-9]+ cycles in fresh cases, leader takes [0-9]+"));
  EXPECT_EQ(decided().detail, decision.detail) << "of the same seeds";
  contest_.leader.reset();
  EXPECT_EQ(decided().detail, "nobody led");
  EXPECT_TRUE(decided().promoted);
}

TEST_F(Contests, WhoIsFasterOnThePublicCasesAloneIsNot) {
  between(slow, quick_on_public_cases);
  ASSERT_LT(contest_.candidate.evaluation.cycles(), contest_.leader->evaluation.cycles());
  const Decision decision = decided();
  EXPECT_TRUE(decision.decided);
  EXPECT_FALSE(decision.promoted) << decision.detail;
  EXPECT_EQ(decision.verdict, Verdict::accepted);
  EXPECT_THAT(decision.detail, Not(HasSubstr("few"))) << "no word of a variant";
}

TEST_F(Contests, GoByTheTasksScoreWithTheLocalMemoryThatEachDeclares) {
  std::ifstream in(folder_.path("tasks/small/task.toml"));
  const std::string toml((std::istreambuf_iterator<char>(in)), {});
  folder_.write("tasks/small/task.toml", "score = \"local-memory\"\n" + toml);
  contest_.leader = judged("leader", "", "local_memory_bytes = 4096\n");
  contest_.candidate = judged("candidate", slow, "local_memory_bytes = 2048\n");
  ASSERT_GT(contest_.candidate.evaluation.cycles(), contest_.leader->evaluation.cycles());
  const Decision decision = decided();
  EXPECT_TRUE(decision.promoted);
  EXPECT_EQ(decision.detail, "2048 bytes in fresh cases, leader has 4096");
  std::swap(contest_.candidate.evaluation, contest_.leader->evaluation);
  contest_.same_toolchain = false;  // whose sources these are
  EXPECT_EQ(decided().detail, "4096 bytes in fresh cases, leader has 2048");
  EXPECT_FALSE(decided().promoted);
}

TEST_F(Contests, OfATaskWithoutHeldOutCasesThePublicOnesDecide) {
  folder_.write("tasks/small/task.toml", test::small_task_toml);
  between(slow, quick_on_public_cases);
  const Decision decision = decided();
  EXPECT_TRUE(decision.promoted);
  EXPECT_THAT(decision.detail, HasSubstr("the task has no fresh cases"));
}

TEST_F(Contests, EnginesThatDisagreeAreTheSimulatorsFault) {
  between(slow, "");
  const struct {
    Doctored::Change change;
    const char* says;
  } all[] = {
      {[](int, const JudgeOptions& options, Judgement& judgement) {
         if (options.engine == EngineKind::reference) ++judgement.cases[1].cycles;
       },
       "in the fast engine, "},
      {[](int, const JudgeOptions& options, Judgement& judgement) {
         if (options.engine == EngineKind::reference) ++judgement.cases[3].dma_bytes;
       },
       " bytes moved in the reference engine"},
      {[](int, const JudgeOptions& options, Judgement& judgement) {
         if (options.engine == EngineKind::fast) ++judgement.cases[0].total.stalls[2];
       },
       "case one: "},
      {[](int, const JudgeOptions& options, Judgement& judgement) {
         if (options.engine == EngineKind::reference) judgement.verdict = Verdict::runtime_trap;
       },
       "ACCEPTED in the fast engine, RUNTIME_TRAP in the reference engine"},
      // Both alike, and another than when it was judged.
      {[](int, const JudgeOptions&, Judgement& judgement) { ++judgement.cases[0].cycles; },
       "the simulator does not repeat itself"},
  };
  for (const auto& each : all) {
    const Decision decision = decided(each.change);
    EXPECT_TRUE(decision.decided);
    EXPECT_FALSE(decision.promoted);
    EXPECT_EQ(decision.verdict, Verdict::judge_error);
    EXPECT_THAT(decision.detail, HasSubstr("the simulator's fault: "));
    EXPECT_THAT(decision.detail, HasSubstr(each.says));
    const auto description = nlohmann::json::parse(decision.description);
    EXPECT_EQ(description["schema"], "simfarm.disagreement");
    EXPECT_EQ(description["elf_digest"], contest_.candidate.evaluation.elf_digest);
  }
}

TEST_F(Contests, ASecondBuildMustGiveTheSameProgram) {
  between(slow, "");
  contest_.candidate.evaluation.elf_digest = std::string(64, '0');
  const Decision decision = decided();
  EXPECT_TRUE(decision.decided);
  EXPECT_EQ(decision.verdict, Verdict::held);
  EXPECT_EQ(decision.detail, "a second build gave another program");
  contest_.same_toolchain = false;
  EXPECT_TRUE(decided().promoted) << "of another toolchain it may";
}

TEST_F(Contests, AWrongAnswerInAFreshCaseIsTheVerdict) {
  between(slow, "");
  const auto wrong_in = [](int wrong) {
    return [wrong](int call, const JudgeOptions&, Judgement& judgement) {
      if (call == wrong) judgement.verdict = Verdict::wrong_output;
    };
  };
  const Decision candidates = decided(wrong_in(3));
  EXPECT_EQ(candidates.verdict, Verdict::wrong_output);
  EXPECT_EQ(candidates.detail, "WRONG_OUTPUT in a fresh case");
  const Decision leaders = decided(wrong_in(4));
  EXPECT_TRUE(leaders.promoted);
  EXPECT_EQ(leaders.leaders_verdict, Verdict::wrong_output);
  EXPECT_THAT(leaders.detail, HasSubstr("leader, which led, is WRONG_OUTPUT there"));
}

TEST_F(Contests, AFaultOfTheHostIsNoDecision) {
  between(slow, "");
  for (const int faulty : {1, 2, 3, 4}) {
    const Decision decision = decided([&](int call, const JudgeOptions&, Judgement& judgement) {
      if (call == faulty) judgement.verdict = Verdict::host_limit;
    });
    EXPECT_FALSE(decision.decided) << faulty;
    EXPECT_EQ(decision.verdict, Verdict::host_limit);
    EXPECT_THAT(decision.detail, HasSubstr("HOST_LIMIT: "));
  }
  test::add_held_out(folder_, "\"few\"", "raise SystemExit('broken')\n");
  contest_.task = *load_task_and_cases(folder_.path("tasks/small"), "digest");
  EXPECT_FALSE(decided().decided);
  EXPECT_EQ(decided().verdict, Verdict::judge_error);
}

}  // namespace
}  // namespace simfarm::farm
