// A farm as its operator and its authors see it: commands, exit codes, documents.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/farm/small_task.h"

namespace simfarm::farm {
namespace {

using nlohmann::json;
using test::kernel_with;
using test::shell;
using testing::HasSubstr;
using testing::MatchesRegex;

class StoreCommands : public testing::Test {
 protected:
  StoreCommands() {
    test::write_small_task(folder_);
    test::write_submission(folder_, "kernel",
                           kernel_with("for (uint32_t i = 0; i < 100; ++i) sf_cycles();"));
    test::write_submission(folder_, "submissions/better", kernel_with(""));
    test::write_submission(folder_, "wrong/one", kernel_with("y[4] = 0;"));
  }
  /// Runs simfarm with SIMFARM_FARM set, in the folder; standard error goes into the file stderr.
  test::Ran run(const std::string& arguments, const std::string& before = "") const {
    return shell("cd " + folder_.path() + " && export SIMFARM_FARM=farm; " + before +
                 " " SIMFARM_PROGRAM " " + arguments + " 2>stderr </dev/null");
  }
  std::string told() const { return shell("cat " + folder_.path("stderr")).output; }
  json document(const std::string& arguments) const {
    const test::Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 0) << arguments << told();
    return json::parse(ran.output, nullptr, false);
  }
  test::Folder folder_;
};

TEST_F(StoreCommands, FromInitToBoard) {
  test::Ran ran = run("farm init farm --task tasks/small");
  ASSERT_EQ(ran.status, 0) << told();
  EXPECT_THAT(ran.output, MatchesRegex("farm: a new farm\ntask small: package [0-9a-f]{12}\n"));
  EXPECT_EQ(run("farm init farm").status, 2);
  EXPECT_EQ(run("farm add-task tasks/small").status, 0) << "the same once more";

  ASSERT_EQ(shell("cd " + folder_.path("tasks/small") + " && tar czf ../../up.tar.gz -C wrong one")
                .status,
            0);
  folder_.write("bad.tar", "no archive");
  ran = run("submit tasks/small/submissions/better up.tar.gz bad.tar");
  EXPECT_EQ(ran.status, 0) << told();
  EXPECT_THAT(ran.output, HasSubstr("2 queued tasks/small/submissions/better\n3 queued up.tar.gz\n"
                                    "4 rejected bad.tar: REJECTED: submission: not a readable"));
  EXPECT_EQ(run("submit nowhere").status, 2);
  EXPECT_THAT(run("board small").output, HasSubstr("small: small\n")) << "nothing on it yet";

  ran = run("score -j 2 --trust");
  ASSERT_EQ(ran.status, 0) << told();
  EXPECT_THAT(ran.output, HasSubstr("judged 3, answered from the store 0\n"));
  EXPECT_THAT(told(), HasSubstr("[Q 0 R 0 P 3 F 0] 100 %"));
  // Under another name: answered.
  EXPECT_EQ(run("submit tasks/small/submissions/better").status, 0);
  const json scored = document("score --farm farm --trust --json --events told.ndjson");
  std::vector<json> events;
  std::istringstream lines(shell("cat " + folder_.path("told.ndjson")).output);
  for (std::string line; std::getline(lines, line);) events.push_back(json::parse(line));
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0]["schema"], "simfarm.event");
  EXPECT_EQ(events[1]["event"], "settled");
  EXPECT_EQ(events[1]["submission"], "5");
  EXPECT_EQ(events[1]["state"], "ranked");
  EXPECT_EQ(events[1]["verdict"], "ACCEPTED");
  EXPECT_EQ(events[1]["answered"], true);
  EXPECT_EQ(events[2]["event"], "end");
  EXPECT_EQ(scored["schema"], "simfarm.status");
  EXPECT_EQ(scored["run"]["judged"], 0);
  EXPECT_EQ(scored["run"]["answered"], 1);
  EXPECT_EQ(run("score tasks/small/kernel --farm farm").status, 2);
  EXPECT_EQ(run("score --fail-on any").status, 2) << "which nobody would look at";
  EXPECT_EQ(run("score --junit x.xml").status, 2) << "of a batch only";

  const json status = document("status --json");
  EXPECT_TRUE(status["coordinator"].is_null());
  EXPECT_EQ(status["tasks"][0]["submissions"]["ranked"], 3);
  EXPECT_EQ(status["tasks"][0]["submissions"]["judged"], 1);
  EXPECT_EQ(status["no_task"]["rejected"], 1);
  EXPECT_THAT(run("status").output, HasSubstr("small: judged 1, ranked 3\n"));

  const json board = document("board small --json");
  EXPECT_EQ(board["schema"], "simfarm.board");
  EXPECT_EQ(board["version"], 1);
  EXPECT_EQ(board["board"][0]["submission"], "2");
  EXPECT_EQ(board["board"][1]["submission"], "5") << "the same result later: behind";
  EXPECT_EQ(board["board"][2]["submission"], "kernel");
  EXPECT_EQ(board["board"][3]["verdict"], "WRONG_OUTPUT");
  EXPECT_THAT(
      run("board small --csv").output,
      MatchesRegex(
          "rank,cycles,speedup,submission,author,verdict,timing,leads,score\r\n1,[0-9]+,[0-9.]+,2,"
          "test,ACCEPTED,1,yes,[0-9]+\r\n(.|\n)*\r\n,,,3,test,WRONG_OUTPUT,1,,\r\n"));
  EXPECT_EQ(run("board none").status, 2);
  EXPECT_EQ(run("farm fsck farm").status, 0);
  EXPECT_THAT(run("farm upgrade farm").output, HasSubstr("already; nothing was changed"));
}

