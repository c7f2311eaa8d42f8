// Farms of older schemas: refused, upgraded with everything that is in them, or left as they were.
#include "farm/store/upgrade.h"

#include <gmock/gmock.h>
#include <signal.h>

#include "farm/board.h"
#include "farm/package.h"
#include "farm/store/fsck.h"
#include "farm/store/place.h"
#include "farm/store/schema.h"
#include "tests/store/support.h"

namespace simfarm::farm {
namespace {

using test::expect_whole;
using test::in_child;
using testing::ElementsAre;
using testing::HasSubstr;

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A farm of schema version 1: tests/store/version1.sql is what such a farm's database held, its
/// blobs' digests replaced by {0}, {1}, ...: here they have contents of this test's.
class OldFarm : public test::Folder {
 public:
  OldFarm() : test::Folder(test::quick_place()) {
    const Blobs blobs(farm() + "/blobs");
    EXPECT_TRUE(blobs.create());
    std::string sql = text_of(SIMFARM_SOURCE_DIR "/tests/store/version1.sql");
    for (int k = 0; k < 10; ++k) {
      const std::string name = "{" + std::to_string(k) + "}";
      std::vector<u8> bytes(name.begin(), name.end());
      if (k == 0) bytes = *pack_task(test::write_small_task(*this));
      const std::string digest = *blobs.put(bytes);
      for (size_t at = 0; (at = sql.find(name, at)) != std::string::npos;)
        sql.replace(at, name.size(), digest);
    }
    auto database = Database::open(database_path(farm()), Database::Mode::create);
    EXPECT_TRUE(database);
    const auto made = database->run_all(sql);
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
  }
  std::string farm() const { return path("farm"); }
};

i64 version_of(const std::string& farm) {
  auto database = Database::open(database_path(farm), Database::Mode::read);
  return *database->integer("PRAGMA user_version");
}

TEST(Upgrade, KeepsEverythingOfAFarmOfVersionOne) {
  const OldFarm folder;
  const auto refused = Store::open_to_read(folder.farm());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Error::Kind::input);
  EXPECT_THAT(refused.error().message,
              HasSubstr("a farm of schema version 1, older than this simfarm's"));
  EXPECT_THAT(refused.error().message, HasSubstr("run `simfarm farm upgrade " + folder.farm()));

  const auto done = upgrade_farm(folder.farm());
  ASSERT_TRUE(done) << (done ? "" : done.error().message);
  EXPECT_EQ(done->before, 1);
  EXPECT_EQ(done->after, schema_version);
  EXPECT_EQ(upgrade_farm(folder.farm())->before, schema_version) << "once more: nothing to do";

