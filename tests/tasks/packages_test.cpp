// Every shipped task is complete, its generator makes its committed cases, its good submissions are
// exact and its wrong ones are turned away for the reason that they name.
#include "tests/tasks/package.h"

namespace simfarm::test {
namespace {

class Packages : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Tasks, Packages, ::testing::ValuesIn(task_names), [](const auto& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(Packages, AreComplete) {
  const Package package = open(GetParam());
  ASSERT_FALSE(package.cases.empty());
  EXPECT_EQ(package.cases[0].name, "tiny");
  EXPECT_EQ(package.task.name, GetParam());
  EXPECT_TRUE(std::filesystem::exists(tasks_folder + GetParam() + "/GUIDE.md"));
  EXPECT_FALSE(package.task.generator.empty());
  const auto better = list(GetParam(), "submissions");
  EXPECT_GE(better.size(), 1u);
  std::vector<std::string> all = {"kernel"};
  all.insert(all.end(), better.begin(), better.end());
  for (const std::string& name : all) {
    const auto submission = farm::load_submission(tasks_folder + GetParam() + "/" + name);
    ASSERT_TRUE(submission) << submission.error().message;
    EXPECT_TRUE(farm::check_against(*submission, package.task)) << name;
    EXPECT_FALSE(submission->note.empty()) << name;
    if (name != "kernel") {
      EXPECT_NE(submission->note.find("Exact"), std::string::npos) << name << " says why";
    }
  }
  EXPECT_GE(list(GetParam(), "wrong").size(), 2u);
}

// Held-out cases are made by the same scripts: what they make must be what was committed.
TEST_P(Packages, GeneratorMakesTheCommittedCases) {
  const Package package = open(GetParam());
  for (const farm::Case& one : package.cases) {
    Folder folder;
    std::string output;
    ASSERT_EQ(
        run_in(folder,
               "/usr/bin/python3 '" + tasks_folder + GetParam() + "/" + package.task.generator +
                   "' --variant " + one.name + " --seed 1 --output case.h5",
               output),
        0)
        << output;
    EXPECT_TRUE(read_file(folder.path() + "/case.h5") ==
                read_file(tasks_folder + GetParam() + "/" + one.file))
        << one.file;
  }
}

TEST_P(Packages, GoodSubmissionsAreExactAndBetterOnesFaster) {
  const Package package = open(GetParam());
  std::vector<std::string> all = {"kernel"};
  for (const std::string& name : list(GetParam(), "submissions")) all.push_back(name);
  Cycle start = 0;
  for (const std::string& name : all) {
    const auto image = compile(GetParam(), name);
    ASSERT_TRUE(image) << name;
    const Judged judged = judge(package.task, package.cases[0], *image, 1);
    EXPECT_EQ(judged.verdict, farm::Verdict::accepted) << name << ": " << judged.detail;
    const Judged again = judge(package.task, package.cases[0], *image, 0xfeedface);
    EXPECT_EQ(again.verdict, farm::Verdict::accepted) << name << ": " << again.detail;
    EXPECT_EQ(again.cycles, judged.cycles) << name << " depends on uninitialised memory";
    for (size_t k = 1; k < package.cases.size(); ++k)
      EXPECT_EQ(judge(package.task, package.cases[k], *image, 1).verdict, farm::Verdict::accepted)
          << name << ", " << package.cases[k].name;
    if (name == "kernel")
      start = judged.cycles;
    else
      EXPECT_LT(judged.cycles, start) << name;
  }
}

TEST_P(Packages, WrongSubmissionsGetTheirVerdicts) {
  const Package package = open(GetParam());
  for (const std::string& name : list(GetParam(), "wrong")) {
    const auto expected = farm::load_expectation(tasks_folder + GetParam() + "/" + name);
    ASSERT_TRUE(expected && *expected) << name;
    const auto image = compile(GetParam(), name);
    farm::Verdict verdict = farm::Verdict::compile_error;
    std::string detail;
    if (image) {
      const Judged judged = judge(package.task, package.cases[0], *image, 1);
      verdict = judged.verdict;
      detail = judged.detail;
    }
    EXPECT_EQ(farm::name(verdict), farm::name(**expected)) << name << ": " << detail;
  }
}

}  // namespace
}  // namespace simfarm::test
