// A farm out of one file and into another folder: the same boards, and no damaged file is a farm.
#include "farm/store/transfer.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <random>

#include "farm/board_html.h"
#include "farm/report.h"
#include "farm/store/journal.h"
#include "tests/store/support.h"

namespace simfarm::farm {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using test::coordinate_all;
using test::expect_whole;
using test::FarmFolder;
using test::in_child;
using test::invented_source;
using test::submitted;
using testing::HasSubstr;
using testing::IsEmpty;

/// As a coordinator's: with a program.
Evaluation judged_with_program(const LoadedTask& task, const Result<Submission>& submission) {
  Evaluation result = test::invented_judge(task, submission);
  result.elf = {u8(result.cases.empty() ? 1 : result.cases.front().cycles), 2, 3};
  result.elf_digest = sha256(result.elf);
  return result;
}

/// Three that another simulator finds slower.
Evaluation judged_slower(const LoadedTask& task, const Result<Submission>& submission) {
  Evaluation result = judged_with_program(task, submission);
  for (CaseScore& each : result.cases) each.cycles += 5;
  return result;
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// Everything that people and programs see of a farm's board.
std::string everything(Store& store) {
  std::string text;
  for (const u32 timing : {timing_version, timing_version + 1}) {
    const auto board = task_board(store, "small", timing);
    EXPECT_TRUE(board) << (board ? "" : board.error().message);
    if (!board) return text;
    text += board_text(board->board) + board_document(board->board).dump(1) +
            board_csv(board->board) + board_html(board->board);
  }
  for (i64 id = 1; *store.submission(id); ++id)
    text += submission_document(store, **store.submission(id))->dump(1);
  const std::vector<RejudgeSet> sets = *store.rejudges();
  for (const RejudgeSet& each : sets) text += each.reason + std::string(name(each.state));
  text += std::to_string(store.quotas()->waiting) + " " + std::to_string(store.quotas()->daily);
  text += std::to_string(*store.count_queued()) + " " + std::to_string(*store.leader(1));
  return text;
}

/// A farm in which something of everything has happened, and its export.
class Transfer : public testing::Test {
 protected:
  Transfer() {
    Store store = folder_.open();
    const auto hand_in = [&](const char* name, u64 cycles, u64 number, const char* more = "") {
      return submitted(store, folder_.candidate(name, invented_source(cycles, number) + more,
                                                "an \u00e4uthor", "note = \"x,\\n\\\"y\\\"\"\n"));
    };
    hand_in("a", 100, 1);
    hand_in("b", 90, 2, "// engines\n");
    hand_in("c", 80, 3, "// slower\n");
    hand_in("d", 70, 4);
    hand_in("again", 100, 1);
    folder_.write("bad.tar", "no archive");
    submitted(store, folder_.path("bad.tar"));
    EXPECT_TRUE(coordinate_all(store, 1, judged_with_program, test::invented_referee));
    const i64 held = hand_in("e", 60, 5);
    EXPECT_TRUE(coordinate_all(store, 1, judged_with_program, test::invented_referee));
    EXPECT_TRUE(store.act({held}, Act::hold, "reads too far"));
    EXPECT_TRUE(store.act({hand_in("f", 50, 6)}, Act::cancel, "no"));
    const StoredTask task = **store.find_task("small");
    const JudgingHost newer{"some toolchain", "another simulator"};
    for (const bool apply : {true, false}) {
      const i64 set = *store.begin_rejudge(task, {1, 4}, "1,4", "a newer simulator");
      if (!apply) break;
      EXPECT_TRUE(coordinate(store, judged_slower, {1, newer, {}, {}, test::invented_referee}));
      EXPECT_TRUE(store.settle_rejudge(set, SetState::applied, "as it should be"));
    }
    EXPECT_TRUE(store.set_quotas({3, 70}));
    hand_in("g", 40, 7);
    hand_in("h", 30, 8);
    EXPECT_TRUE(store.claim(test::simple_key)->claim) << "one is running";
    expect_whole(store);
    const auto done = export_farm(store, file(), true);
    EXPECT_TRUE(done) << (done ? "" : done.error().message);
  }
  std::string file() const { return folder_.path("farm.ndjson"); }
  /// Writes these lines with checks as they have to be; the file's path.
  std::string chained(const std::vector<Json>& bodies) const {
    JournalWriter writer;
    std::string text;
    for (const Json& each : bodies)
      text += each.contains("end") ? writer.end(each["end"]) : writer.line(each);
    folder_.write("forged.ndjson", text);
    return folder_.path("forged.ndjson");
  }
  /// What the lines say, without their checks.
  std::vector<Json> bodies() const {
    std::vector<Json> all;
    for (const std::string& each : lines_of(file())) {
      Json json = Json::parse(each);
      for (const char* const key : {"line", "chain", "digest"})
        if (!json.contains("row")) json.erase(key);
      json.erase("line");
      json.erase("chain");
      all.push_back(std::move(json));
    }
    return all;
  }
  /// Why nothing was imported; empty: it was.
  std::string refusal(const std::string& path) const {
    const auto done = import_farm(path, folder_.path("other"));
    if (!done) {
      EXPECT_EQ(done.error().kind, Error::Kind::input) << done.error().message;
      EXPECT_FALSE(fs::exists(folder_.path("other"))) << "by half";
      return done.error().message;
    }
    Store store = test::open_store(folder_.path("other"));
    expect_whole(store);
    fs::remove_all(folder_.path("other"));
    return "";
  }
  std::string refused_lines(const std::vector<std::string>& lines) const {
    std::string text;
    for (const std::string& each : lines) text += each + "\n";
    folder_.write("damaged.ndjson", text);
    return refusal(folder_.path("damaged.ndjson"));
  }
  FarmFolder folder_;
};

TEST_F(Transfer, TheImportedFarmHasTheSameBoardsAndGoesOn) {
  std::string before, after;
  {
    Store store = folder_.open();
    before = everything(store);
  }
  fs::rename(folder_.farm(), folder_.path("old"));
  fs::create_directory(folder_.farm());  // empty: that is as good as none
  const auto done = import_farm(file(), folder_.farm());
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->missing, 0u);
  Store store = folder_.open();
  EXPECT_EQ(everything(store), before);
  expect_whole(store);
  EXPECT_EQ(import_farm(file(), folder_.farm()).error().kind, Error::Kind::usage);
  // Out once more: the same lines, but for the new secret's.
  ASSERT_TRUE(export_farm(store, folder_.path("again.ndjson"), true));
  std::vector<std::string> first, second;
  for (auto* const side : {&first, &second})
    for (const std::string& line :
         lines_of(side == &first ? file() : folder_.path("again.ndjson"))) {
      const Json json = Json::parse(line);
      if (json.contains("row") && json["table"] != "secrets") side->push_back(json["row"].dump());
    }
  EXPECT_EQ(first, second);
  // Whoever ran something is gone; both farms come to the same.
  Store old = test::open_store(folder_.path("old"));
  for (Store* const each : {&store, &old})
    ASSERT_TRUE(coordinate_all(*each, 1, judged_with_program, test::invented_referee));
  EXPECT_EQ(test::board_bytes(store), test::board_bytes(old));
  expect_whole(store);
}

TEST_F(Transfer, WithoutBlobsTheBoardIsThereAndWhatIsMissingIsSaid) {
  Store store = folder_.open();
  const std::string before = everything(store);
  ASSERT_TRUE(export_farm(store, file(), false));
  const auto done = import_farm(file(), folder_.path("other"));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->blobs, 1u) << "the package";
  EXPECT_GT(done->missing, 10u);
  Store other = test::open_store(folder_.path("other"));
  EXPECT_EQ(test::board_bytes(other), test::board_bytes(store));
  expect_whole(other);
  EXPECT_EQ(check_farm(other)->dropped, done->missing);
  EXPECT_THAT(*submission_text(other, **other.submission(1)),
              HasSubstr("so nobody can judge it again: "));
  EXPECT_THAT(*submission_text(other, **other.submission(1)),
              HasSubstr("the farm was imported without blobs"));
  EXPECT_THAT(other.blobs().get((*other.submission(1))->archive).error().message,
              HasSubstr("not there: dropped, not imported, or lost"));
  submitted(other, folder_.path("in/a"));
  EXPECT_FALSE(*other.dropped((*other.submission(1))->archive)) << "its bytes came again";
  EXPECT_EQ(everything(store), before) << "an export changes nothing";
}

