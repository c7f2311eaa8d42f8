// A farm that is kept for long, as its operator sees it: garbage, export and import, doctor.
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

class KeepCommands : public testing::Test {
 protected:
  KeepCommands() {
    test::write_small_task(folder_);
    test::write_submission(folder_, "kernel",
                           kernel_with("for (uint32_t i = 0; i < 100; ++i) sf_cycles();"));
    test::write_submission(folder_, "submissions/better", kernel_with(""));
    test::write_submission(folder_, "wrong/one", kernel_with("y[4] = 0;"));
    EXPECT_EQ(run("farm init farm --task tasks/small").status, 0) << told();
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
  /// As if everything in the farm had been written then: `touch -d`.
  void make_old(const std::string& when) const {
    EXPECT_EQ(shell("find " + folder_.path("farm") + " -type f -exec touch -d '" + when + "' {} +")
                  .status,
              0);
  }
  test::Folder folder_;
};

TEST_F(KeepCommands, GarbageIsNamedFirstAndThenRemoved) {
  ASSERT_EQ(run("submit tasks/small/submissions/better tasks/small/wrong/one").status, 0);
  ASSERT_EQ(run("cancel 3").status, 0);
  ASSERT_EQ(run("score --trust").status, 0) << told();
  const std::string digest = std::string("cd") + std::string(62, '0');
  folder_.write("farm/blobs/cd/" + digest, "nothing names it");
  EXPECT_THAT(run("farm gc").output, MatchesRegex("removed: 0, 0 bytes; 7 blobs stay, [0-9]+ .*\n"))
      << "it may be a submit under way" << told();
  make_old("3 days ago");
  const json would = document("farm gc --dry-run");
  EXPECT_EQ(would["schema"], "simfarm.gc");
  EXPECT_EQ(would["dry_run"], true);
  ASSERT_EQ(would["removed"].size(), 1u) << would.dump(1);
  EXPECT_EQ(would["removed"][0]["what"], "orphan");
  EXPECT_EQ(would["removed"][0]["name"], digest);
  EXPECT_EQ(would["bytes"], 16);
  EXPECT_THAT(run("farm gc farm").output, HasSubstr("orphan   " + digest + "  16 bytes: no row"));
  EXPECT_EQ(document("farm gc")["removed"].size(), 0u);

  EXPECT_EQ(run("farm gc --archives-of judged").status, 2);
  EXPECT_EQ(run("farm gc --orphans-older-than 0").status, 2) << "a submit takes a moment";
  const std::string drop = "farm gc --archives-of cancelled,rejected --archives-older-than 0";
  EXPECT_EQ(document(drop + " --keep 3")["removed"].size(), 0u);
  const std::string board = run("board small --json").output;
  EXPECT_EQ(document(drop)["removed"][0]["what"], "archive");
  EXPECT_EQ(run("board small --json").output, board);
  EXPECT_THAT(run("show 3").output, HasSubstr("no longer kept, so nobody can judge it again"));
  EXPECT_THAT(document("show 3")["archive_dropped"]["why"].get<std::string>(),
              HasSubstr("of a submission that is cancelled"));
  EXPECT_EQ(document("farm fsck")["dropped"], 1);
}

TEST_F(KeepCommands, AnExportIsAFarmElsewhere) {
  ASSERT_EQ(run("submit tasks/small/submissions/better tasks/small/wrong/one").status, 0);
  ASSERT_EQ(run("score --trust").status, 0) << told();
  std::string before;
  for (const char* const form : {"", " --json", " --csv", " --html"})
    before += run("board small" + std::string(form)).output;
  EXPECT_THAT(run("farm export all.ndjson --blobs").output,
              MatchesRegex("all.ndjson: [0-9]+ rows, 7 blobs\n"))
      << told();
  EXPECT_EQ(run("farm import all.ndjson farm").status, 2) << "there is one";
  ASSERT_EQ(shell("mv " + folder_.path("farm") + " " + folder_.path("old")).status, 0);
  EXPECT_THAT(run("farm import all.ndjson farm").output, HasSubstr("farm: a new farm of "))
      << told();
  std::string after;
  for (const char* const form : {"", " --json", " --csv", " --html"})
    after += run("board small" + std::string(form)).output;
  EXPECT_EQ(before, after);
  EXPECT_EQ(run("farm fsck").status, 0);
  // What was judged there is known here.
  ASSERT_EQ(run("submit tasks/small/submissions/better").status, 0);
  EXPECT_EQ(document("score --trust")["run"]["answered"], 1);

  ASSERT_EQ(shell("sed -i '9s/e/f/' " + folder_.path("all.ndjson")).status, 0);
  EXPECT_EQ(run("farm import all.ndjson another").status, 78);
  EXPECT_THAT(told(), HasSubstr("all.ndjson:9: "));
  EXPECT_NE(shell("test -e " + folder_.path("another")).status, 0);
  EXPECT_EQ(run("farm import none.ndjson another").status, 74);
}

TEST_F(KeepCommands, DoctorLooksAtTheFarmToo) {
  const auto check = [&](const char* name, const std::string& farm = "farm") {
    const json found = json::parse(run("doctor --json --farm " + farm).output, nullptr, false);
    for (const json& each : found["checks"])
      if (each["name"] == name) return each;
    return json();
  };
  EXPECT_EQ(check("simulations")["ok"], true);
  EXPECT_TRUE(check("generators").is_null()) << "no task of this farm has one";
  EXPECT_EQ(check("farm's schema")["ok"], true);
  EXPECT_TRUE(check("farm's secret").is_null());
  EXPECT_THAT(check("farm's disk")["found"].get<std::string>(), HasSubstr("MiB free"));
  EXPECT_EQ(check("farm's disk", "nowhere")["ok"], false);
  EXPECT_EQ(check("farm's schema", "nowhere")["ok"], false);

  test::add_held_out(folder_, "\"few\"");
  ASSERT_EQ(run("farm init other --task tasks/small").status, 0) << told();
  EXPECT_THAT(check("generators", "other")["found"].get<std::string>(), HasSubstr("h5py"));
  EXPECT_EQ(check("farm's secret", "other")["ok"], true);
  ASSERT_EQ(shell("chmod 644 " + folder_.path("other/secret")).status, 0);
  EXPECT_EQ(check("farm's secret", "other")["ok"], false);
  EXPECT_EQ(run("doctor --farm other").status, 78);

  ASSERT_EQ(shell("python3 -c \"import sqlite3; c = sqlite3.connect('" + folder_.path("farm") +
                  "/farm.db'); c.execute('PRAGMA user_version = 3'); c.commit()\"")
                .status,
            0);
  const json old = check("farm's schema");
  EXPECT_EQ(old["ok"], false);
  EXPECT_THAT(old["found"].get<std::string>(), HasSubstr("version 3; this simfarm's is"));
  EXPECT_THAT(old["remedy"].get<std::string>(), HasSubstr("simfarm farm upgrade farm"));
}

}  // namespace
}  // namespace simfarm::farm