TEST_F(StoreCommands, WhatAPersonDecidesIsOnTheBoardAndInTheLog) {
  ASSERT_EQ(run("farm init farm --task tasks/small").status, 0);
  ASSERT_EQ(run("submit tasks/small/submissions/better tasks/small/wrong/one").status, 0);
  EXPECT_EQ(run("cancel 3").output, "3 cancelled (was queued)\n") << told();
  ASSERT_EQ(run("score --trust").status, 0) << told();
  const std::string before = run("board small --json").output;
  EXPECT_EQ(run("hold 2").status, 2) << "without a reason";
  const json held = document("hold 2 --reason 'reads too far' --json");
  EXPECT_EQ(held["schema"], "simfarm.act");
  EXPECT_EQ(held["submissions"][0]["before"], "ranked");
  EXPECT_EQ(held["submissions"][0]["state"], "held");
  EXPECT_THAT(run("board small").output, HasSubstr("HELD"));
  EXPECT_THAT(run("show 2").output, HasSubstr(" held by hold reads too far\n"));
  EXPECT_THAT(run("show 2").output, HasSubstr("cycles")) << "the operator sees what it had";
  EXPECT_THAT(run("status").output, HasSubstr("small: ranked 1, held 1, cancelled 1\n"));
  EXPECT_EQ(run("hold 2 --reason again").status, 2);
  EXPECT_THAT(told(), HasSubstr("submission 2 is held and cannot be held; it can be approved or"));
  EXPECT_EQ(run("approve 2 --reason 'it does not'").status, 0);
  EXPECT_EQ(run("board small --json").output, before);
  EXPECT_EQ(document("show 2 --json")["events"].back()["act"], "approve");
  EXPECT_EQ(run("farm fsck farm").status, 0);
}