TEST_F(Transfer, TheFileIsForItsOwnerAndNamesNoSecret) {
  Store store = folder_.open();
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms(0600));
  const std::string secret = text_of_file(store.secret_path());
  EXPECT_EQ(text_of_file(file()).find(secret.substr(0, 32)), std::string::npos);
}

TEST_F(Transfer, DamagedLinesAreRefusedByNumber) {
  const std::vector<std::string> whole = lines_of(file());
  ASSERT_GT(whole.size(), 100u);
  EXPECT_EQ(refused_lines(whole), "");
  const auto changed = [&](auto change) {
    std::vector<std::string> lines = whole;
    change(lines);
    return refused_lines(lines);
  };
  EXPECT_THAT(changed([](auto& lines) { lines.pop_back(); }), HasSubstr("was cut off"));
  EXPECT_THAT(changed([](auto& lines) { lines.erase(lines.begin() + 20); }),
              HasSubstr(":21: this is line 22: lines are missing, repeated or in another order"));
  EXPECT_THAT(changed([](auto& lines) { lines.insert(lines.begin() + 20, lines[19]); }),
              HasSubstr(":21: this is line 20"));
  EXPECT_THAT(changed([](auto& lines) { std::swap(lines[30], lines[31]); }),
              HasSubstr(":31: this is line 32"));
  EXPECT_THAT(changed([](auto& lines) { lines.push_back(lines.back()); }),
              HasSubstr("something follows the closing line"));
  EXPECT_THAT(changed([](auto& lines) { lines[40] = ""; }), HasSubstr(":41: no line of a farm"));
  EXPECT_THAT(changed([](auto& lines) { lines[0] = lines[1]; }), HasSubstr(":1: this is line 2"));
  EXPECT_THAT(changed([](auto& lines) { lines[50].insert(1, " "); }), HasSubstr(":51: the check"));
  EXPECT_THAT(refused_lines({}), HasSubstr(":1: the closing line is missing"));
  folder_.write("damaged.ndjson", text_of_file(file()).substr(0, 5000));
  EXPECT_THAT(refusal(folder_.path("damaged.ndjson")), HasSubstr("the line is cut off"));
  EXPECT_FALSE(import_farm(folder_.path("none"), folder_.path("other")));
}

