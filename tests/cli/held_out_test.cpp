// Held-out cases as authors and the operator see them: what a farm tells, and what it does not.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/farm/small_task.h"

namespace simfarm::farm {
namespace {

using nlohmann::json;
using test::kernel_with;
using test::shell;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

/// A farm whose task has held-out cases.
class HeldOutCommands : public testing::Test {
 protected:
  HeldOutCommands() {
    test::write_small_task(folder_);
    test::add_held_out(folder_, "\"few\", \"all\"");
    test::write_submission(folder_, "kernel", kernel_with("sf_cycles();"));
    test::write_submission(folder_, "submissions/right", kernel_with(""));
    test::write_submission(folder_, "wrong/knows", kernel_with(test::embedded_answers));
  }
  test::Ran run(const std::string& arguments) const {
    return shell("cd " + folder_.path() + " && SIMFARM_FARM=farm " SIMFARM_PROGRAM " " + arguments +
                 " 2>stderr </dev/null");
  }
  std::string told() const { return shell("cat " + folder_.path("stderr")).output; }
  json document(const std::string& arguments) const {
    const test::Ran ran = run(arguments + " --json");
    EXPECT_EQ(ran.status, 0) << arguments << told();
    return json::parse(ran.output, nullptr, false);
  }
  test::Folder folder_;
};

TEST_F(HeldOutCommands, Scenario05_PublicCasesPassHeldOutFailIsOnNoBoard) {
  ASSERT_EQ(run("farm init farm --task tasks/small").status, 0) << told();
  ASSERT_EQ(run("submit tasks/small/wrong/knows tasks/small/submissions/right").status, 0);
  test::Ran ran = run("try tasks/small/wrong/knows --trust");
  EXPECT_EQ(ran.status, 0) << "the public cases pass";
  EXPECT_THAT(ran.output, HasSubstr("public cases only: a farm also judges 2 held-out cases"));
  ASSERT_EQ(run("score --trust").status, 0) << told();

  const json shown = document("show 2");
  EXPECT_EQ(shown["state"], "judged");
  const json& result = shown["result"];
  EXPECT_EQ(result["verdict"], "WRONG_OUTPUT");
  EXPECT_TRUE(result["cycles"].is_null());
  EXPECT_EQ(result["failed_case"], "held-out");
  EXPECT_EQ(result["held_out"]["passed"], false);
  EXPECT_TRUE(result["held_out"]["cycles"].is_null());
  const std::string text = run("show 2").output;
  EXPECT_THAT(text, HasSubstr("WRONG_OUTPUT in case held-out"));
  EXPECT_THAT(text, HasSubstr("what it is, and where it failed, is not told"));
  for (const std::string& all : {shown.dump(), text})
    for (const char* const secret : {"few", "seed", "y[", "expected -", "got ", "/case.h5"})
      EXPECT_THAT(all, Not(HasSubstr(secret)));

  // Ranked in none of the four, while the others are.
  const json board = document("board small");
  ASSERT_EQ(board["board"].size(), 3u);
  EXPECT_EQ(board["board"][0]["submission"], "3");
  EXPECT_GT(board["board"][0]["held_out"]["cycles"], 0);
  EXPECT_EQ(board["board"][2]["submission"], "2");
  EXPECT_TRUE(board["board"][2]["rank"].is_null());
  EXPECT_TRUE(board["board"][2]["speedup"].is_null());
  EXPECT_THAT(run("board small").output, HasSubstr("  -       -         -  2"));
  EXPECT_THAT(run("board small --csv").output, HasSubstr("\r\n,,,2,test,WRONG_OUTPUT,"));
  EXPECT_THAT(run("show 3").output, HasSubstr("held out: 2 cases, "));
}

TEST_F(HeldOutCommands, WhoIsQuickOnThePublicCasesAloneDoesNotLead) {
  test::write_submission(folder_, "kernel", kernel_with("for (volatile int k = 0; k < 100; ++k);"));
  test::write_submission(folder_, "submissions/lucky",
                         kernel_with("if (x[0] != 1000) for (volatile int k = 0; k < 500; ++k);"));
  ASSERT_EQ(run("farm init farm --task tasks/small").status, 0) << told();
  ASSERT_EQ(run("submit tasks/small/submissions/lucky").status, 0) << told();
  ASSERT_EQ(run("score --trust -j 2 --events events").status, 0) << told();
  json board = document("board small");
  EXPECT_EQ(board["leader"], "kernel");
  EXPECT_EQ(board["board"][1]["submission"], "2");
  EXPECT_EQ(board["board"][1]["standing"]["promoted"], false);
  EXPECT_LT(board["board"][1]["cycles"], board["board"][0]["cycles"]);
  EXPECT_THAT(run("board small").output, HasSubstr("\n    not promoted: "));
  EXPECT_EQ(document("leader small")["submission"], "kernel");
  EXPECT_THAT(run("show 2").output, HasSubstr(" ranked by promotion not promoted: "));
  EXPECT_THAT(shell("cat " + folder_.path("events")).output,
              MatchesRegex("(.|\n)*\"event\":\"deciding\",\"task\":\"small\",\"submission\":\"2\"}"
                           "(.|\n)*\"event\":\"decided\",\"task\":\"small\",\"submission\":\"2\","
                           "\"promoted\":false,\"verdict\":\"ACCEPTED\"(.|\n)*"));

  ASSERT_EQ(run("submit tasks/small/submissions/right").status, 0) << told();
  EXPECT_EQ(document("score --trust")["run"]["promoted"], 1);
  board = document("board small");
  EXPECT_EQ(board["leader"], "3");
  EXPECT_EQ(board["board"][0]["standing"]["leads"], true);
  EXPECT_EQ(board["board"][2]["submission"], "2") << "behind the leader that it lost against";
  EXPECT_THAT(run("show 3").output, HasSubstr("\n  leads: "));
  EXPECT_EQ(document("farm fsck farm")["whole"], true);
}

TEST_F(HeldOutCommands, TheSecretIsMadeRotatedAndUsedAgain) {
  ASSERT_EQ(run("farm init farm --task tasks/small").status, 0) << told();
  ASSERT_EQ(run("score --trust").status, 0) << told();
  const std::string id = document("show 1")["result"]["held_out"]["secret"].get<std::string>();
  EXPECT_THAT(id, MatchesRegex("[0-9a-f]{16}"));
  EXPECT_THAT(shell("stat -c %a " + folder_.path("farm/secret")).output, "600\n");

  test::Ran ran = run("farm held-out 1 --out look");
  ASSERT_EQ(ran.status, 0) << told();
  EXPECT_THAT(ran.output, MatchesRegex("look/few.h5: variant few, seed [0-9]+\n  simfarm run "
                                       ".*\nlook/all.h5: variant all, seed [0-9]+\n.*\n"));
  const size_t at = ran.output.find("simfarm run ") + 8;
  EXPECT_EQ(run(ran.output.substr(at, ran.output.find('\n', at) - at)).status, 0) << told();
  EXPECT_EQ(run("farm held-out 9 --out look").status, 2);
  EXPECT_EQ(document("farm fsck farm")["whole"], true);

  ran = run("farm rotate-secret");
  EXPECT_EQ(ran.status, 0) << told();
  EXPECT_THAT(ran.output, MatchesRegex("farm: secret [0-9a-f]{16} in place of " + id + "\n"));
  EXPECT_EQ(run("farm held-out 1 --out look").status, 2);
  EXPECT_THAT(told(), HasSubstr("was judged under secret " + id));
  // What was answered from the store before is judged once more.
  ASSERT_EQ(run("submit tasks/small/kernel").status, 0);
  ASSERT_EQ(run("score --trust").status, 0) << told();
  EXPECT_NE(document("show 2")["result"]["held_out"]["secret"], id);
  EXPECT_EQ(document("show 1")["result"]["held_out"]["secret"], id) << "as it was judged";

  std::filesystem::remove(folder_.path("farm/secret"));
  ASSERT_EQ(run("submit tasks/small/submissions/right").status, 0);
  EXPECT_EQ(run("score --trust").status, 78);
  EXPECT_THAT(told(), HasSubstr("task small has held-out cases, and the farm has no secret"));
  EXPECT_EQ(document("show 3")["state"], "queued") << "nothing was charged to anybody";
}

TEST_F(HeldOutCommands, TaskCheckMakesEachVariantOnceAndJudgesTheKernel) {
  folder_.write("tasks/small/GUIDE.md", "Multiply.\n");
  std::filesystem::remove_all(folder_.path("tasks/small/wrong"));
  std::filesystem::remove_all(folder_.path("tasks/small/submissions"));
  test::Ran ran = run("task check tasks/small");
  EXPECT_EQ(ran.status, 0) << ran.output << told();
  EXPECT_THAT(ran.output, HasSubstr("2 cases and 2 held out, 1 submissions: good"));
  test::add_held_out(folder_, "\"few\", \"none\"");
  test::write_submission(folder_, "kernel", kernel_with(test::embedded_answers));
  ran = run("task check tasks/small");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.output, HasSubstr("problem: cases.held_out: none, seed "));
  EXPECT_THAT(ran.output, HasSubstr("invalid choice: 'none'"));
  EXPECT_THAT(ran.output, HasSubstr("the starting kernel is WRONG_OUTPUT in few"));
}

}  // namespace
}  // namespace simfarm::farm