TEST_F(StoreCommands, ASetIsJudgedAgainAppliedAndCancelled) {
  ASSERT_EQ(run("farm init farm --task tasks/small").status, 0);
  ASSERT_EQ(run("score --trust").status, 0) << told();
  const std::string before = run("board small --json").output;
  EXPECT_EQ(run("rejudge begin small --set best --reason x").status, 2);
  EXPECT_THAT(told(), HasSubstr("say all, ranked, top:N, or numbers"));
  EXPECT_THAT(run("rejudge begin small --set ranked --reason 'newer compiler'").output,
              HasSubstr("set 1: 1 submissions wait. Next:\n  simfarm score --farm farm\n"));
  EXPECT_EQ(run("rejudge apply 1 --reason x").status, 2) << "not judged yet";
  EXPECT_EQ(run("score --trust").status, 0) << told();
  const json set = document("rejudge show 1 --json");
  EXPECT_EQ(set["schema"], "simfarm.rejudge");
  EXPECT_EQ(set["counts"]["same"], 1) << "the same compiler";
  EXPECT_EQ(run("rejudge apply 1 --reason good").status, 0) << told();
  EXPECT_THAT(run("rejudge show").output, HasSubstr("set 1: ranked of task small, applied: newer"));
  EXPECT_EQ(run("rejudge cancel 1 --reason bad").status, 0) << told();
  EXPECT_EQ(run("board small --json").output, before);
  EXPECT_EQ(run("rejudge show 2").status, 2);
  EXPECT_EQ(run("farm fsck farm").status, 0);
}

TEST_F(StoreCommands, ACheckoutOfTheLeaderScoresAsTheLeaderDoes) {
  ASSERT_EQ(run("farm init farm --task tasks/small").status, 0);
  EXPECT_EQ(document("leader small --json")["submission"], "kernel") << "nothing is judged yet";
  test::write_submission(folder_, "submissions/best",
                         kernel_with("#if EXTRA == 1\n#else\nx\n#endif"),
                         "note = '''\nfewer \"reads\"\nof x'''\noptimise = \"O3\"\n"
                         "[defines]\nEXTRA = \"1\"\n");
  ASSERT_EQ(run("submit tasks/small/submissions/best").status, 0);
  ASSERT_EQ(run("score --trust").status, 0) << told();
  const json leader = document("leader small --json");
  EXPECT_EQ(leader["schema"], "simfarm.leader");
  EXPECT_EQ(leader["submission"], "2");
  EXPECT_EQ(leader["author"], "test");
  const test::Ran ran = run("leader small --checkout out --author 'A \"B\"'");
  ASSERT_EQ(ran.status, 0) << told();
  EXPECT_THAT(ran.output, HasSubstr("submission 2 of task small, by test: "));
  EXPECT_THAT(ran.output, HasSubstr("\n  fewer \"reads\"\n  of x\n"));
  EXPECT_THAT(ran.output, HasSubstr("\n  simfarm try out --task farm/tasks/small\n"));

  const json tried = document("try out --task farm/tasks/small --trust --json");
  const json row = tried["tasks"][0]["board"][0];
  EXPECT_EQ(row["verdict"], "ACCEPTED");
  EXPECT_EQ(row["cycles"], leader["cycles"]);
  EXPECT_EQ(row["parent"], "2");
  EXPECT_EQ(row["author"], "A \"B\"");
  ASSERT_EQ(run("submit out").status, 0);
  EXPECT_EQ(document("score --trust --json")["run"]["answered"], 1) << "byte for byte the same";

  const std::string manifest = folder_.path("out/submission.toml");
  const std::string before = shell("cat " + manifest).output;
  EXPECT_THAT(before, HasSubstr("#   fewer \"reads\"\n"));
  EXPECT_EQ(run("leader small --checkout out").status, 2) << "it is not empty";
  EXPECT_EQ(shell("cat " + manifest).output, before);
  EXPECT_EQ(run("leader none").status, 2);
  // Without a farm: the starting kernel.
  EXPECT_EQ(run("leader tasks/small --checkout first", "unset SIMFARM_FARM;").status, 0) << told();
  EXPECT_THAT(shell("cat " + folder_.path("first/submission.toml")).output,
              HasSubstr("parent = \"kernel\"\n"));
  EXPECT_EQ(
      document("try first --task tasks/small --trust --json")["tasks"][0]["board"][0]["verdict"],
      "ACCEPTED");
}