TEST_F(Transfer, AFlippedByteAnywhereIsFoundInItsLine) {
  const std::string whole = text_of_file(file());
  std::mt19937 random(7);
  for (int k = 0; k < 150; ++k) {
    std::string text = whole;
    const size_t at = random() % text.size();
    text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
    folder_.write("damaged.ndjson", text);
    const std::string why = refusal(folder_.path("damaged.ndjson"));
    const auto line = 1 + std::count(whole.begin(), whole.begin() + static_cast<long>(at), '\n');
    // A line end that is lost is found in the line that it ended.
    EXPECT_THAT(why, HasSubstr("damaged.ndjson:" + std::to_string(line) + ": "))
        << at << " " << text[at];
  }
}

TEST_F(Transfer, ForgedLinesMakeNoFarmThatIsNotWhole) {
  const std::vector<Json> whole = bodies();
  ASSERT_EQ(refusal(chained(whole)), "");
  const auto find = [&](const char* table, const char* column, const Json& value) {
    for (size_t k = 0; k < whole.size(); ++k)
      if (whole[k].contains("row") && whole[k]["table"] == table &&
          (value.is_null() || whole[k]["row"][column] == value))
        return k;
    ADD_FAILURE() << table;
    return size_t{0};
  };
  const auto with = [&](size_t line, const char* column, const Json& value) {
    std::vector<Json> lines = whole;
    lines[line]["row"][column] = value;
    return refusal(chained(lines));
  };
  EXPECT_THAT(with(find("tasks", "name", nullptr), "name", "../x"), HasSubstr("no name of a task"));
  EXPECT_THAT(with(find("tasks", "name", nullptr), "name", "other"), HasSubstr("is another's"));
  EXPECT_THAT(with(find("submissions", "id", 1), "archive", "../../etc/passwd"),
              HasSubstr("submissions.archive: not there, or what it cannot hold"));
  EXPECT_THAT(with(find("submissions", "id", 1), "id", -1), HasSubstr("submissions.id"));
  EXPECT_THAT(with(find("submissions", "id", 1), "id", 1.5), HasSubstr("submissions.id"));
  EXPECT_THAT(with(find("submissions", "id", 1), "id", ~u64{0}), HasSubstr("submissions.id"));
  EXPECT_THAT(with(find("submissions", "id", 1), "note", nullptr), HasSubstr("submissions.note"));
  EXPECT_THAT(with(find("submissions", "id", 2), "id", 1), HasSubstr("contradicts others"));
  EXPECT_THAT(with(find("submissions", "id", 1), "state", "held"), HasSubstr("the log says"));
  EXPECT_THAT(with(find("events", "id", 1), "state", "ranked"), HasSubstr("no whole farm"));
  EXPECT_THAT(with(find("events", "id", 1), "submission", 99), HasSubstr("contradicts others"));
  EXPECT_THAT(with(find("case_results", "cycles", nullptr), "cycles", 1), HasSubstr("damaged"));
  EXPECT_THAT(with(find("evaluations", "verdict", "ACCEPTED"), "verdict", "GREAT"),
              HasSubstr("no whole farm"));
  EXPECT_THAT(with(find("jobs", "attempt", nullptr), "evaluation", 7),
              HasSubstr("jobs.evaluation"));
  const auto edited = [&](auto edit) {
    std::vector<Json> lines = whole;
    edit(lines);
    return refusal(chained(lines));
  };
  const auto blob =
      static_cast<size_t>(std::find_if(whole.begin(), whole.end(),
                                       [](const Json& each) { return each.contains("blob"); }) -
                          whole.begin());
  EXPECT_THAT(edited([&](auto& lines) {
                lines[blob]["data"] = base64(std::vector<u8>{1, 2});
              }),
              HasSubstr("the blob's bytes are not those of its name"));
  EXPECT_THAT(edited([&](auto& lines) { lines[blob]["data"] = "?"; }), HasSubstr("no base64"));
  EXPECT_THAT(edited([&](auto& lines) { lines[blob]["parts"] = 2; }), HasSubstr("not in order"));
  EXPECT_THAT(edited([&](auto& lines) { lines[blob]["blob"] = std::string(64, 'a'); }),
              HasSubstr("no row names it"));
  EXPECT_THAT(edited([&](auto& lines) { lines.erase(lines.begin() + static_cast<long>(blob)); }),
              HasSubstr("other numbers"));
  EXPECT_THAT(edited([&](auto& lines) { std::swap(lines[1], lines[find("events", "id", 1)]); }),
              testing::AnyOf(HasSubstr("its place is before"), HasSubstr("contradicts")));
  EXPECT_THAT(edited([&](auto& lines) { lines[1]["row"]["more"] = 1; }),
              HasSubstr("has 5 columns"));
  EXPECT_THAT(edited([&](auto& lines) {
                lines[1] = Json{{"what", 1}};
              }),
              HasSubstr("neither a row"));
  EXPECT_THAT(edited([&](auto& lines) { lines[0]["farm_schema"] = 3; }),
              HasSubstr("a farm of schema version 3"));
  EXPECT_THAT(edited([&](auto& lines) { lines[0]["schema"] = "other"; }), HasSubstr("no export"));
}