  Store store = test::open_store(folder.farm());
  expect_whole(store);
  const std::vector<Scored> batch = *store.scored(**store.find_task("small"));
  const Board board = make_boards(batch).front();
  ASSERT_GE(board.rows.size(), 3u);
  EXPECT_EQ(board.rows[0].scored->entry.id, "3");
  EXPECT_EQ(board.rows[0].scored->evaluation.cycles(), 51u);
  EXPECT_EQ(board.rows[1].scored->entry.id, "1");
  EXPECT_EQ(board.rows[1].scored->entry.submission->note, "first");
  EXPECT_EQ((*store.submission(4))->state, State::system_error);
  EXPECT_EQ((*store.submission(5))->state, State::rejected);
  EXPECT_THAT(test::states(store, 7), ElementsAre("received", "queued", "running"));
  // Who had the lease is gone; what is queued is judged like any other.
  EXPECT_EQ(*store.requeue_leased(), 2);
  EXPECT_TRUE(store.claim(test::simple_key)->claim);
  expect_whole(store);
}

TEST(Upgrade, OfAFarmWithoutPromotionsTheNextScoreDecidesWhoLeads) {
  const OldFarm folder;
  ASSERT_TRUE(upgrade_farm(folder.farm()));
  Store store = test::open_store(folder.farm());
  EXPECT_EQ(*store.leader(1), 0);
  LeadTrail trail;
  for (const i64 id : {1, 3}) {
    const Turn turn = *store.next_turn(1, trail);
    ASSERT_EQ(turn.candidate, id);
    ASSERT_TRUE(*store.decide(turn, {.decided = true, .promoted = true}));
    EXPECT_EQ(*store.leader(1), id);
  }
  expect_whole(store);
}

/// Everything about the tables but the text that made them.
std::string tables_of(Database& database) {
  std::string text;
  Query all(database, "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name");
  while (all.next()) {
    text += all.text(0) + " " + all.text(1) + " on " + all.text(2);
    if (all.text(0) != "table") text += ": " + all.text(3);
    text += "\n";
    if (all.text(0) != "table") continue;
    for (const char* const facts :
         {"SELECT cid, name, type, \"notnull\", dflt_value, pk FROM pragma_table_xinfo(?)",
          "SELECT strict, wr, 0, 0, 0, 0 FROM pragma_table_list WHERE name = ?",
          "SELECT id, seq, \"table\", \"from\", \"to\", on_delete FROM pragma_foreign_key_list(?)",
          "SELECT seq, name, \"unique\", origin, partial, 0 FROM pragma_index_list(?)"}) {
      Query query(database, facts, {all.text(1)});
      while (query.next())
        for (int column = 0; column < 6; ++column)
          text += query.text(column) + (column == 5 ? "\n" : " ");
      EXPECT_TRUE(query.end()) << facts;
    }
  }
  return text;
}

TEST(Upgrade, GivesTheTablesOfANewFarm) {
  const OldFarm folder;
  ASSERT_TRUE(upgrade_farm(folder.farm()));
  ASSERT_TRUE(Store::create(folder.path("new")));
  Store upgraded = test::open_store(folder.farm());
  Store fresh = test::open_store(folder.path("new"));
  EXPECT_EQ(tables_of(upgraded.database()), tables_of(fresh.database()));
  EXPECT_THAT(tables_of(fresh.database()), HasSubstr("one_judgement"));
}

TEST(Upgrade, KilledAtAnyStepLeavesTheOldFarmOrTheNewOne) {
  i64 version = 1;
  for (int at = 1; version == 1; ++at) {
    ASSERT_LT(at, 100);
    const OldFarm folder;
    const int status = in_child([&] {
      int left = at;
      (void)upgrade_farm(folder.farm(), [&](std::string_view) {
        if (--left == 0) kill(getpid(), SIGKILL);
      });
    });
    version = version_of(folder.farm());
    // Begin, begun, one for each step, commit; then it is done.
    EXPECT_EQ(version, at <= 3 + schema_version - 1 ? 1 : schema_version) << at;
    ASSERT_EQ(status, -SIGKILL);
    ASSERT_TRUE(upgrade_farm(folder.farm()));
    Store store = test::open_store(folder.farm());
    expect_whole(store);
    EXPECT_EQ(*store.database().integer("SELECT count(*) FROM submissions"), 8);
  }
}

TEST(Upgrade, OfANewerFarmOrOneAtWorkIsRefused) {
  const OldFarm folder;
  {
    const auto working = CoordinatorLock::take(folder.farm());
    ASSERT_TRUE(working);
    EXPECT_EQ(upgrade_farm(folder.farm()).error().kind, Error::Kind::temporary);
  }
  EXPECT_EQ(version_of(folder.farm()), 1);
  {
    auto database = Database::open(database_path(folder.farm()), Database::Mode::write);
    ASSERT_TRUE(database->run("PRAGMA user_version = 99"));
  }
  const auto newer = upgrade_farm(folder.farm());
  ASSERT_FALSE(newer);
  EXPECT_THAT(newer.error().message, HasSubstr("schema version 99; this simfarm works on version"));
  EXPECT_EQ(upgrade_farm(folder.path("none")).error().kind, Error::Kind::usage);
}

}  // namespace
}  // namespace simfarm::farm
