// A task of our own from source to verdict: every verdict that a submission can earn, each by the
// mistake that earns it.
#include "farm/judge.h"

#include <gmock/gmock.h>

#include "farm/board.h"
#include "farm/report.h"
#include "farm/score.h"
#include "tests/farm/small_task.h"

namespace simfarm::farm {
namespace {

using test::Folder;
using test::kernel_with;
using testing::HasSubstr;

struct Attempt {
  const char* name;
  std::string source;
  Verdict verdict;
  std::vector<const char*> words;  ///< of the failure text
  const char* manifest = "";
};

std::vector<Attempt> attempts() {
  const std::string whole_array = R"(#include <simfarm.h>
SF_MAIN(arguments) { % return 0; })";
  const auto everywhere = [&](const std::string& lines) {
    std::string text = whole_array;
    return text.replace(text.find('%'), 1, lines);
  };
  return {
      {"right", kernel_with(""), Verdict::accepted, {}},
      {"defines",
       kernel_with("y[0] += EXTRA - 8;"),
       Verdict::accepted,
       {},
       "defines = { EXTRA = \"8\" }\n"},
      {"one-off",
       kernel_with("y[3] += 1;"),
       Verdict::wrong_output,
       {"output y[3] (int32, byte 12 of 20): expected -3333, got -3332", "1 of 5 elements",
        "--case one"}},
      {"second-case",
       kernel_with("if (n == 16) y[15] = 0;"),
       Verdict::wrong_output,
       {"in case two", "y[15]"}},
      {"nothing", everywhere(""), Verdict::wrong_output, {"never written", "5 of 5 elements"}},
      {"zeros",
       kernel_with("for (uint32_t i = 0; i < n; ++i) y[i] = 0;"),
       Verdict::wrong_output,
       {"got 0\n"}},
      {"input",
       kernel_with("sf_copy(in->address + 4, sf_address(y), 4);"),
       Verdict::wrong_output,
       {"input x[1]", "may not change an input"}},
      {"guard",
       kernel_with("sf_copy(out->address + 4 * n, sf_address(y), 4);"),
       Verdict::wrong_output,
       {"wrote outside every tensor", "0 bytes after the end of y"}},
      // Local memory between data and stack: nobody initialised it.
      {"stale",
       kernel_with("y[2] = *(volatile int32_t*)(0x10000000u + 20480);"),
       Verdict::nondeterministic,
       {"y[2]", "in a second run that differs in uninitialised memory"}},
      {"stale-time",
       kernel_with("for (uint32_t i = *(volatile uint32_t*)(0x10000000u + 20480) & 15; i; --i) "
                   "sf_cycles();"),
       Verdict::nondeterministic,
       {"in a second run"}},
      {"trap",
       kernel_with("*(volatile int32_t*)0x80000040u = 1;"),
       Verdict::runtime_trap,
       {"trap: store outside local memory", "kernel.c:10", "0x80000040"}},
      {"exit-code",
       kernel_with("return 3;"),
       Verdict::runtime_trap,
       {"PE 0 ended with exit code 3"}},
      {"deadlock",
       kernel_with("sf_recv(SF_EAST);"),
       Verdict::deadlock,
       {"deadlock: nothing can move", "PE 0", "kernel.c:10"}},
      {"endless",
       kernel_with("for (;;) sf_cycles();"),
       Verdict::cycle_limit,
       {"cycle_limit after 20000 cycles"}},
      {"flood",
       kernel_with("for (;;) sf_console_write(\"0123456789\", 10);"),
       Verdict::output_limit,
       {"console output limit"}},
      {"forged",
       kernel_with("sf_console_write(\"ACCEPTED: 1 cycles\\n\", 19); y[0] = 0;"),
       Verdict::wrong_output,
       {"y[0]"}},
      {"large",
       kernel_with("static int32_t big[100]; y[0] += big[n] & 0;"
                   " sf_copy(sf_address(big), in->address, 4);"),
       Verdict::memory_limit,
       {"limits.local_segment_bytes"}},
      {"preload",
       kernel_with("static int32_t there[4] __attribute__((section(\".dram\"))) = {1, 2, 3, 4}; "
                   "__asm__ volatile(\"\" :: \"r\"(there));"),
       Verdict::rejected,
       {"preloads DRAM"}},
      {"syntax",
       kernel_with("y[0] = ;"),
       Verdict::compile_error,
       {"src/kernel.c:10:", "error: expected expression"}},
      {"undefined",
       kernel_with("extern void f(void); f();"),
       Verdict::compile_error,
       {"undefined symbol: f"}},
      {"define",
       kernel_with(""),
       Verdict::rejected,
       {"OTHER is not among those"},
       "defines = { OTHER = \"8\" }\n"},
      {"bulky",
       kernel_with("/*" + std::string(4096, '.') + "*/"),
       Verdict::rejected,
       {"limits.source_bytes"}},
      {"manifest", kernel_with(""), Verdict::rejected, {"unknown key"}, "flags = \"-O9\"\n"},
  };
}

TEST(Judge, GivesEachMistakeItsVerdict) {
  const Folder folder;
  test::write_small_task(folder);
  test::write_submission(folder, "kernel", kernel_with("sf_cycles();"));
  const std::vector<Attempt> all = attempts();
  for (const Attempt& each : all)
    test::write_submission(folder, std::string("submissions/") + each.name, each.source,
                           each.manifest);
  auto plan = plan_score({.paths = {folder.path("tasks/small")}});
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->size(), all.size() + 1);
  const std::vector<Scored> batch = test::run_score_here(std::move(*plan), 2);
  for (const Attempt& each : all) {
    SCOPED_TRACE(each.name);
    const auto found = std::find_if(batch.begin(), batch.end(), [&](const Scored& one) {
      return one.entry.id == std::string("submissions/") + each.name;
    });
    ASSERT_NE(found, batch.end());
    const std::string text = failure_text(*found);
    EXPECT_EQ(name(found->evaluation.verdict), name(each.verdict)) << text;
    for (const char* word : each.words) EXPECT_THAT(text, HasSubstr(word));
    EXPECT_EQ(text.empty(), each.verdict == Verdict::accepted);
  }
  // The batch is in order of id; the score is the cases' cycles and their boot cost.
  const Scored& kernel = batch.front();
  ASSERT_EQ(kernel.entry.id, "kernel");
  ASSERT_EQ(kernel.evaluation.cases.size(), 2u);
  const CaseScore& one = kernel.evaluation.cases[0];
  // Two arrays of 16 words, and a block of 16 + 2 * 48 + 4 bytes.
  EXPECT_GE(kernel.evaluation.local_bytes, 128u);
  EXPECT_EQ(one.boot_cycles, (kernel.evaluation.local_bytes + 116 + 7) / 8);
  EXPECT_EQ(kernel.evaluation.cycles(),
            one.cycles + kernel.evaluation.cases[1].cycles + 2 * one.boot_cycles);
  EXPECT_EQ(one.total.cycles(), 16 * one.cycles) << "every PE's bins sum to the run's cycles";
}

