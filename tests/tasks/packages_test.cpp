// Every shipped task is complete, its generator makes its committed cases, its good submissions are
// exact and its wrong ones are turned away for the reason that they name.
#include <map>

#include "farm/lint.h"
#include "farm/store/record.h"
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

using Images = std::map<std::string, std::shared_ptr<const Image>>;

/// A good submission's figures, which on the first case are those of both engines.
std::vector<farm::CaseScore> figures(const Package& package, const std::string& name,
                                     const std::shared_ptr<const Image>& image) {
  const farm::Task task = task_for(package.task, name);
  const u64 local_bytes = farm::lint(*image, task).local_bytes;
  const auto on = [&](EngineKind engine, const std::vector<farm::Case>& cases) {
    farm::Judgement judgement = farm::judge(task, cases, image, local_bytes, {.engine = engine});
    EXPECT_EQ(judgement.verdict, farm::Verdict::accepted) << name << ": " << judgement.failure;
    farm::add_task_figures(task, cases, judgement);
    return judgement.cases;
  };
  std::vector<farm::CaseScore> all = on(EngineKind::fast, package.cases);
  const auto tiny = on(EngineKind::reference, {package.cases[0]});
  if (all.empty() || tiny.empty()) return {};
  EXPECT_EQ(farm::print_figures(tiny[0]), farm::print_figures(all[0])) << name;
  EXPECT_EQ(farm::score_of(task, tiny), farm::score_of(task, {all[0]})) << name;
  return all;
}

/// Of a task with another score than cycles: it ranks otherwise than cycles would.
void expect_ranks(const Package& package, const Images& images) {
  const farm::ScoreKind kind = package.task.score.kind;
  std::map<std::string, u64> scores;
  std::map<std::string, Cycle> cycles;
  std::vector<std::string> by_score, by_cycles;
  std::string told;
  for (const auto& [name, image] : images) {
    const std::vector<farm::CaseScore> cases = figures(package, name, image);
    ASSERT_EQ(cases.size(), package.cases.size()) << name;
    scores[name] = farm::score_of(package.task, cases);
    for (const farm::CaseScore& each : cases) cycles[name] += each.charged();
    by_score.push_back(name);
    told += name + ": " + farm::score_text(kind, scores[name]) + ", " +
            std::to_string(cycles[name]) + " cycles\n";
  }
  ASSERT_GE(images.size(), 3u);
  by_cycles = by_score;
  std::sort(by_score.begin(), by_score.end(), [&](const std::string& a, const std::string& b) {
    return farm::better(kind, scores[a], scores[b]);
  });
  std::sort(by_cycles.begin(), by_cycles.end(),
            [&](const std::string& a, const std::string& b) { return cycles[a] < cycles[b]; });
  EXPECT_NE(by_score.front(), "kernel") << told;
  for (size_t k = 1; k < by_score.size(); ++k)
    EXPECT_TRUE(farm::better(kind, scores[by_score[k - 1]], scores[by_score[k]])) << told;
  // Multiply-adds are the task's: what takes fewer cycles uses the MACs better, and nothing else.
  if (kind == farm::ScoreKind::mac_utilisation)
    EXPECT_EQ(by_score, by_cycles) << told;
  else
    EXPECT_NE(by_score, by_cycles) << told;
}

TEST_P(Packages, GoodSubmissionsAreExactAndBetterOnesRankAbove) {
  const Package package = open(GetParam());
  std::vector<std::string> all = {"kernel"};
  for (const std::string& name : list(GetParam(), "submissions")) all.push_back(name);
  Cycle start = 0;
  Images images;
  for (const std::string& name : all) {
    const auto image = compile(GetParam(), name);
    ASSERT_TRUE(image) << name;
    const farm::Task task = task_for(package.task, name);
    const Judged judged = judge(task, package.cases[0], *image, 1);
    EXPECT_EQ(judged.verdict, farm::Verdict::accepted) << name << ": " << judged.detail;
    const Judged again = judge(task, package.cases[0], *image, 0xfeedface);
    EXPECT_EQ(again.verdict, farm::Verdict::accepted) << name << ": " << again.detail;
    EXPECT_EQ(again.cycles, judged.cycles) << name << " depends on uninitialised memory";
    for (size_t k = 1; k < package.cases.size(); ++k)
      EXPECT_EQ(judge(task, package.cases[k], *image, 1).verdict, farm::Verdict::accepted)
          << name << ", " << package.cases[k].name;
    images[name] = std::make_shared<const Image>(*image);
    if (package.task.score.kind != farm::ScoreKind::cycles) continue;
    if (name == "kernel")
      start = judged.cycles;
    else
      EXPECT_LT(judged.cycles, start) << name;
  }
  if (package.task.score.kind != farm::ScoreKind::cycles) expect_ranks(package, images);
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
      const Judged judged = judge(task_for(package.task, name), package.cases[0], *image, 1);
      verdict = judged.verdict;
      detail = judged.detail;
    }
    EXPECT_EQ(farm::name(verdict), farm::name(**expected)) << name << ": " << detail;
  }
}

}  // namespace
}  // namespace simfarm::test
