// The command as people and scripts call it.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "bench/case.h"
#include "tests/support/compiled.h"

namespace simfarm::bench {
namespace {

using nlohmann::json;
using test::Folder;
using testing::HasSubstr;
using testing::Not;

struct Ran {
  int code = -1;
  std::string output, errors;
};

Ran simfarm(const std::string& arguments) {
  const Folder folder;
  Ran ran;
  const int status =
      test::run_in(folder, SIMFARM_PROGRAM " " + arguments + " >out 2>err </dev/null", ran.output);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  ran.output = test::read_file(folder.path() + "/out");
  ran.errors = test::read_file(folder.path() + "/err");
  return ran;
}

TEST(Bench, PrintsRows) {
  const Ran ran = simfarm("bench gemm-wide copy-tiles --quick --json --machine nano,single");
  EXPECT_EQ(ran.code, 0) << ran.errors;
  EXPECT_THAT(ran.errors, HasSubstr("bench 1 of 4: gemm-wide"));
  const json document = json::parse(ran.output);
  EXPECT_EQ(document["schema"], "simfarm.bench/1");
  for (const char* key : {"cpu", "threads", "compiler", "isa", "simfarm", "date"})
    EXPECT_TRUE(document["host"].contains(key)) << key;
  const json& rows = document["rows"];
  ASSERT_EQ(rows.size(), 4u);
  for (const json& row : rows)
    for (const char* key :
         {"case",      "engine",  "threads",      "machine",      "pes",
          "size",      "rounds",  "instructions", "cycles",       "macs",
          "dma_bytes", "seconds", "cpu_seconds",  "wall_seconds", "setup_seconds",
          "runs",      "mips",    "mcps",         "native_isa",   "native_seconds",
          "of_native", "digest",  "program",      "recorded",     "failure"})
      EXPECT_TRUE(row.contains(key)) << key;
  EXPECT_EQ(rows[0]["case"], "gemm-wide");
  EXPECT_EQ(rows[0]["pes"], 16);
  EXPECT_EQ(rows[0]["macs"], 16 * 32 * 32 * 256);
  EXPECT_TRUE(rows[0]["of_native"].is_number());
  EXPECT_GT(rows[0]["mips"], 0);
  EXPECT_EQ(rows[1]["pes"], 1);
  EXPECT_EQ(rows[2]["case"], "copy-tiles");
  EXPECT_TRUE(rows[2]["of_native"].is_null());
  EXPECT_GT(rows[2]["dma_bytes"], 16 * 4 * 4096 * 2);
}

TEST(Bench, ChecksRecordedCycles) {
  const Ran ran =
      simfarm("bench --quick --json --quiet --engine reference 'systolic-*' single-mix");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_EQ(ran.errors, "");
  const json document = json::parse(ran.output);
  ASSERT_EQ(document["rows"].size(), 3u);
  for (const json& row : document["rows"]) {
    EXPECT_EQ(row["recorded"], true) << row["case"];
    EXPECT_TRUE(row["failure"].is_null()) << row["failure"];
  }
}

TEST(Bench, ListsCasesAndNamesWhatIsMissing) {
  const Ran list = simfarm("bench --list");
  EXPECT_EQ(list.code, 0);
  for (const Case& each : cases()) EXPECT_THAT(list.output, HasSubstr(std::string(each.name)));
  const Ran unknown = simfarm("bench gemm-wide nothing --quick");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.errors, HasSubstr("nothing: no such case"));
  EXPECT_EQ(simfarm("bench --engine warp").code, 2);
  EXPECT_EQ(simfarm("bench single-crc --quick --machine nowhere").code, 74);
}

TEST(BenchPair, OneProgramTwiceGivesTheSameAnswers) {
  const Ran ran = simfarm("bench pair " SIMFARM_PROGRAM " " SIMFARM_PROGRAM
                          " single-mix systolic-words --size tiny --pairs 2 --machine nano");
  // Runs this short are all noise: "TOO SLOW" is possible, another answer is not.
  EXPECT_TRUE(ran.code == 0 || ran.code == 1) << ran.errors;
  EXPECT_THAT(ran.output, HasSubstr("single-mix"));
  EXPECT_THAT(ran.output, HasSubstr("systolic-words"));
  EXPECT_THAT(ran.output, Not(HasSubstr("DIFFERENT")));
}

TEST(BenchPair, TellsOtherCycles) {
  const Folder folder;
  const std::string other =
      folder.write("other", "#!/bin/sh\n" SIMFARM_PROGRAM
                            " \"$@\" | sed 's/\"cycles\": [0-9]*/\"cycles\": 77/'\n");
  ::chmod(other.c_str(), 0755);
  const Ran ran = simfarm("bench pair " SIMFARM_PROGRAM " " + other +
                          " systolic-words --size tiny --pairs 1 --machine single");
  EXPECT_EQ(ran.code, 1) << ran.errors;
  EXPECT_THAT(ran.output, HasSubstr("DIFFERENT"));
  EXPECT_THAT(ran.output, HasSubstr("after: 77 cycles"));
}

TEST(BenchPair, NamesAProgramThatDoesNotRun) {
  const Ran ran = simfarm("bench pair " SIMFARM_PROGRAM " /bin/false systolic-words --size tiny");
  EXPECT_EQ(ran.code, 78);
  EXPECT_THAT(ran.errors, HasSubstr("/bin/false bench systolic-words ended with 1"));
}

}  // namespace
}  // namespace simfarm::bench