TEST_F(StoreCommands, WithoutASandboxNothingIsBuiltUnlessTrusted) {
  ASSERT_EQ(run("farm init farm --task tasks/small").status, 0);
  EXPECT_EQ(run("score", "export SIMFARM_BWRAP=/nowhere;").status, 78) << told();
  EXPECT_THAT(run("status").output, HasSubstr("queued 1")) << "it is still there";
  ASSERT_EQ(run("score --trust").status, 0) << told();
  const std::string trusted = document("show 1 --json")["evaluation"];

  if (run("doctor").status != 0) GTEST_SKIP() << run("doctor").output;
  test::write_submission(folder_, "submissions/curious",
                         "#include \"/etc/hostname\"\n" + kernel_with(""));
  ASSERT_EQ(run("submit tasks/small/submissions/curious tasks/small/kernel").status, 0) << told();
  ASSERT_EQ(run("score").status, 0) << told();
  EXPECT_EQ(document("show 2 --json")["result"]["verdict"], "COMPILE_ERROR");
  EXPECT_EQ(document("show 3 --json")["result"]["verdict"], "ACCEPTED");
  EXPECT_NE(document("show 3 --json")["evaluation"], trusted) << "built under a policy";
}

TEST_F(StoreCommands, ShowTellsWhatHappenedAndReruns) {
  ASSERT_EQ(run("farm init farm --task tasks/small").status, 0);
  ASSERT_EQ(run("submit tasks/small/wrong/one").status, 0);
  EXPECT_THAT(run("show 2").output, HasSubstr("submission 2: task small, by test: queued\n"));
  EXPECT_TRUE(document("show 2 --json")["result"].is_null());
  ASSERT_EQ(run("score --trust").status, 0);
  const std::string text = run("show 2").output;
  EXPECT_THAT(text, HasSubstr("WRONG_OUTPUT in case one"));
  const json one = document("show 2 --json");
  EXPECT_EQ(one["schema"], "simfarm.submission");
  EXPECT_EQ(one["state"], "judged");
  EXPECT_EQ(one["events"].size(), 4u);
  EXPECT_THAT(one["events"][0]["time"].get<std::string>(),
              MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}Z"));
  EXPECT_EQ(one["result"]["verdict"], "WRONG_OUTPUT");
  // The command that it prints judges the same again.
  const std::string rerun = one["result"]["rerun"].get<std::string>();
  ASSERT_THAT(text, HasSubstr("rerun: " + rerun + " --case one"));
  const test::Ran again = run(rerun.substr(std::string("simfarm ").size()) + " --trust");
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.output, HasSubstr("WRONG_OUTPUT in case one"));
  EXPECT_EQ(run("show 9").status, 2);
  EXPECT_EQ(run("show x").status, 2);
}

TEST_F(StoreCommands, DamageAndFullDisksHaveTheirExitCodes) {
  ASSERT_EQ(run("farm init farm --task tasks/small").status, 0);
  ASSERT_EQ(run("submit tasks/small/submissions/better").status, 0);
  const std::string archive = document("show 2 --json")["archive"].get<std::string>();
  // Through a pipe: standard error would be a file that may not grow.
  const auto full = [&](const std::string& arguments) {
    return shell("cd " + folder_.path() + " && (trap '' XFSZ; ulimit -f 0; " SIMFARM_PROGRAM " " +
                 arguments + " --farm farm 2>&1; echo status $?)")
        .output;
  };
  EXPECT_THAT(full("submit tasks/small/wrong/one"), HasSubstr("status 74\n"));
  EXPECT_THAT(full("score --trust"), HasSubstr("status 74\n"));
  EXPECT_EQ(document("farm fsck farm --json")["whole"], true);
  const std::string blob = folder_.path("farm/blobs/" + archive.substr(0, 2) + "/" + archive);
  ASSERT_EQ(shell("printf x | dd of=" + blob + " bs=1 seek=700 conv=notrunc 2>&1").status, 0);
  const test::Ran found = run("farm fsck farm");
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(found.output, HasSubstr("damaged: its SHA-256 is"));
  EXPECT_THAT(found.output, HasSubstr("(archive of submission 2)"));
  EXPECT_EQ(run("score --trust").status, 5)
      << "its bytes are gone: not judged, and not its author's fault";
  EXPECT_THAT(run("show 2").output, HasSubstr("SYSTEM_ERROR: "));
  EXPECT_THAT(run("show 1").output, HasSubstr("ACCEPTED"));
  EXPECT_EQ(run("status --farm tasks").status, 2);
  EXPECT_EQ(shell("cd " + folder_.path() + " && " SIMFARM_PROGRAM " status 2>&1").status, 2);
}