TEST_F(Transfer, ForgedAtRandomIsAWholeFarmOrNone) {
  const std::vector<Json> whole = bodies();
  std::mt19937 random(11);
  const std::vector<Json> values = {0,
                                    1,
                                    2,
                                    7,
                                    1000000,
                                    -1,
                                    nullptr,
                                    "",
                                    "x",
                                    "ranked",
                                    "ACCEPTED",
                                    std::string(64, '0'),
                                    Json::array({1}),
                                    true,
                                    0.5};
  int imported = 0, refused = 0;
  for (int k = 0; k < 120; ++k) {
    std::vector<Json> lines = whole;
    Json& line = lines[random() % lines.size()];
    switch (random() % 4) {
      case 0:
        line = lines[random() % lines.size()];
        break;
      case 1:
        std::swap(line, lines[random() % lines.size()]);
        break;
      default: {
        Json& part = line.contains("row") ? line["row"] : line;
        auto at = part.begin();
        std::advance(at, static_cast<long>(random() % part.size()));
        *at = values[random() % values.size()];
      }
    }
    ++(refusal(chained(lines)).empty() ? imported : refused);
  }
  EXPECT_GT(refused, 60);
  EXPECT_GT(imported, 0) << "a time, say, may be another one";
}

TEST_F(Transfer, ScenarioKilledAnywhereThereIsNoHalfFarm) {
  // Files up to that size alone can be written: at first none, at last all.
  int failed = 0, done = 0;
  for (u64 bytes = 0; bytes <= 640 << 10; bytes += 64 << 10) {
    const int status = in_child([&] {
      signal(SIGXFSZ, SIG_IGN);
      const struct rlimit limit { bytes, bytes };
      ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
      const auto result = import_farm(file(), folder_.path("other"));
      if (result) _exit(0);
      EXPECT_EQ(result.error().kind, Error::Kind::io) << result.error().message;
      _exit(testing::Test::HasFailure() ? 99 : 74);
    });
    ASSERT_TRUE(status == 0 || status == 74) << status;
    EXPECT_EQ(fs::exists(folder_.path("other")), status == 0);
    ++(status == 0 ? done : failed);
    if (status == 0) {
      Store store = test::open_store(folder_.path("other"));
      expect_whole(store);
      fs::remove_all(folder_.path("other"));
    }
    const int out = in_child([&] {
      signal(SIGXFSZ, SIG_IGN);
      const struct rlimit limit { bytes / 8, bytes / 8 };
      ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
      Result<Store> store = Store::open_to_read(folder_.farm());
      if (!store) _exit(74);
      const auto result = export_farm(*store, folder_.path("full.ndjson"), true);
      _exit(result ? 0 : testing::Test::HasFailure() ? 99 : 74);
    });
    EXPECT_EQ(fs::exists(folder_.path("full.ndjson")), out == 0) << out;
    fs::remove(folder_.path("full.ndjson"));
  }
  EXPECT_GT(failed, 2);
  EXPECT_GT(done, 2);
  for (const auto& each : fs::directory_iterator(folder_.path(".")))
    EXPECT_EQ(each.path().string().find(".import-"), std::string::npos) << each.path();
}

