// Case files: what is written is read again, and gives the same run.
#include "profile/run_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/differential/check_case.h"
#include "tests/support/differential/generator.h"
#include "tests/support/differential/variants.h"

namespace simfarm::test {
namespace {

using namespace profile;
using testing::HasSubstr;

TEST(RunCase, IsTheSameAfterAFile) {
  for (u64 seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    RunCase made = random_case(seed);
    made.options.checkpoints = 0;  // how a run is watched is no part of it
    const std::string text = print_case(made);
    const auto read = parse_case(text, "x.case");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(print_case(*read), text);
    EXPECT_TRUE(
        differences(made.input.machine, run(reference_side(), made), run(reference_side(), *read))
            .empty());
  }
}

TEST(RunCase, ShowsItsInstructions) { EXPECT_THAT(print_case(random_case(1)), HasSubstr("ecall")); }

TEST(RunCase, ErrorsNameTheLine) {
  const auto error = [](const std::string& text) {
    const auto read = parse_case(text, "x.case");
    return read ? std::string("read") : read.error().message;
  };
  EXPECT_EQ(error(""), "x.case:0: the file is empty");
  EXPECT_EQ(error("hello"), "x.case:1: the first line is not \"simfarm case 1\"");
  const std::string head = "simfarm case 1\n";
  EXPECT_EQ(error(head + "cycle_limit many\n"), "x.case:2: cycle_limit: cannot be read");
  EXPECT_EQ(error(head + "\nbogus 1\n"), "x.case:3: bogus: cannot be read");
  EXPECT_EQ(error(head + "check_races 2\n"), "x.case:2: check_races: cannot be read");
  EXPECT_EQ(error(head + ": 00\n"), "x.case:2: :: cannot be read");
  EXPECT_EQ(error(head + "segment 0x0 4\n"), "x.case:2: segment: cannot be read");
  EXPECT_EQ(error(head + "arguments\n: 0\n"), "x.case:3: :: cannot be read");
  EXPECT_EQ(error(head + "arguments\n: 0g\n"), "x.case:3: :: cannot be read");
  EXPECT_EQ(error(head + "poison 1 2\n"), "x.case:2: poison: too many words");
  EXPECT_EQ(error(head + "image 0 entry 0x1\nimage 2 entry 0x1\n"),
            "x.case:3: image: cannot be read");
  EXPECT_EQ(error(head + "machine\n| name = \"m\"\n| bad = 1\n"),
            "x.case (machine):2: unknown key bad");
}

}  // namespace
}  // namespace simfarm::test