/// Starts `simfarm score` on the farm; its pid.
pid_t start_score(const std::string& farm) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const int null = open("/dev/null", O_RDWR);
  dup2(null, 1);
  dup2(null, 2);
  execl(SIMFARM_PROGRAM, SIMFARM_PROGRAM, "score", "--trust", "--farm", farm.c_str(), "-j", "2",
        nullptr);
  _exit(127);
}

TEST_F(StoreCommands, ScenarioATemporaryFolderThatIsGoneCostsNoSubmissionItsTries) {
  EXPECT_EQ(run("farm init farm --task nowhere").status, 74);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("farm"))) << "no half-made farm";
  ASSERT_EQ(run("farm init farm --task tasks/small").status, 0) << told();
  test::Ran ran = run("score --trust", "TMPDIR=/nowhere");
  EXPECT_EQ(ran.status, 74);
  EXPECT_THAT(told(), HasSubstr("set TMPDIR to a folder that can be written to"));
  // One that goes while something runs: the first linker removes it.
  ASSERT_EQ(shell("mkdir " + folder_.path("temporary")).status, 0);
  folder_.write("lld", "#!/bin/sh\nrm -rf " + folder_.path("temporary") + "; exit 127\n");
  ASSERT_EQ(shell("chmod +x " + folder_.path("lld")).status, 0);
  ran = run("score --trust -j 1", "SIMFARM_LLD=./lld TMPDIR=" + folder_.path("temporary"));
  EXPECT_EQ(ran.status, 74) << told();
  EXPECT_THAT(run("status").output, HasSubstr("small: queued 1"));
  EXPECT_EQ(run("score --trust").status, 0) << told();
  EXPECT_THAT(run("status").output, HasSubstr("small: ranked 1"));
}

TEST_F(StoreCommands, AFarmThatMayOnlyBeReadCanBeLookedAt) {
  ASSERT_EQ(run("farm init farm --task tasks/small").status, 0) << told();
  ASSERT_EQ(run("score --trust").status, 0) << told();
  ASSERT_EQ(shell("cd " + folder_.path() + " && chmod a+rx . && chmod -R a-w,a+rX farm").status, 0);
  // Permissions say nothing to root.
  const std::string nobody =
      geteuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups" : "env";
  if (shell(nobody + " " SIMFARM_PROGRAM " --version").status != 0)
    GTEST_SKIP() << "nobody else may run " SIMFARM_PROGRAM;
  for (const char* const look : {"board small", "status", "show 1"})
    EXPECT_EQ(run(look, nobody).status, 0) << look << ": " << told();
  EXPECT_THAT(run("farm fsck", nobody).output, HasSubstr("1 submissions"));
  EXPECT_NE(run("submit tasks/small/kernel", nobody).status, 0);
  EXPECT_EQ(shell("chmod -R u+w " + folder_.path("farm")).status, 0);
}