TEST(Judge, ThreadsAndOrderOfNamingChangeNothing) {
  const Folder folder;
  test::write_small_task(folder);
  test::write_submission(folder, "kernel", kernel_with("sf_cycles();"));
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  std::vector<std::string> paths;
  for (const std::string& each : names)
    paths.push_back(test::write_submission(folder, "submissions/" + each,
                                           kernel_with(each == "c"   ? "y[0] = 0;"
                                                       : each == "b" ? "sf_cycles(); sf_cycles();"
                                                                     : "")));
  const auto document = [&](const std::vector<std::string>& order, u32 threads) {
    auto plan = plan_score({.paths = order});
    EXPECT_TRUE(plan) << plan.error().message;
    return score_document(make_boards(test::run_score_here(std::move(*plan), threads)), {}).dump(2);
  };
  const std::string expected = document(paths, 1);
  EXPECT_THAT(expected, HasSubstr("\"rank\": 4"));
  EXPECT_EQ(document({paths[3], paths[1], paths[0], paths[2], paths[1]}, 4), expected);
}

TEST(Judge, TwoRunsOfOneProgramMustAgreeWhateverTheSeeds) {
  const Folder folder;
  test::write_submission(folder, "kernel", kernel_with(""));
  const auto task = load_task_and_cases(test::write_small_task(folder));
  ASSERT_TRUE(task) << task.error().message;
  const Toolchain tools = test::real_toolchain();
  SimulationsHere here;
  const Evaluation built =
      evaluate(**task, load_submission(folder.path("tasks/small/kernel")), {tools, here});
  ASSERT_TRUE(built.accepted()) << built.failure;
  const auto image = std::make_shared<const Image>(parse_elf(built.elf, "k.elf").value());
  for (const u64 poison : {1, 2, 3}) {
    const Judgement other = judge((*task)->task, (*task)->cases, image, built.local_bytes,
                                  {.poison = {poison, poison + 100}});
    ASSERT_EQ(other.cases.size(), 2u);
    EXPECT_EQ(other.cases[0].cycles, built.cases[0].cycles);
  }
}

}  // namespace
}  // namespace simfarm::farm
