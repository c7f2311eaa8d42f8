// Held-out cases: where their seeds come from, who makes them, and how little is told of them.
#include "farm/held_out.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <set>

#include "farm/digest.h"
#include "farm/evaluate.h"
#include "tests/farm/small_task.h"

namespace simfarm::farm {
namespace {

using test::Folder;
using test::kernel_with;
using testing::HasSubstr;
using testing::Not;

std::string hexadecimal(const std::array<u8, 32>& bytes) {
  std::string text;
  for (const u8 byte : bytes)
    for (const int shift : {4, 0}) text += "0123456789abcdef"[byte >> shift & 15];
  return text;
}

TEST(Hmac, IsThatOfRfc4231) {
  const std::vector<u8> key(20, 0x0b);
  EXPECT_EQ(hexadecimal(hmac_sha256(key, "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  const std::vector<u8> jefe = {'J', 'e', 'f', 'e'};
  EXPECT_EQ(hexadecimal(hmac_sha256(jefe, "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Secrets, LieInAFileOfTheirOwnersAlone) {
  Folder folder;
  const Secret made = Secret::make().value();
  ASSERT_TRUE(made.save(folder.path("secret")));
  struct stat status {};
  ASSERT_EQ(stat(folder.path("secret").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const Secret again = Secret::load(folder.path("secret")).value();
  EXPECT_EQ(again.id(), made.id());
  EXPECT_EQ(again.seed({"a"}), made.seed({"a"}));
  EXPECT_NE(Secret::make()->id(), made.id());
  ASSERT_EQ(chmod(folder.path("secret").c_str(), 0640), 0);
  EXPECT_THAT(Secret::load(folder.path("secret")).error().message,
              HasSubstr("others than its owner may read it (mode 640): chmod 600"));
  EXPECT_FALSE(Secret::load(folder.path("none")));
  std::ofstream(folder.path("secret"), std::ios::app) << "x";
  ASSERT_EQ(chmod(folder.path("secret").c_str(), 0600), 0);
  EXPECT_THAT(Secret::load(folder.path("secret")).error().message, HasSubstr("damaged"));
}

TEST(Secrets, SeedsDependOnEveryPartAndOnTheSecret) {
  const Secret secret = Secret::make().value();
  std::set<u64> seen;
  for (const std::vector<std::string>& parts : std::vector<std::vector<std::string>>{
           {}, {""}, {"ab"}, {"a", "b"}, {"b", "a"}, {"", "ab"}, {"ab", ""}})
    EXPECT_TRUE(seen.insert(secret.seed(parts)).second) << testing::PrintToString(parts);
  EXPECT_TRUE(seen.insert(Secret::make()->seed({"ab"})).second);
  Task task;
  task.held_out = {"few", "all"};
  const auto cases = held_out_cases(task, secret, "task", "source");
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[1].variant, "all");
  EXPECT_NE(cases[0].seed, cases[1].seed);
  EXPECT_NE(cases[0].seed, held_out_cases(task, secret, "task", "sourcf")[0].seed);
  EXPECT_NE(cases[0].seed, held_out_cases(task, secret, "tasl", "source")[0].seed);
  EXPECT_EQ(cases[0].seed, held_out_cases(task, secret, "task", "source")[0].seed);
}

/// The small task with held-out cases, and a secret.
class HeldOut : public testing::Test {
 protected:
  HeldOut() {
    test::write_small_task(folder_);
    test::add_held_out(folder_, "\"few\", \"all\"");
  }
  std::shared_ptr<const LoadedTask> task() const {
    auto loaded = load_task_and_cases(folder_.path("tasks/small"), "digest");
    EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
    return *loaded;
  }
  Evaluation judged(const std::string& lines) const {
    const std::string path = test::write_submission(folder_, "submissions/x", kernel_with(lines));
    return test::evaluate_here(*task(), load_submission(path), &secret_);
  }
  Folder folder_;
  Secret secret_ = Secret::make().value();
};

TEST_F(HeldOut, ARightKernelPassesAndIsToldCyclesAlone) {
  const Evaluation right = judged("");
  EXPECT_EQ(right.verdict, Verdict::accepted) << right.failure;
  ASSERT_TRUE(right.held_out);
  EXPECT_EQ(right.held_out->cases, 2u);
  EXPECT_GT(right.held_out->cycles, 0u);
  EXPECT_EQ(right.secret, secret_.id());
  EXPECT_EQ(right.cases.size(), 2u) << "the public ones";
  const Evaluation without =
      test::evaluate_here(*task(), load_submission(folder_.path("tasks/small/submissions/x")));
  EXPECT_EQ(without.cycles(), right.cycles()) << "the held-out ones are no part of the score";
  EXPECT_FALSE(without.held_out);
  EXPECT_EQ(without.secret, "");
}

TEST_F(HeldOut, EmbeddedAnswersPassThePublicCasesOnly) {
  const Evaluation cheat = judged(test::embedded_answers);
  EXPECT_EQ(cheat.verdict, Verdict::wrong_output);
  EXPECT_EQ(cheat.failed_case, "held-out");
  EXPECT_EQ(cheat.failure,
            "in a case that is held out: what it is, and where it failed, is not told\n");
  EXPECT_EQ(cheat.cases.size(), 2u);
  EXPECT_FALSE(cheat.held_out);
}

/// What becomes of a task whose generator is that program.
MadeCase made_by(const Folder& folder, const std::string& program, ProcessLimits limits) {
  test::add_held_out(folder, "\"few\"", program);
  const auto task = load_task(folder.path("tasks/small"));
  EXPECT_TRUE(task);
  return make_case(*task, {"few", 1234567}, limits);
}

TEST_F(HeldOut, AGeneratorThatFailsIsNeverTheAuthorsFault) {
  const std::string writes = "import sys\nopen(sys.argv[-1], 'wb').write(b'x' * 100)\n";
  std::string wrong_type = test::small_generator;
  wrong_type.replace(wrong_type.find("x * np.int32(factor)"), 20, "(x * factor) * 1.5");
  const struct {
    std::string program;
    Verdict verdict;
    const char* why;
    const char* details;
  } all[] = {
      {"raise SystemExit('no luck with 1234567')\n", Verdict::judge_error,
       "the generator ended with exit code 1", "no luck with 1234567"},
      {"pass\n", Verdict::judge_error, "what the generator wrote is no case of the task",
       "cannot open"},
      {writes, Verdict::judge_error, "what the generator wrote is no case of the task", ""},
      {wrong_type, Verdict::judge_error, "what the generator wrote is no case of the task",
       "/expected/y"},
      {"import os\nos.abort()\n", Verdict::judge_error, "the generator was ended by signal 6", ""},
      {"while True: pass\n", Verdict::judge_error, "the generator used 1 s of processor time", ""},
      {"while True: print('x' * 4096)\n", Verdict::judge_error, "the generator floods its output",
       ""},
  };
  for (const auto& each : all) {
    const MadeCase made = made_by(folder_, each.program, {.cpu_seconds = 1, .output_bytes = 65536});
    ASSERT_FALSE(made.one) << each.program;
    EXPECT_EQ(made.fault.verdict, each.verdict) << each.program;
    EXPECT_EQ(made.fault.why, each.why) << each.program;
    EXPECT_THAT(made.fault.details, HasSubstr(each.details)) << each.program;
  }
  test::add_held_out(folder_, "\"few\"", "raise SystemExit('no luck')\n");
  const Evaluation right = judged("");
  EXPECT_EQ(right.verdict, Verdict::judge_error);
  EXPECT_EQ(right.failure,
            "a held-out case could not be made: the generator ended with exit code 1\n");
  EXPECT_EQ(right.failed_case, "");
}

TEST_F(HeldOut, AGeneratorLeavesThePackageAsItWas) {
  const auto task = load_task(folder_.path("tasks/small"));
  folder_.write("tasks/small/reference.py", "");
  test::add_held_out(folder_, "\"few\"", "import reference\n" + std::string(test::small_generator));
  const MadeCase made = make_case(*task, {"few", ~u64{0}});
  ASSERT_TRUE(made.one) << made.fault.why << made.fault.details;
  EXPECT_EQ(made.one->name, "held-out");
  EXPECT_FALSE(std::filesystem::exists(folder_.path("tasks/small/__pycache__")));
}

TEST(HeldOutKeys, AreChecked) {
  Folder folder;
  test::write_small_task(folder);
  const std::string base = test::small_task_toml;
  const struct {
    std::string more, error;
  } all[] = {
      {"held_out = [\"few\"]\n", "needs a cases.generator"},
      {"generator = \"g.py\"\nheld_out = [\"--few\"]\n", "--few is no variant"},
      {"generator = \"g.py\"\nheld_out = [\"a b\"]\n", "a b is no variant"},
      {"generator = \"g.py\"\nheld_out = [\"a\", \"a\"]\n", "a is there twice"},
      {"generator = \"g.py\"\nheld_out = 3\n", "held_out"},
  };
  for (const auto& each : all) {
    const auto task = parse_task(base + each.more, folder.path("tasks/small"));
    ASSERT_FALSE(task) << each.more;
    EXPECT_THAT(task.error().message, HasSubstr(each.error));
  }
}

}  // namespace
}  // namespace simfarm::farm