TEST_F(StoreCommands, OneThatCannotBePackedDoesNotKeepOthersOut) {
  ASSERT_EQ(run("farm init farm --task tasks/small").status, 0) << told();
  ASSERT_EQ(shell("cd " + folder_.path("tasks/small") +
                  " && cp -r submissions/better fifo && mkfifo "
                  "fifo/pipe")
                .status,
            0);
  const test::Ran ran = run("submit tasks/small/fifo nowhere tasks/small/submissions/better");
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.output, HasSubstr(" queued tasks/small/submissions/better\n"));
  EXPECT_THAT(told(), HasSubstr("neither a regular file nor a folder"));
  EXPECT_THAT(told(), HasSubstr("nowhere"));
  EXPECT_EQ(run("show gemm").status, 2);
  EXPECT_THAT(told(), HasSubstr("'gemm' is not a whole number above 0"));
}

TEST_F(StoreCommands, Scenario02_KilledInMidRunEverythingIsJudgedOnce) {
  ASSERT_EQ(run("farm init farm --task tasks/small").status, 0);
  std::string all;
  for (int k = 0; k < 3; ++k) {
    const std::string place = "submissions/s" + std::to_string(k);
    test::write_submission(folder_, place, kernel_with("sf_cycles(); // " + std::to_string(k)));
    all += " tasks/small/" + place;
  }
  ASSERT_EQ(run("submit" + all).status, 0);
  // Later each time, so that it is killed at all stages, and gets on.
  int killed = 0;
  for (int k = 1; k < 200; ++k) {
    const pid_t pid = start_score(folder_.path("farm"));
    int status = 0;
    pid_t ended = 0;
    for (int waited = 0; ended == 0 && waited < 250 * k; waited += 10) {
      usleep(10'000);
      ended = waitpid(pid, &status, WNOHANG);
    }
    if (ended != 0) break;
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    ++killed;
  }
  EXPECT_GT(killed, 0);
  EXPECT_EQ(run("score --trust").status, 0) << told();
  EXPECT_EQ(document("farm fsck farm --json")["problems"].size(), 0u);
  EXPECT_EQ(document("status --json")["tasks"][0]["submissions"]["ranked"], 4);
  for (int id = 1; id <= 4; ++id) {
    int judged = 0;
    const json one = document("show --json " + std::to_string(id));
    for (const json& event : one["events"]) judged += event["state"] == "judged";
    EXPECT_EQ(judged, 1) << id;
  }
}

TEST_F(StoreCommands, InterruptedItFinishesAndSaysHowToGoOn) {
  ASSERT_EQ(run("farm init farm --task tasks/small").status, 0);
  std::string all;
  for (int k = 0; k < 5; ++k) {
    const std::string place = "submissions/s" + std::to_string(k);
    test::write_submission(folder_, place, kernel_with("sf_cycles(); // " + std::to_string(k)));
    all += " tasks/small/" + place;
  }
  ASSERT_EQ(run("submit" + all).status, 0);
  const test::Ran ran = shell(
      "cd " + folder_.path() +
      " && " SIMFARM_PROGRAM
      " score --farm farm --trust -j 1 2>stderr & pid=$!; "
      "while ! " SIMFARM_PROGRAM " status --farm " +
      folder_.path("farm") +
      " | grep -q 'coordinator: pid'; do sleep 0.02; done; kill -TERM $pid; wait $pid; echo $?");
  EXPECT_THAT(ran.output, testing::EndsWith("130\n"));
  const test::Ran errors = shell("cat " + folder_.path("stderr"));
  EXPECT_THAT(errors.output, HasSubstr("still queued. To go on:\n  simfarm score --farm farm\n"));
  EXPECT_EQ(document("status --json")["tasks"][0]["submissions"]["running"], 0);
  EXPECT_EQ(run("score --trust").status, 0);
  EXPECT_EQ(document("status --json")["tasks"][0]["submissions"]["ranked"], 6);
}

}  // namespace
}  // namespace simfarm::farm
