// The commands as people and scripts call them: exit codes, streams, files.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/farm/small_task.h"

namespace simfarm::farm {
namespace {

using test::Folder;
using test::kernel_with;
using test::shell;
using testing::HasSubstr;
using testing::Not;

/// Runs simfarm in `folder`; standard error is put into `folder`/stderr.
test::Ran simfarm(const Folder& folder, const std::string& arguments) {
  return shell("cd " + folder.path() + " && " SIMFARM_PROGRAM " " + arguments +
               " 2>stderr </dev/null");
}

std::string errors(const Folder& folder) { return shell("cat " + folder.path("stderr")).output; }

class FarmCommands : public testing::Test {
 protected:
  FarmCommands() {
    test::write_small_task(folder_);
    test::write_submission(folder_, "kernel",
                           kernel_with("for (uint32_t i = 0; i < 100; ++i) sf_cycles();"));
  }
  test::Ran simfarm(const std::string& arguments) { return farm::simfarm(folder_, arguments); }
  void announce(const std::string& where, const std::string& verdict) {
    folder_.write("tasks/small/" + where + "/expect.toml", "expect = \"" + verdict + "\"\n");
  }
  Folder folder_;
};

/// Whether builds can be in the sandbox here.
bool sandbox_works(const Folder& folder) {
  return simfarm(folder, "doctor --json").output.find("\"namespaces and filter work") !=
         std::string::npos;
}

TEST_F(FarmCommands, ABatchTellsItsEventsAndWritesJUnit) {
  test::write_submission(folder_, "submissions/wrong", kernel_with("y[4] = 0;"));
  const test::Ran ran = simfarm("score tasks/small --trust -j 1 --events - --junit junit.xml");
  EXPECT_EQ(ran.status, 0) << errors(folder_);
  std::vector<std::string> said;
  std::istringstream lines(ran.output);
  for (std::string line; std::getline(lines, line);) {
    const auto event = nlohmann::json::parse(line);
    said.push_back(event["event"].get<std::string>() + " " + event.value("submission", "") + " " +
                   event.value("verdict", ""));
  }
  EXPECT_EQ(said, (std::vector<std::string>{"begin  ", "running kernel ", "settled kernel ACCEPTED",
                                            "running submissions/wrong ",
                                            "settled submissions/wrong WRONG_OUTPUT", "end  "}));
  EXPECT_THAT(errors(folder_), HasSubstr("rank  cycles")) << "the board is for people then";
  EXPECT_THAT(shell("cat " + folder_.path("junit.xml")).output,
              HasSubstr("<testsuite name=\"small\" tests=\"2\" failures=\"1\" errors=\"0\""));
  EXPECT_EQ(simfarm("score tasks/small --trust --events - --json").status, 2);
  EXPECT_EQ(simfarm("score tasks/small --trust --events nowhere/x").status, 74);
}

TEST_F(FarmCommands, StrangersCodeIsNotBuiltWithoutASandbox) {
  // A search path with the compiler and without bubblewrap.
  std::filesystem::create_directories(folder_.path("bin"));
  for (const char* const program : {"clang-19", "ld.lld-19"})
    std::filesystem::create_symlink(std::string("/usr/bin/") + program,
                                    folder_.path(std::string("bin/") + program));
  ASSERT_EQ(
      shell("cd " + folder_.path("tasks/small") + " && tar cf ../../upload.tar kernel").status, 0);
  const auto without = [&](const std::string& arguments) {
    return shell("cd " + folder_.path() + " && PATH=" + folder_.path("bin") +
                 " " SIMFARM_PROGRAM " " + arguments + " 2>stderr");
  };
  test::Ran ran = without("score tasks/small/kernel");
  EXPECT_EQ(ran.status, 78);
  EXPECT_EQ(ran.output, "");
  EXPECT_THAT(errors(folder_),
              HasSubstr("bwrap is not installed; on Debian 12: apt-get install bubblewrap"));
  EXPECT_THAT(errors(folder_), HasSubstr("are not built without a sandbox"));
  EXPECT_THAT(errors(folder_), HasSubstr("--trust.\n  tasks/small/kernel\n"));
  ran = without("score tasks/small/kernel --trust");
  EXPECT_EQ(ran.status, 0) << errors(folder_);
  EXPECT_THAT(errors(folder_), HasSubstr("without a sandbox, as --trust says"));
  EXPECT_THAT(ran.output, HasSubstr("1.00x  kernel      test    ACCEPTED"));
  // What is shipped needs none; neither does one's own folder on one's own desk.
  EXPECT_EQ(without("score " SIMFARM_SOURCE_DIR "/tasks/gemm/kernel").status, 0) << errors(folder_);
  EXPECT_EQ(without("try tasks/small/kernel").status, 0) << errors(folder_);
  EXPECT_THAT(errors(folder_), HasSubstr("built with your rights: there is no build sandbox"));
  EXPECT_EQ(without("try upload.tar --tasks tasks").status, 78);
  EXPECT_EQ(without("try upload.tar --tasks tasks --trust").status, 0) << errors(folder_);
  ran = without("doctor");
  EXPECT_EQ(ran.status, 78);
  EXPECT_THAT(ran.output, HasSubstr("WRONG  bubblewrap"));
  EXPECT_THAT(ran.output, HasSubstr("-> apt-get install bubblewrap"));
  EXPECT_THAT(ran.output, HasSubstr("ok     toolchain"));
}

TEST_F(FarmCommands, ARefusalNamesTheKernelsSetting) {
  // A user namespace of its own, in which there may be no further ones.
  const std::string forbid = "unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && ";
  if (shell(forbid + "true' 2>&1").status != 0) GTEST_SKIP() << "no user namespaces here";
  const auto forbidden = [&](const std::string& arguments) {
    return shell("cd " + folder_.path() + " && " + forbid + SIMFARM_PROGRAM " " + arguments +
                 "' 2>stderr");
  };
  EXPECT_EQ(forbidden("score tasks/small/kernel").status, 78);
  EXPECT_THAT(errors(folder_), HasSubstr("no build sandbox: bwrap: "));
  EXPECT_THAT(errors(folder_), HasSubstr("as root, sysctl user.max_user_namespaces=15000\n"));
  const test::Ran ran = forbidden("doctor");
  EXPECT_EQ(ran.status, 78);
  EXPECT_THAT(ran.output, HasSubstr("-> no user namespaces are allowed: as root, sysctl"));
}

TEST_F(FarmCommands, StrangersCodeIsBuiltInTheSandbox) {
  if (!sandbox_works(folder_)) GTEST_SKIP() << simfarm("doctor").output;
  const std::string secret = folder_.write("secret.h", "#error XYZZY\n");
  test::write_submission(folder_, "submissions/curious",
                         "#include \"" + secret + "\"\n" + kernel_with(""));
  const test::Ran ran = simfarm("score tasks/small --json");
  EXPECT_EQ(ran.status, 0) << errors(folder_);
  EXPECT_THAT(ran.output, Not(HasSubstr("XYZZY")));
  const auto document = nlohmann::json::parse(ran.output);
  EXPECT_EQ(document["tasks"][0]["board"][0]["verdict"], "ACCEPTED");
  EXPECT_EQ(document["tasks"][0]["board"][1]["verdict"], "COMPILE_ERROR");
  const auto& build = document["host"]["build"];
  EXPECT_EQ(build["sandboxed"], true);
  EXPECT_EQ(build["policy"], 1);
  EXPECT_EQ(build["limits"]["processes"], 512);
  EXPECT_EQ(build["limits"]["cpu_seconds"], 20);
  // Without, the same program; and the document says so.
  const auto trusted =
      nlohmann::json::parse(simfarm("score tasks/small/kernel --trust --json").output);
  EXPECT_EQ(trusted["tasks"][0]["board"][0], document["tasks"][0]["board"][0]);
  EXPECT_EQ(trusted["host"]["build"]["sandboxed"], false);
  EXPECT_EQ(trusted["host"]["build"]["policy"], nullptr);
}

TEST_F(FarmCommands, DoctorSaysThatAllIsWell) {
  if (!sandbox_works(folder_)) GTEST_SKIP() << simfarm("doctor").output;
  const test::Ran ran = simfarm("doctor --json");
  EXPECT_EQ(ran.status, 0) << ran.output;
  const auto document = nlohmann::json::parse(ran.output);
  EXPECT_EQ(document["schema"], "simfarm.doctor");
  EXPECT_EQ(document["ok"], true);
  std::string names;
  for (const auto& check : document["checks"]) names += check["name"].get<std::string>() + " ";
  EXPECT_EQ(
      names,
      "toolchain bubblewrap seccomp sandbox build simulations generators temporary folder cores ");
}

TEST_F(FarmCommands, ScoreComparesWithTheKernelAndTellsWhatFailed) {
  const std::string better = test::write_submission(folder_, "submissions/better", kernel_with(""));
  const std::string wrong = test::write_submission(folder_, "wrong/one", kernel_with("y[4] = 0;"));
  // Named: two. Judged: also the kernel, for the speed-up.
  test::Ran ran =
      simfarm("score --trust tasks/small/submissions/better tasks/small/wrong/one -j 2");
  EXPECT_EQ(ran.status, 0) << errors(folder_);
  EXPECT_THAT(ran.output, HasSubstr("  kernel"));
  EXPECT_THAT(ran.output, HasSubstr("small wrong/one: WRONG_OUTPUT in case one"));
  EXPECT_THAT(ran.output, HasSubstr("rerun: simfarm try tasks/small/wrong/one --case one\n"));
  EXPECT_THAT(errors(folder_), HasSubstr("[Q 0 R 0 P 2 F 1] 100 %"));
  EXPECT_THAT(errors(folder_), Not(HasSubstr("\033"))) << "no terminal, no escapes";

  EXPECT_EQ(simfarm("score --trust tasks/small --fail-on any").status, 1);
  EXPECT_THAT(errors(folder_), HasSubstr("small wrong/one: must be ACCEPTED, was WRONG_OUTPUT"));
  EXPECT_EQ(simfarm("score --trust tasks/small --fail-on DEADLOCK,COMPILE_ERROR").status, 0);
  announce("wrong/one", "WRONG_OUTPUT");
  EXPECT_EQ(simfarm("score --trust tasks/small --fail-on any").status, 0);
  announce("wrong/one", "DEADLOCK");
  EXPECT_EQ(simfarm("score --trust tasks").status, 1);
  EXPECT_THAT(errors(folder_), HasSubstr("small wrong/one: must be DEADLOCK, was WRONG_OUTPUT"));

  ran = simfarm("score --trust tasks/small/submissions/better --no-baseline --json");
  ASSERT_EQ(ran.status, 0) << errors(folder_);
  const auto document = nlohmann::json::parse(ran.output);
  ASSERT_EQ(document["tasks"][0]["board"].size(), 1u);
  EXPECT_EQ(document["tasks"][0]["board"][0]["submission"], "submissions/better");
  EXPECT_GT(document["tasks"][0]["board"][0]["cycles"], 0);
}

TEST_F(FarmCommands, ScoreFindsTasksByNameAndRefusesUploadsOneByOne) {
  const std::string place = folder_.path("uploads");
  std::filesystem::create_directories(place);
  ASSERT_EQ(shell("cd " + folder_.path("tasks/small") + " && tar cf ../../uploads/good.tar kernel")
                .status,
            0);
  folder_.write("uploads/damaged.tar", "this is no archive");
  folder_.write("uploads/other/submission.toml",
                "task = \"other\"\nauthor = \"x\"\nsources = [\"a.c\"]\n");
  folder_.write("uploads/other/a.c", "");
  const test::Ran ran =
      simfarm("score --trust --tasks tasks uploads/good.tar uploads/damaged.tar uploads/other");
  EXPECT_EQ(ran.status, 0) << errors(folder_);
  EXPECT_THAT(ran.output, HasSubstr("uploads/good.tar  test    ACCEPTED"));
  EXPECT_THAT(ran.output, HasSubstr("submissions to no known task\n"));
  EXPECT_THAT(ran.output, HasSubstr("uploads/damaged.tar: not a readable tar file"));
  EXPECT_THAT(ran.output, HasSubstr("task other is not in tasks"));
  // --task judges everything by one.
  const test::Ran one =
      simfarm("score --trust --task tasks/small uploads/damaged.tar uploads/other");
  EXPECT_THAT(one.output, HasSubstr("task: is other, judged here is small"));
  EXPECT_THAT(one.output, HasSubstr("rerun: simfarm try uploads/damaged.tar --task tasks/small\n"));
}

TEST_F(FarmCommands, BadCallsAndBadTasksHaveTheirOwnExitCodes) {
  EXPECT_EQ(simfarm("score").status, 4);
  EXPECT_EQ(simfarm("score nowhere").status, 2);
  EXPECT_THAT(errors(folder_), HasSubstr("nowhere: no such file or folder"));
  EXPECT_EQ(simfarm("score --trust uploads/..").status, 2);
  EXPECT_EQ(simfarm("score --fail-on SAD tasks").status, 2);
  EXPECT_EQ(simfarm("score --jobs 0 tasks").status, 2);
  EXPECT_EQ(simfarm("try tasks/small/kernel --case three").status, 2);
  EXPECT_EQ(simfarm("try tasks/small").status, 0) << "one submission, so no doubt which";
  folder_.write("tasks/small/task.toml", "name = 1\n");
  EXPECT_EQ(simfarm("score --trust tasks/small/kernel").status, 78);
  EXPECT_THAT(errors(folder_), HasSubstr("tasks/small/task.toml:1: name: must be a string"));
  EXPECT_EQ(shell("cd " + folder_.path() +
                  " && PATH=/nowhere " SIMFARM_PROGRAM " try tasks/small/kernel 2>stderr")
                .status,
            78);
}

TEST_F(FarmCommands, AnInterruptedBatchFinishesWhatRunsAndSaysWhatWasNotJudged) {
  // The linker of the first build interrupts simfarm, as Ctrl-C would.
  folder_.write("lld", "#!/bin/sh\nkill -INT $(cat " + folder_.path("pid") +
                           ")\nexec /usr/bin/ld.lld-19 \"$@\"\n");
  ASSERT_EQ(shell("chmod +x " + folder_.path("lld")).status, 0);
  test::write_submission(folder_, "submissions/later", kernel_with(""));
  const test::Ran ran = shell(
      "cd " + folder_.path() + " && SIMFARM_LLD=./lld TMPDIR=" + folder_.path("tasks") +
      " sh -c 'echo $$ >pid; exec " SIMFARM_PROGRAM " score --trust -j 1 tasks/small' 2>stderr");
  EXPECT_EQ(ran.status, 130) << errors(folder_);
  EXPECT_THAT(ran.output, HasSubstr("kernel             test    ACCEPTED"));
  EXPECT_THAT(ran.output, HasSubstr("submissions/later  test    CANCELLED"));
  EXPECT_THAT(errors(folder_), HasSubstr("interrupted"));
  EXPECT_EQ(shell("ls " + folder_.path("tasks")).output, "small\n")
      << "no temporary folder is left";
}

TEST_F(FarmCommands, TwoTasksOfOneNameHaveNoCommonBoard) {
  std::filesystem::copy(folder_.path("tasks/small"), folder_.path("tasks/twin"),
                        std::filesystem::copy_options::recursive);
  EXPECT_EQ(simfarm("score --trust tasks").status, 2);
  EXPECT_THAT(errors(folder_), HasSubstr("two tasks are named small: tasks/small and tasks/twin"));
}

TEST_F(FarmCommands, ANobodysFaultIsNoVerdict) {
  // A linker that dies of its own.
  folder_.write("lld", "#!/bin/sh\nexit 127\n");
  ASSERT_EQ(shell("chmod +x " + folder_.path("lld")).status, 0);
  const test::Ran ran =
      shell("cd " + folder_.path() +
            " && SIMFARM_LLD=./lld " SIMFARM_PROGRAM " score --trust tasks/small 2>stderr");
  EXPECT_EQ(ran.status, 5);
  EXPECT_THAT(ran.output, HasSubstr("SYSTEM_ERROR"));
  EXPECT_THAT(errors(folder_), HasSubstr("not judged: small kernel: SYSTEM_ERROR"));
}

TEST_F(FarmCommands, TryTellsAnAuthorWhereTheCyclesGo) {
  test::write_submission(folder_, "submissions/better", kernel_with(""));
  test::Ran ran =
      simfarm("try tasks/small/submissions/better --against tasks/small/kernel --elf k.elf");
  EXPECT_EQ(ran.status, 0) << errors(folder_);
  EXPECT_THAT(ran.output, HasSubstr("case  cycles  boot  instructions"));
  EXPECT_THAT(ran.output, HasSubstr("ACCEPTED: "));
  EXPECT_THAT(ran.output, HasSubstr("x of kernel ("));
  EXPECT_THAT(ran.output, HasSubstr(" issued -"));
  // The program of the judge, on the judge's layout, takes the judge's cycles.
  const test::Ran document = simfarm("try tasks/small/submissions/better --case two --json");
  const auto json = nlohmann::json::parse(document.output);
  const test::Ran rerun =
      simfarm("run k.elf --task tasks/small --in tasks/small/cases/two.h5 --out o.h5 --json");
  ASSERT_EQ(rerun.status, 0) << errors(folder_);
  EXPECT_EQ(nlohmann::json::parse(rerun.output)["cycles"],
            json["tasks"][0]["board"][0]["cases"][0]["cycles"]);
  const auto compared = test::python(folder_,
                                     "a = h5py.File('o.h5')['outputs/y'][...]; b = "
                                     "h5py.File('tasks/small/cases/two.h5')['expected/"
                                     "y'][...]\nassert (a == b).all() and a.dtype == b.dtype\n");
  EXPECT_EQ(compared.status, 0) << compared.output;

  test::write_submission(folder_, "wrong/one", kernel_with("y[4] = 0;"));
  ran = simfarm("try tasks/small/wrong/one");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.output, HasSubstr("output y[4]"));
}

TEST_F(FarmCommands, TaskNewMakesATaskThatCheckAcceptsAndPackPacksAlike) {
  test::Ran ran = simfarm("task new vector-scale");
  ASSERT_EQ(ran.status, 0) << errors(folder_);
  EXPECT_EQ(simfarm("task new vector-scale").status, 2) << "it is there already";
  EXPECT_EQ(simfarm("task new Vector").status, 2);
  ran = simfarm("task check vector-scale");
  EXPECT_EQ(ran.status, 0) << errors(folder_) << ran.output;
  EXPECT_THAT(ran.output,
              HasSubstr("vector-scale version 1: 2 tensors, 1 parameters, 2 cases and 2 held out, "
                        "3 submissions: good\n"));
  EXPECT_EQ(shell("grep -r @NAME@ " + folder_.path("vector-scale")).output, "");
  // Its generator makes its cases, byte for byte.
  EXPECT_EQ(shell("cd " + folder_.path("vector-scale") +
                  " && /usr/bin/python3 generate.py --variant tiny --seed 1 --output new.h5 && cmp "
                  "new.h5 cases/tiny.h5 && rm new.h5")
                .status,
            0);

  ASSERT_EQ(simfarm("task pack vector-scale -o a.tar").status, 0) << errors(folder_);
  ASSERT_EQ(shell("cd " + folder_.path() + " && mkdir elsewhere && cd elsewhere && tar xf ../a.tar")
                .status,
            0);
  ASSERT_EQ(simfarm("task pack elsewhere/vector-scale -o b.tar").status, 0);
  EXPECT_EQ(shell("cmp " + folder_.path("a.tar") + " " + folder_.path("b.tar")).status, 0);

  // What check is for.
  folder_.write("vector-scale/wrong/nothing/expect.toml", "expect = \"DEADLOCK\"\n");
  std::filesystem::remove(folder_.path("vector-scale/wrong/unsigned/expect.toml"));
  std::filesystem::remove(folder_.path("vector-scale/GUIDE.md"));
  ran = simfarm("task check vector-scale");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.output, HasSubstr("problem: no GUIDE.md"));
  EXPECT_THAT(ran.output, HasSubstr("problem: wrong/unsigned has no expect.toml"));
  EXPECT_THAT(ran.output,
              HasSubstr("problem: vector-scale wrong/nothing: must be DEADLOCK, was WRONG_OUTPUT"));
  EXPECT_THAT(ran.output, HasSubstr("not good yet\n"));
  folder_.write("vector-scale/cases/tiny.h5", "damaged");
  EXPECT_EQ(simfarm("task check vector-scale").status, 78);
  EXPECT_EQ(simfarm("task pack vector-scale -o c.tar").status, 78);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("c.tar")));
}

TEST_F(FarmCommands, TaskNewRanksByAnyKindThatItsCasesCanHave) {
  for (const std::string kind :
       {"cycles", "weighted", "mac-utilisation", "local-memory", "energy"}) {
    ASSERT_EQ(simfarm("task new by-" + kind + " --score " + kind).status, 0) << errors(folder_);
    EXPECT_EQ(simfarm("task pack by-" + kind + " -o a.tar").status, 0) << errors(folder_);
    EXPECT_EQ(load_task(folder_.path("by-" + kind))->score.kind,
              static_cast<ScoreKind>(
                  std::find(score_kind_names().begin(), score_kind_names().end(), kind) -
                  score_kind_names().begin()));
  }
  EXPECT_EQ(simfarm("task new by-error --score logit-error").status, 2);
  EXPECT_EQ(simfarm("task new by-speed --score speed").status, 2);
}

}  // namespace
}  // namespace simfarm::farm
