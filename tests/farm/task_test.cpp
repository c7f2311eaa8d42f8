// task.toml: every key's rule, each refusal naming file, line and key; and cases held against
// tasks.
#include "farm/task.h"

#include <gmock/gmock.h>

#include "farm/case.h"
#include "tests/farm/support.h"

namespace simfarm::farm {
namespace {

using test::Folder;
using testing::HasSubstr;

constexpr const char* good_task = R"(name = "scale"
version = 3
title = "scaled copy"
machine = "nano"
score = "cycles"
target = { label = "by hand", cycles = 1_000 }
defines = ["TILE"]
[limits]
cycles = 5000
[[tensors]]
name = "x"
kind = "input"
dtype = "int16"
shape = ["n", 4]
place = "ocm"
[[tensors]]
name = "y"
kind = "output"
dtype = "int32"
shape = [4, "n"]
[[params]]
name = "factor"
[[params]]
name = "n"
[cases]
public = ["cases/small.h5", "cases/large.h5"]
generator = "generate.py"
[deadline]
cycles_per_unit = 100
unit = "row"
units = "n"
)";

TEST(Task, ReadsEveryKey) {
  const Result<Task> task = parse_task(good_task, "folder");
  ASSERT_TRUE(task) << task.error().message;
  EXPECT_EQ(task->name, "scale");
  EXPECT_EQ(task->version, 3u);
  EXPECT_EQ(task->title, "scaled copy");
  EXPECT_EQ(task->machine.rows, 4u);
  EXPECT_EQ(task->target->label, "by hand");
  EXPECT_EQ(task->target->score, 1000u);
  EXPECT_EQ(task->limits.cycles, 5000u);
  EXPECT_EQ(task->limits.local_segment_bytes, TaskLimits{}.local_segment_bytes);
  ASSERT_EQ(task->tensors.size(), 2u);
  EXPECT_EQ(task->tensors[0].place, Place::ocm);
  EXPECT_EQ(task->tensors[0].shape[0].symbol, "n");
  EXPECT_EQ(task->tensors[0].shape[1].size, 4u);
  EXPECT_EQ(task->tensors[1].place, Place::dram);
  EXPECT_EQ(task->tensors[1].dtype, DType::int32);
  EXPECT_EQ(task->params, (std::vector<std::string>{"factor", "n"}));
  EXPECT_EQ(task->cases.size(), 2u);
  EXPECT_EQ(task->generator, "generate.py");
  EXPECT_EQ(task->defines, std::vector<std::string>{"TILE"});
  EXPECT_EQ(task->deadline->cycles_per_unit, 100u);
}

struct Change {
  const char* from;
  const char* to;
  const char* message;
};

TEST(Task, RefusesNamingFileLineAndKey) {
  const Change changes[] = {
      {"name = \"scale\"", "name = \"Scale\"", "task.toml:1: name: must be a-z"},
      {"name = \"scale\"", "name = 7", "task.toml:1: name: must be a string"},
      {"name = \"scale\"\n", "", "name: is missing"},
      {"version = 3", "version = 0", "task.toml:2: version: is 0, 1 to"},
      {"version = 3", "version = 3.0", "task.toml:2: version: must be an integer"},
      {"title = \"scaled copy\"", "title = \"a\\u001b[31m\"",
       "task.toml:3: title: has the control character 0x1b"},
      {"title = \"scaled copy\"", "title = \"a\\u202eb\"",
       "title: has the invisible character U+202E"},
      {"machine = \"nano\"", "machine = \"mega\"",
       "No such file or directory, and no shipped machine"},
      {"machine = \"nano\"", "machine = \"../m.toml\"",
       "machine: ../m.toml has the component \"..\""},
      {"score = \"cycles\"", "score = \"joules\"",
       "task.toml:5: score: is \"joules\", accepted are cycles"},
      {"cycles = 1_000 }", "cycles = 0 }", "task.toml:6: target.cycles: is 0"},
      {"cycles = 1_000 }", "cycle = 1 }", "target.cycles: is missing"},
      {"[\"TILE\"]", "[\"TI LE\"]", "defines: TI LE is no macro name"},
      {"[\"TILE\"]", "[3]", "defines: must be an array of strings"},
      {"cycles = 5000", "cycels = 5000", "task.toml:9: limits.cycels: unknown key"},
      {"cycles = 5000", "cycles = 1e3", "task.toml:9: limits.cycles: must be an integer"},
      {"cycles = 5000", "local_segment_bytes = 262145",
       "limits.local_segment_bytes: is 262145, 0 to 262144"},
      {"name = \"x\"", "name = \"9x\"", "task.toml:11: tensors[0].name: must be a C identifier"},
      {"name = \"y\"", "name = \"x\"", "tensors[1].name: there are two tensors x"},
      {"kind = \"output\"", "kind = \"input\"", "none is an output"},
      {"kind = \"input\"", "kind = \"in\"",
       "task.toml:12: tensors[0].kind: is \"in\", accepted are input, output, inout"},
      {"dtype = \"int16\"", "dtype = \"float64\"", "tensors[0].dtype: is \"float64\""},
      {"shape = [\"n\", 4]", "shape = []", "task.toml:14: tensors[0].shape: has 0 entries, 1 to 4"},
      {"shape = [\"n\", 4]", "shape = [1,1,1,1,1]", "tensors[0].shape: has 5 entries"},
      {"shape = [\"n\", 4]", "shape = [\"n\", 0]", "0 is neither a size"},
      {"shape = [\"n\", 4]", "shape = [\"n\", -1]", "-1 is neither a size"},
      {"shape = [\"n\", 4]", "shape = [\"n\", 1.5]", "entry 1 has the wrong type"},
      {"shape = [\"n\", 4]", "shape = [\"n\", 4294967296]", "4294967296 is neither a size"},
      {"place = \"ocm\"", "place = \"local\"", "tensors[0].place"},
      {"name = \"factor\"", "name = \"n\"", "there are two parameters n"},
      {"\"cases/large.h5\"", "\"other/small.h5\"", "cases.public: there are two cases small"},
      {"\"cases/large.h5\"", "\"/etc/x.h5\"", "cases.public: /etc/x.h5 is absolute"},
      {"\"cases/large.h5\"", "\"a/../x.h5\"", "cases.public"},
      {"[\"cases/small.h5\", \"cases/large.h5\"]", "[]", "cases.public: has 0 entries"},
      {"units = \"n\"", "units = \"rows\"", "deadline.units: names neither"},
      {"unit = \"row\"", "unit = \"\"", "deadline.unit: is empty"},
      {"[deadline]", "[[deadline]]", "deadline: must be a table"},
      {"[deadline]", "[sandbox]", "task.toml:28: sandbox: unknown key"},
      {"[limits]", "[limits", "task.toml:8"},
  };
  for (const Change& change : changes) {
    SCOPED_TRACE(change.to);
    std::string text = good_task;
    const size_t at = text.find(change.from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, std::string(change.from).size(), change.to);
    const Result<Task> task = parse_task(text, "folder");
    ASSERT_FALSE(task);
    EXPECT_THAT(task.error().message, HasSubstr("folder/task.toml"));
    EXPECT_THAT(task.error().message, HasSubstr(change.message));
  }
}

TEST(Task, MachineFileBesideItButNotOutsideByALink) {
  const Folder folder;
  std::string text = good_task;
  text.replace(text.find("\"nano\""), 6, "\"tiny.toml\"");
  folder.write("task/task.toml", text);
  folder.write("secret.toml", "name = \"tiny\"\ninherits = \"single\"\n");
  std::filesystem::create_symlink("../secret.toml", folder.path("task/tiny.toml"));
  EXPECT_THAT(load_task(folder.path("task")).error().message,
              HasSubstr("tiny.toml: a link out of the folder"));
  std::filesystem::remove(folder.path("task/tiny.toml"));
  folder.write("task/tiny.toml", "name = \"tiny\"\ninherits = \"single\"\n");
  const Result<Task> task = load_task(folder.path("task"));
  ASSERT_TRUE(task) << task.error().message;
  EXPECT_EQ(task->machine.pes(), 1u);
  EXPECT_THAT(load_task(folder.path("nowhere")).error().message,
              HasSubstr("nowhere/task.toml: cannot open"));
}

TensorFile case_of(u32 n) {
  TensorFile file;
  file.inputs = {{"x", DType::int16, {n, 4}, std::vector<u8>(n * 8, 1)}};
  file.expected = {{"y", DType::int32, {4, n}, std::vector<u8>(n * 16, 2)}};
  file.attributes = {{"factor", -9}};
  return file;
}

TEST(Case, BindsSymbolsAndParameters) {
  const Task task = parse_task(good_task, "folder").value();
  const Result<Case> bound = bind_case(task, case_of(5), "cases/small.h5");
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ(bound->name, "small");
  EXPECT_EQ(bound->layout.params, (std::vector<i32>{-9, 5}));
  EXPECT_EQ(bound->units, 5u);
  EXPECT_EQ(bound->before[0], bound->after[0]) << "an input must be unchanged";
  EXPECT_TRUE(bound->before[1].empty());
  EXPECT_EQ(bound->after[1].size(), 80u);
  EXPECT_EQ(bound->layout.tensors[0].address, task.machine.map.ocm.base + 64);
}

TEST(Case, RefusesNamingTheTensor) {
  const Task task = parse_task(good_task, "folder").value();
  const auto refusal = [&](const std::function<void(TensorFile&)>& spoil) {
    TensorFile file = case_of(5);
    spoil(file);
    const Result<Case> bound = bind_case(task, std::move(file), "c.h5");
    return bound ? std::string() : bound.error().message;
  };
  EXPECT_THAT(refusal([](TensorFile& f) { f.inputs.clear(); }),
              HasSubstr("c.h5: /inputs/x: is missing"));
  EXPECT_THAT(refusal([](TensorFile& f) { f.expected.clear(); }),
              HasSubstr("/expected/y: is missing"));
  EXPECT_THAT(refusal([](TensorFile& f) { f.inputs[0].dtype = DType::uint16; }),
              HasSubstr("/inputs/x: is uint16, the task wants int16"));
  EXPECT_THAT(refusal([](TensorFile& f) {
                f.inputs[0].shape = {5, 2, 2};
              }),
              HasSubstr("/inputs/x: has rank 3"));
  EXPECT_THAT(refusal([](TensorFile& f) {
                f.inputs[0].shape = {4, 5};
              }),
              HasSubstr("dimension 1 is 5, the task wants 4"));
  EXPECT_THAT(refusal([](TensorFile& f) {
                f.expected[0].shape = {4, 6};
              }),
              HasSubstr("/expected/y: dimension 1 (n) is 6, it is 5 elsewhere"));
  EXPECT_THAT(refusal([](TensorFile& f) {
                f.inputs.push_back({"z", DType::int8, {1}, {1}});
              }),
              HasSubstr("/inputs/z: is no input"));
  EXPECT_THAT(refusal([](TensorFile& f) {
                f.expected.push_back({"x", DType::int8, {1}, {1}});
              }),
              HasSubstr("/expected/x: is no output"));
  EXPECT_THAT(refusal([](TensorFile& f) {
                f.outputs.push_back({"y", DType::int8, {1}, {1}});
              }),
              HasSubstr("/outputs"));
  EXPECT_THAT(refusal([](TensorFile& f) { f.attributes.clear(); }),
              HasSubstr("attribute factor: is missing"));
  EXPECT_THAT(refusal([](TensorFile& f) {
                f.attributes.clear();
                f.other_attributes = {"factor"};
              }),
              HasSubstr("attribute factor: must be an integer scalar"));
  EXPECT_THAT(refusal([](TensorFile& f) { f.attributes["factor"] = i64{1} << 31; }),
              HasSubstr("attribute factor: is 2147483648"));
  EXPECT_THAT(refusal([](TensorFile& f) { f.attributes["n"] = 6; }),
              HasSubstr("attribute n: is 6, the tensors say 5"));
  EXPECT_EQ(refusal([](TensorFile&) {}), "");
}

}  // namespace
}  // namespace simfarm::farm
