// rnnoise's fixed point: its table, and how far it is from the float network.
#include <cstdlib>

#include "tests/tasks/package.h"

namespace simfarm::test {
namespace {

const std::string folder = tasks_folder + "rnnoise/";

TEST(Rnnoise, TableIsTheReferences) {
  Folder out;
  std::string output;
  ASSERT_EQ(run_in(out, "/usr/bin/python3 '" + folder + "make_table.py' table.h", output), 0)
      << output;
  EXPECT_EQ(read_file(out.path() + "/table.h"), read_file(folder + "include/rnnoise_table.h"));
}

TEST(Rnnoise, FixedPointTracksTheFloatNetwork) {
  Folder out;
  for (const char* seed : {"1", "2", "3"}) {
    std::string output;
    EXPECT_EQ(
        run_in(out, "/usr/bin/python3 '" + folder + "compare_float.py' --seed " + seed, output), 0)
        << output;
  }
}

// The trained network and frames of real features are no part of the project: tested where they
// are.
class Trained : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* given = std::getenv("SIMFARM_RNNOISE_DATA");
    data_ = given != nullptr ? given : SIMFARM_SOURCE_DIR "/../shared/data/rnnoise-v0.1";
    if (!std::filesystem::exists(data_ + "/weights.i8")) GTEST_SKIP() << "no data in " << data_;
  }
  std::string data_;
};

TEST_F(Trained, FixedPointTracksTheFloatNetwork) {
  Folder out;
  std::string output;
  EXPECT_EQ(run_in(out, "/usr/bin/python3 '" + folder + "compare_float.py' --data '" + data_ + "'",
                   output),
            0)
      << output;
}

TEST_F(Trained, KernelsAreExactAndMeetTheDeadline) {
  const Package package = open("rnnoise");
  Folder out;
  std::string output;
  ASSERT_EQ(run_in(out,
                   "/usr/bin/python3 '" + folder + "generate.py' --data '" + data_ +
                       "' --first 200 --frames 3 --output real.h5",
                   output),
            0)
      << output;
  auto contents = farm::read_tensor_file(out.path() + "/real.h5");
  ASSERT_TRUE(contents) << contents.error().message;
  const auto one = farm::bind_case(package.task, std::move(*contents), "real.h5");
  ASSERT_TRUE(one) << one.error().message;
  std::vector<std::string> all = {"kernel"};
  for (const std::string& name : list("rnnoise", "submissions")) all.push_back(name);
  for (const std::string& name : all) {
    const auto image = compile("rnnoise", name);
    ASSERT_TRUE(image) << name;
    const Judged judged = judge(package.task, *one, *image, 1);
    EXPECT_EQ(judged.verdict, farm::Verdict::accepted) << name << ": " << judged.detail;
    ASSERT_TRUE(package.task.deadline);
    EXPECT_LT(judged.cycles, one->units * package.task.deadline->cycles_per_unit) << name;
  }
}

}  // namespace
}  // namespace simfarm::test