TEST(Journal, HasEveryTableAndColumnOfTheSchema) {
  FarmFolder folder;
  Store store = folder.open();
  std::string schema, journal;
  for (const JournalTable& table : journal_tables()) {
    for (const JournalColumn& each : table.columns)
      journal += std::string(table.name) + "." + each.name + "\n";
    Query columns(store.database(), "SELECT name FROM pragma_table_info(?)",
                  {std::string(table.name)});
    while (columns.next()) schema += std::string(table.name) + "." + columns.text(0) + "\n";
  }
  EXPECT_EQ(journal, schema);
  EXPECT_EQ(*store.database().integer("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND "
                                      "name NOT LIKE 'sqlite%'"),
            static_cast<i64>(journal_tables().size()));
}

TEST(Journal, Base64IsThatOfRfc4648) {
  const auto of = [](const std::string& text) {
    return base64(std::span(reinterpret_cast<const u8*>(text.data()), text.size()));
  };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(*parse_base64("Zm8="), (std::vector<u8>{'f', 'o'}));
  for (const char* const wrong : {"Z", "Zg=", "Zh==", "====", "Zg==Zg==", "Zm9\n", "=Zg="})
    EXPECT_FALSE(parse_base64(wrong)) << wrong;
}

}  // namespace
}  // namespace simfarm::farm
