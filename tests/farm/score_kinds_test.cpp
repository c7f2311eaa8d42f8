// Kinds of scores: formulas with their roundings, what task.toml says of them, boards.
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "farm/board_html.h"
#include "farm/energy.h"
#include "farm/junit.h"
#include "farm/logits.h"
#include "farm/report.h"
#include "farm/store/view.h"
#include "farm/task_score.h"
#include "tests/farm/support.h"

namespace simfarm::farm {
namespace {

using testing::HasSubstr;
using testing::Not;

Task task_of_kind(ScoreKind kind) {
  Task task;
  task.name = "some";
  task.title = "some task";
  task.machine.name = "nano";
  task.machine.rows = task.machine.columns = 4;
  task.cases = {"cases/a.h5", "cases/b.h5"};
  task.score.kind = kind;
  return task;
}

CaseScore figures_of(const std::string& name, Cycle cycles) {
  return {.name = name, .cycles = cycles};
}

TEST(ScoreKind, NumbersArePrintedFromIntegersAndReadBack) {
  EXPECT_EQ(score_text(ScoreKind::cycles, 1'234'567), "1,234,567 cycles");
  EXPECT_EQ(score_text(ScoreKind::mac_utilisation, 712'345), "71.2345 %");
  EXPECT_EQ(score_text(ScoreKind::mac_utilisation, 5), "0.0005 %");
  EXPECT_EQ(score_text(ScoreKind::energy, 1'234'567'890), "1,234,567.890 nJ");
  EXPECT_EQ(score_text(ScoreKind::logit_error, 1'500), "0.000001500");
  EXPECT_EQ(score_digits(ScoreKind::energy, 1'234'567'890), "1234567.890");
  for (u32 k = 0; k < score_kind_count; ++k) {
    const ScoreKind kind = static_cast<ScoreKind>(k);
    for (const u64 value : {u64{0}, u64{7}, u64{999'999}, u64{1'000'000'000'007}})
      EXPECT_EQ(parse_score(kind, score_digits(kind, value)), value) << row(kind).name;
  }
  EXPECT_EQ(parse_score(ScoreKind::mac_utilisation, "70"), 700'000u);
  EXPECT_EQ(parse_score(ScoreKind::weighted, "0.5"), 500'000u);
  for (const char* const text :
       {"", ".", "1.", ".5", "1.2.3", "-1", "1e3", "0.1234567", "1,000", "99999999999999999999"})
    EXPECT_EQ(parse_score(ScoreKind::weighted, text), std::nullopt) << text;
}

TEST(ScoreKind, GainsAreInTheDirectionOfTheKind) {
  EXPECT_EQ(gain(ScoreKind::cycles, 500, 1234), "2.46");
  EXPECT_EQ(gain(ScoreKind::mac_utilisation, 500'000, 200'000), "2.50");
  EXPECT_EQ(gain(ScoreKind::logit_error, 0, 10), "") << "no error at all";
  EXPECT_TRUE(better(ScoreKind::mac_utilisation, 3, 2));
  EXPECT_TRUE(better(ScoreKind::energy, 2, 3));
  EXPECT_FALSE(better(ScoreKind::energy, 2, 2));
}

// docs/tasks.md works out these.
TEST(Score, WeightedCasesCountByTheirReferences) {
  Task task = task_of_kind(ScoreKind::weighted);
  task.score.cases = {{"a", {1, 1000}}, {"b", {3, 50'000}}};
  EXPECT_EQ(score_of(task, {figures_of("a", 800), figures_of("b", 45'000)}), 875'000u);
  EXPECT_EQ(score_of(task, {figures_of("a", 1000), figures_of("b", 50'000)}), 1'000'000u);
  EXPECT_EQ(score_of(task, {figures_of("a", 0), figures_of("b", 50'000)}), 750'000u)
      << "no case can save more than its weight";
  EXPECT_EQ(score_of(task, {figures_of("b", 45'000)}), 900'000u) << "one case alone";
  task.score.cases = {{"a", {1, 3}}, {"b", {1, 7}}};
  // 333,333.3 and 142,857.1, each rounded up, and so is their mean.
  EXPECT_EQ(score_of(task, {figures_of("a", 1), figures_of("b", 1)}), 238'096u);
}

TEST(Score, MacUtilisationCountsWhatTheTaskNeeds) {
  Task task = task_of_kind(ScoreKind::mac_utilisation);
  CaseScore one = figures_of("a", 12'300);
  one.boot_cycles = 45;
  one.macs = 128 * 132 * 64;
  EXPECT_EQ(score_of(task, {one}), 684'325u) << "1,081,344 / (12,345 * 16 * 8), cut";
  one.total.issued[static_cast<u32>(IssueClass::mac)] = 1'000'000'000;
  EXPECT_EQ(score_of(task, {one}), 684'325u) << "others do not count";
}

TEST(Score, LocalMemoryIsWhatEachPeHad) {
  Task task = task_of_kind(ScoreKind::local_memory);
  CaseScore one = figures_of("a", 5);
  one.memory_bytes = 1024;
  EXPECT_EQ(score_of(task, {one, one}), 1024u);
}

TEST(Score, EnergyIsATableTimesWhatWasCounted) {
  Task task = task_of_kind(ScoreKind::energy);
  task.score.energy_table = 1;
  CaseScore one = figures_of("a", 1000);
  one.boot_cycles = 16;
  one.total.issued[static_cast<u32>(IssueClass::alu)] = 5000;
  one.total.issued[static_cast<u32>(IssueClass::mac)] = 2000;
  one.total.issued[static_cast<u32>(IssueClass::load)] = 1000;
  one.dma_bytes = 4096;
  one.dram_bytes = 2048;
  const Energy energy = energy_of(energy_tables()[0], one, 16);
  EXPECT_EQ(picojoules(energy.instructions), 5000 * 161 / 10 + 2000 * 192 / 10 + 1000 * 261 / 10u);
  EXPECT_EQ(picojoules(energy.local), 2048 * 25 / 10u);
  EXPECT_EQ(picojoules(energy.ocm), 0u);
  EXPECT_EQ(picojoules(energy.dram), 2048 * 1625 / 10u);
  EXPECT_EQ(picojoules(energy.cycles), 1016 * 16u);
  EXPECT_EQ(picojoules(energy.boot), 128 * 1625 / 10 + 128 * 16 * 25 / 10u);
  EXPECT_EQ(score_of(task, {one}), 145'000u + 5'120 + 332'800 + 16'256 + 25'920);
  EXPECT_EQ(score_text(task.score.kind, score_of(task, {one})), "525.096 nJ");
}

TEST(Score, LargestFiguresStayInsideTheIntegers) {
  Task task = task_of_kind(ScoreKind::energy);
  task.score.energy_table = 1;
  CaseScore one = figures_of("a", 1'000'000'000'000);
  for (u64& count : one.total.issued) count = u64{1'000'000'000'000} << 16;
  one.dma_bytes = one.dram_bytes = u64{1} << 60;
  EXPECT_GT(score_of(task, {one, one}), u64{1} << 50);
  task = task_of_kind(ScoreKind::logit_error);
  task.score.logits = LogitRule{.bound = u64{1} << 32};
  one.outputs = u64{1} << 28;
  one.error = one.outputs << 32;
  EXPECT_EQ(score_of(task, std::vector<CaseScore>(256, one)), (u64{1} << 32) * 1'000'000'000);
}

TEST(Logits, ReferencesBecomeIntegersByTheirBits) {
  const auto bits = [](float value) {
    u32 raw = 0;
    std::memcpy(&raw, &value, 4);
    return raw;
  };
  EXPECT_EQ(fixed_point(bits(1.0f), 8), 256);
  EXPECT_EQ(fixed_point(bits(-1.5f), 0), -2) << "halves to even";
  EXPECT_EQ(fixed_point(bits(2.5f), 0), 2);
  EXPECT_EQ(fixed_point(bits(0.5f), 0), 0);
  EXPECT_EQ(fixed_point(bits(0.50001f), 0), 1);
  EXPECT_EQ(fixed_point(bits(-0.0f), 24), 0);
  EXPECT_EQ(fixed_point(1, 40), 0) << "the smallest subnormal";
  EXPECT_EQ(fixed_point(bits(1e30f), 24), std::nullopt);
  EXPECT_EQ(fixed_point(0x7f80'0000, 24), std::nullopt) << "infinity";
  EXPECT_EQ(fixed_point(0x7fc0'0000, 24), std::nullopt) << "NaN";
  u32 seed = 1;
  for (u32 k = 0; k < 20'000; ++k) {
    seed = seed * 1'664'525 + 1'013'904'223;
    const u32 raw = (seed & 0x807f'ffff) | (100 + seed % 40) << 23;
    float value = 0;
    std::memcpy(&value, &raw, 4);
    const double scaled = std::ldexp(static_cast<double>(value), 24);
    EXPECT_EQ(fixed_point(raw, 24), static_cast<i64>(std::nearbyint(scaled))) << raw;
  }
}

PlacedTensor placed(DType type, u32 elements) {
  PlacedTensor tensor;
  tensor.name = "y";
  tensor.kind = TensorKind::output;
  tensor.dtype = type;
  tensor.shape = {elements};
  tensor.bytes = u64{elements} * element_bytes(type);
  return tensor;
}

TEST(Logits, ErrorsAreSumsOfIntegersAndBounded) {
  // Steps of 1/4 from -3 on; errors in units of 1/256.
  Reference reference{{.fraction_bits = 8, .scale = 64, .zero_point = -12, .bound = 100},
                      {256, -64, 1000}};
  // (-8 + 12) / 4 = 1, (-13 + 12) / 4 = -1/4, (4 + 12) / 4 = 4 = 1024 / 256.
  const std::vector<u8> got = {static_cast<u8>(-8), static_cast<u8>(-13), 4};
  const LogitErrors errors = logit_errors(reference, placed(DType::int8, 3), got);
  EXPECT_EQ(errors.told, "");
  EXPECT_EQ(errors.sum, 24u);
  const LogitErrors far =
      logit_errors(reference, placed(DType::int8, 3), std::vector<u8>{0x80, 0xf3, 0x7f});
  EXPECT_EQ(far.told,
            "output y[0] (int8, byte 0 of 3): got -128, which is -29.000000; its reference is "
            "1.000000, and it may be 0.390625 off\n  2 of 3 elements are too far off\n");
  // No integer is large enough to come round.
  reference.values = {0};
  for (const DType type : {DType::int64, DType::uint64, DType::int32, DType::uint32}) {
    std::vector<u8> extreme(element_bytes(type), 0xff);
    extreme.back() = 0x7f;
    EXPECT_NE(logit_errors(reference, placed(type, 1), extreme).told, "") << name(type);
    extreme.assign(extreme.size(), 0);
    extreme.back() = 0x80;
    EXPECT_NE(logit_errors(reference, placed(type, 1), extreme).told, "") << name(type);
  }
}

TEST(Logits, TheScoreIsTheMeanAndHeldOutErrorsMustBeLikeIt) {
  Task task = task_of_kind(ScoreKind::logit_error);
  task.score.logits = LogitRule{.fraction_bits = 8, .scale = 64, .bound = 1000};
  CaseScore open = figures_of("a", 5), held_out = open;
  open.outputs = 3;
  open.error = 24;
  EXPECT_EQ(score_of(task, {open}), 31'250'000u) << "8/256";
  open.error = 25;
  EXPECT_EQ(score_of(task, {open}), 32'552'084u) << "rounded up";
  held_out.outputs = 300;
  held_out.error = 300 * (2 * 25 / 3 + 64);
  EXPECT_FALSE(errors_differ(*task.score.logits, {open}, {held_out}));
  held_out.error += 300;
  EXPECT_TRUE(errors_differ(*task.score.logits, {open}, {held_out}));
}

// ---- task.toml

constexpr const char* kinds_toml = R"(name = "some"
machine = "nano"
@SCORE@
[floor]
macs = ["n", 4]
[[tensors]]
name = "x"
kind = "input"
dtype = "int8"
shape = ["n"]
[[tensors]]
name = "y"
kind = "output"
dtype = "int16"
shape = ["n"]
[[tensors]]
name = "f"
kind = "output"
dtype = "float32"
shape = ["n"]
[cases]
public = ["cases/a.h5", "cases/b.h5"]
)";

Result<Task> task_with(const std::string& score) {
  std::string text = kinds_toml;
  return parse_task(text.replace(text.find("@SCORE@"), 7, score), "folder");
}

TEST(TaskToml, ScoresAreWordsOrTables) {
  EXPECT_EQ(task_with("")->score.kind, ScoreKind::cycles);
  EXPECT_EQ(task_with("score = \"local-memory\"")->score.kind, ScoreKind::local_memory);
  EXPECT_EQ(task_with("[score]\nkind = \"mac-utilisation\"")->score.kind,
            ScoreKind::mac_utilisation);
  const auto weighted = task_with(
      "[score]\nkind = \"weighted\"\n[score.cases]\na = { reference = 7 }\n"
      "b = { weight = 3, reference = 9 }\n[target]\nlabel = \"half\"\nscore = \"0.5\"");
  ASSERT_TRUE(weighted) << weighted.error().message;
  EXPECT_EQ(weighted->score.cases.at("a").weight, 1u);
  EXPECT_EQ(weighted->score.cases.at("b").weight, 3u);
  EXPECT_EQ(weighted->score.cases.at("b").reference, 9u);
  EXPECT_EQ(weighted->target->score, 500'000u);
  EXPECT_EQ(task_with("[score]\nkind = \"energy\"\ntable = 1")->score.energy_table, 1u);
  const auto logits = task_with(
      "[score]\nkind = \"logit-error\"\ntensor = \"y\"\nfraction_bits = 8\nscale = 3\n"
      "zero_point = -4\nbound = 99");
  ASSERT_TRUE(logits) << logits.error().message;
  EXPECT_EQ(logits->score.logits->tensor, 1u);
  EXPECT_EQ(logits->score.logits->zero_point, -4);
}

TEST(TaskToml, RefusesScoresThatCannotBeMeant) {
  struct Refused {
    const char* score;
    const char* told;
  };
  const Refused all[] = {
      {"score = \"speed\"",
       "task.toml:3: score: is \"speed\", accepted are cycles, weighted, mac-utilisation"},
      {"score = \"energy\"", "score: energy needs more than its name"},
      {"score = 3", "score: must be a string"},
      {"[score]\ntable = 1", "score.kind: is missing"},
      {"[score]\nkind = \"cycles\"\ntable = 1", "score.table: unknown key"},
      {"[score]\nkind = \"energy\"", "score.table: is missing"},
      {"[score]\nkind = \"energy\"\ntable = 99", "score.table: is 99, 1 to 1"},
      {"[score]\nkind = \"weighted\"", "score.cases: is missing"},
      {"[score]\nkind = \"weighted\"\n[score.cases]\na = { reference = 7 }",
       "score.cases.b: is missing"},
      {"[score]\nkind = \"weighted\"\n[score.cases]\na = { weight = 0, reference = 7 }\n"
       "b = { reference = 7 }",
       "score.cases.a.weight: is 0, 1 to 1000000"},
      {"[score]\nkind = \"weighted\"\n[score.cases]\na = { reference = 1 }\nb = { reference = 1 }\n"
       "c = { reference = 1 }",
       "score.cases.c: unknown key"},
      {"[score]\nkind = \"logit-error\"\ntensor = \"x\"", "score.tensor: x is no output"},
      {"[score]\nkind = \"logit-error\"\ntensor = \"f\"", "score.tensor: f is float32"},
      {"[score]\nkind = \"logit-error\"\ntensor = \"y\"\nfraction_bits = 41",
       "score.fraction_bits: is 41, 0 to 40"},
      {"score = \"energy\"\ntarget = { label = \"x\", cycles = 5 }", "score: energy needs more"},
      {"score = \"local-memory\"\ntarget = { label = \"x\", cycles = 5 }",
       "target.score: is missing"},
      {"score = \"local-memory\"\ntarget = { label = \"x\", score = \"1.5\" }",
       "target.score: must be a text like"},
      {"score = \"local-memory\"\ntarget = { label = \"x\", score = 64 }",
       "target.score: must be a string"},
  };
  for (const Refused& each : all) {
    const Result<Task> task = task_with(each.score);
    ASSERT_FALSE(task) << each.score;
    EXPECT_THAT(task.error().message, HasSubstr(each.told)) << each.score;
  }
  std::string text = kinds_toml;
  text.replace(text.find("@SCORE@"), 7, "score = \"mac-utilisation\"");
  text.erase(text.find("[floor]"), std::string("[floor]\nmacs = [\"n\", 4]\n").size());
  EXPECT_THAT(parse_task(text, "folder").error().message, HasSubstr("needs floor.macs"));
}

// ---- boards

/// Submissions with these utilisations, in the order of submitting.
std::vector<Scored> batch_of(const std::vector<std::pair<const char*, u64>>& all) {
  LoadedTask loaded;
  loaded.task = task_of_kind(ScoreKind::mac_utilisation);
  loaded.task.target = TaskTarget{"DRAM", 500'000};
  const auto task = std::make_shared<const LoadedTask>(loaded);
  std::vector<Scored> batch;
  for (const auto& [name, macs] : all) {
    Scored one;
    one.entry.id = name;
    one.entry.order = batch.size() + 1;
    one.entry.task = task;
    one.entry.submission = Submission{};
    one.evaluation.verdict = Verdict::accepted;
    one.evaluation.cases = {figures_of("a", 100'000)};
    one.evaluation.cases[0].macs = macs * 12'800'000 / 100;
    batch.push_back(one);
  }
  return batch;
}

TEST(Board, RanksByTheTasksKindAndTiesKeepTheEarlier) {
  const std::vector<Scored> batch =
      batch_of({{"kernel", 1}, {"2", 2}, {"3", 4}, {"4", 4}, {"5", 3}});
  const Board board = make_boards(batch).front();
  std::vector<std::string> order;
  for (const Row& each : board.rows)
    order.push_back(each.submission + " " + score_digits(kind_of(board), each.score) + " " +
                    each.speedup);
  EXPECT_EQ(order, (std::vector<std::string>{"3 4.0000 4.00", "4 4.0000 4.00", "5 3.0000 3.00",
                                             "2 2.0000 2.00", "kernel 1.0000 1.00"}));
  EXPECT_EQ(board.records, (std::vector<size_t>{4, 3, 0}));
}

TEST(Board, TellsTheScoreInItsUnitInEveryOutput) {
  const std::vector<Scored> batch = batch_of({{"kernel", 1}, {"2", 2}});
  const std::vector<Board> boards = make_boards(batch);
  const Board& board = boards.front();
  EXPECT_THAT(board_text(board),
              HasSubstr("multiply-adds of 2 cases in per cent of the peak, boot included, more is "
                        "better\n  rank  MAC use   gain   cycles  submission"));
  EXPECT_THAT(board_text(board), HasSubstr("     1   2.0000  2.00x  100,000  2  "));
  EXPECT_THAT(board_text(board), HasSubstr("target 50.0000 % (DRAM): the best has 0.04 times"));
  const auto json = board_document(board);
  EXPECT_EQ(json["score"], "mac-utilisation");
  EXPECT_EQ(json["score_unit"], "%");
  EXPECT_EQ(json["more_is_better"], true);
  EXPECT_EQ(json["target"]["score"], "50.0000");
  EXPECT_FALSE(json["target"].contains("cycles"));
  EXPECT_EQ(json["board"][0]["score"], "2.0000");
  EXPECT_EQ(json["board"][0]["cycles"], 100'000);
  EXPECT_THAT(board_csv(board), HasSubstr("1,100000,2.00,2,,ACCEPTED,1,yes,2.0000\r\n"));
  EXPECT_THAT(board_html(board), HasSubstr("<strong>2.0000 %</strong>, 2 by"));
  EXPECT_THAT(board_html(board), HasSubstr("more is better"));
  EXPECT_THAT(junit_xml(boards), HasSubstr("ACCEPTED: 2.0000 %, 100,000 cycles"));
  EXPECT_THAT(case_table(batch[0]), HasSubstr("a: 1.0000 %\n"));
}

TEST(Submission, DeclaresLocalMemoryOnlyWhereThatIsTheScore) {
  Submission submission;
  submission.task = "some";
  submission.local_memory_bytes = 1024;
  Task task = task_of_kind(ScoreKind::local_memory);
  task.machine.map.local.bytes = 32768;
  EXPECT_TRUE(check_against(submission, task));
  EXPECT_EQ(judged_as(task, submission).machine.map.local.bytes, 1024u);
  submission.local_memory_bytes = 32768 + 64;
  EXPECT_THAT(check_against(submission, task).error().message,
              HasSubstr("local_memory_bytes: is 32832, a PE of machine nano has 32768"));
  task.score.kind = ScoreKind::cycles;
  EXPECT_THAT(check_against(submission, task).error().message,
              HasSubstr("task some is not scored by local memory"));
  const auto read = [](const std::string& bytes) {
    const std::string text =
        "task = \"some\"\nauthor = \"a\"\nsources = [\"k.c\"]\nlocal_memory_bytes = " + bytes +
        "\n";
    return parse_submission({{"k.c", {}}, {"submission.toml", {text.begin(), text.end()}}}, "x");
  };
  EXPECT_EQ(read("1024")->local_memory_bytes, 1024u);
  EXPECT_THAT(read("1000").error().message, HasSubstr("is 1000, no multiple of 64"));
  EXPECT_THAT(read("0").error().message, HasSubstr("local_memory_bytes: is 0, 64 to"));
  EXPECT_THAT(read("-64").error().message, HasSubstr("local_memory_bytes: is -64"));
}

}  // namespace
}  // namespace simfarm::farm
