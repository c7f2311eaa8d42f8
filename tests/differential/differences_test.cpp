// The comparison misses nothing: whatever is changed in an outcome is told.
#include "profile/differences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "profile/lockstep.h"
#include "tests/support/differential/check_case.h"
#include "tests/support/differential/generator.h"
#include "tests/support/differential/perturbed.h"
#include "tests/support/differential/variants.h"
#include "tests/support/run.h"
#include "tests/support/transfers.h"

namespace simfarm::test {
namespace {

using namespace profile;
using testing::HasSubstr;

/// PE 0 copies, writes to the console and ends; PE 1 waits for ever.
RunCase stuck_case() {
  Kernel works, waits;
  put_descriptors(works, local_base, {linear_copy(ocm_base, local_base + 1024, 16)});
  works.li(t0, local_base).dma(t0).li(t1, 1).wait(0, t1).region(3);
  works.li(a1, local_base).li(a2, 2).li(a7, 64).op(Op::ECALL).exit(5);
  waits.li(t1, 1).wait(9, t1);
  RunCase made;
  made.options.profile = true;
  made.input.machine = machine_of(1, 2);
  made.input.program = program_of(std::vector{works, waits}, 2);
  return made;
}

RunCase trapping_case() {
  RunCase made;
  made.input.machine = machine_of(1, 1);
  made.input.program = program_of(Kernel().nop(3).word(0));
  return made;
}

struct Change {
  const char* told;
  bool trapping;
  void (*make)(Outcome&);
};

constexpr Change changes[] = {
    {"outcome", false, [](Outcome& o) { o.kind = Outcome::Kind::finished; }},
    {"cycles", false, [](Outcome& o) { ++o.cycles; }},
    {"PEs", false, [](Outcome& o) { o.pes.pop_back(); }},
    {"PE 1: stall load_use: 0, 1", false, [](Outcome& o) { ++o.pes[1].total.stalls[0]; }},
    {"PE 0: stall done", false,
     [](Outcome& o) { ++o.pes[0].total.stalls[static_cast<u32>(Stall::done)]; }},
    {"PE 0: issued alu", false, [](Outcome& o) { ++o.pes[0].total.issued[0]; }},
    {"PE 0: region 3: issued csr", false,
     [](Outcome& o) { --o.pes[0].regions[3].issued[static_cast<u32>(IssueClass::csr)]; }},
    {"PE 1: regions: 1, 2", false, [](Outcome& o) { o.pes[1].regions[7]; }},
    {"PE 1: profile: region 0, pc 0x00400000, issued: 1, 2", false,
     [](Outcome& o) { ++o.pes[1].profile[0].cycles; }},
    {"PE 0: exit code: 5, 6", false, [](Outcome& o) { o.pes[0].exit_code = 6; }},
    {"PE 1: exit code: none, 0", false, [](Outcome& o) { o.pes[1].exit_code = 0; }},
    {"DMA engine 0: setup", false,
     [](Outcome& o) { ++o.dma[0].cycles[static_cast<u32>(DmaBin::setup)]; }},
    {"DMA engine 1: descriptors", false, [](Outcome& o) { ++o.dma[1].descriptors; }},
    {"DMA engine 0: bytes read", false, [](Outcome& o) { ++o.dma[0].bytes_read; }},
    {"DMA engine 0: bytes written", false, [](Outcome& o) { ++o.dma[0].bytes_written; }},
    {"DMA engine 0: bytes in OCM", false, [](Outcome& o) { ++o.dma[0].ocm_bytes; }},
    {"DMA engine 0: bytes in DRAM", false, [](Outcome& o) { ++o.dma[0].dram_bytes; }},
    {"a deadlock", false, [](Outcome& o) { o.deadlock.reset(); }},
    {"deadlock cycle", false, [](Outcome& o) { ++o.deadlock->cycle; }},
    {"who waits", false, [](Outcome& o) { o.deadlock->waiting.clear(); }},
    {"who waits, pc", false, [](Outcome& o) { ++o.deadlock->waiting[0].pc; }},
    {"who waits, since", false, [](Outcome& o) { ++o.deadlock->waiting[0].since; }},
    {"who waits, what", false, [](Outcome& o) { o.deadlock->waiting[0].what += "."; }},
    {"who waits, for", false, [](Outcome& o) { o.deadlock->waiting[0].waits_for.push_back(1); }},
    {"deadlock, blame", false, [](Outcome& o) { o.deadlock->blame.push_back(0); }},
    {"console writes", false, [](Outcome& o) { o.console.clear(); }},
    {"1. console write, cycle", false, [](Outcome& o) { ++o.console[0].cycle; }},
    {"1. console write, PE", false, [](Outcome& o) { ++o.console[0].pe; }},
    {"1. console write, text", false, [](Outcome& o) { o.console[0].text[0] ^= 1; }},
    {"a trap", true, [](Outcome& o) { o.trap.reset(); }},
    {"trap kind", true, [](Outcome& o) { o.trap->kind = TrapKind::race; }},
    {"trap cycle", true, [](Outcome& o) { ++o.trap->cycle; }},
    {"trap PE", true, [](Outcome& o) { ++o.trap->pe; }},
    {"trap pc", true, [](Outcome& o) { ++o.trap->pc; }},
    {"trap instruction", true, [](Outcome& o) { ++o.trap->instruction; }},
    {"trap address", true, [](Outcome& o) { ++o.trap->address; }},
    {"trap detail", true, [](Outcome& o) { o.trap->detail += "."; }},
};

TEST(Differences, WhateverIsChangedIsTold) {
  for (const Change& change : changes) {
    SCOPED_TRACE(change.told);
    const RunCase made = change.trapping ? trapping_case() : stuck_case();
    const Ran a = run(reference_side(), made), b = run(perturbed_side(change.make), made);
    ASSERT_FALSE(a.refused);
    EXPECT_TRUE(differences(made.input.machine, a, run(reference_side(), made)).empty());
    std::string all;
    for (const Difference& difference : differences(made.input.machine, a, b))
      all += difference.text + "\n";
    EXPECT_THAT(all, HasSubstr(change.told));
  }
}

TEST(Differences, OfMemories) {
  RunCase one = stuck_case();
  one.input.memory = {{ocm_base, {1, 2, 3}}, {dram_base, {4}}};
  RunCase other = one;
  other.input.memory[0].bytes[2] = 9;
  other.input.memory[1].bytes[0] = 5;
  const auto found =
      differences(one.input.machine, run(reference_side(), one), run(reference_side(), other));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].text, "local memory of PE 0, byte 0x10000402: 0x03, 0x09");
  EXPECT_EQ(found[1].text, "OCM, byte 0x40000002: 0x03, 0x09");
  EXPECT_EQ(found[2].text, "DRAM, byte 0x80000000: 0x04, 0x05");
}

TEST(Differences, OfInputsThatCannotBeRun) {
  RunCase made = stuck_case();
  made.input.memory = {{0x10, {1}}};
  const Ran refused = run(reference_side(), made);
  ASSERT_TRUE(refused.refused);
  EXPECT_TRUE(differences(made.input.machine, refused, run(reference_side(), made)).empty());
  const auto found = differences(made.input.machine, refused, run(reference_side(), stuck_case()));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].text, HasSubstr("initial bytes at 0x00000010"));
}

/// A fault that begins at a known cycle: PE 1's seventh instruction is charged to another bin.
Side late_fault() {
  return perturbed_side([](Outcome& o) {
    Counters& counters = o.pes[1].total;
    if (counters.issued[0] < 7) return;
    --counters.issued[0];
    ++counters.stalls[static_cast<u32>(Stall::branch)];
  });
}

RunCase counting_case() {
  RunCase made;
  made.input.machine = machine_of(2, 2);
  made.input.program = program_of(Kernel().nop(40).exit(0));
  return made;
}

TEST(Lockstep, FindsTheFirstCycleThatDiffers) {
  const RunCase made = counting_case();
  const Lockstep found = lockstep(reference_side(), late_fault(), made);
  ASSERT_TRUE(found.parting);
  EXPECT_EQ(found.parting->cycle, 6u);
  EXPECT_EQ(found.parting->pe, 1u);
  ASSERT_EQ(found.parting->trace.size(), 9u) << "cycles 0 to 8 of PE 1";
  EXPECT_THAT(found.parting->trace[6], HasSubstr("00400018  addi"));
  const std::string text = print(found, reference_side(), late_fault(), made);
  EXPECT_THAT(text, HasSubstr("first in cycle 6, PE 1"));
  EXPECT_THAT(text, HasSubstr("PE 1: issued alu: 7, 6"));
}

TEST(Lockstep, SaysThatTheyAreEqual) {
  const RunCase made = counting_case();
  const Lockstep found = lockstep(reference_side(), reference_side(), made);
  EXPECT_TRUE(found.differences.empty());
  EXPECT_THAT(print(found, reference_side(), reference_side(), made),
              HasSubstr("equal: reference and reference"));
}

/// The path behind --case.
std::string path_in(const std::string& failure) {
  const std::size_t begin = failure.find("--case ") + 7;
  return failure.substr(begin, failure.find('\n', begin) - begin);
}

TEST(CheckCase, LeavesASmallFileThatFails) {
  // Every division counts a cycle too many.
  const Side faulty = perturbed_side([](Outcome& o) {
    for (PeReport& pe : o.pes)
      pe.total.stalls[static_cast<u32>(Stall::exec_busy)] +=
          pe.total.issued[static_cast<u32>(IssueClass::div)];
  });
  u64 seed = 0;
  while (!differs(reference_side(), faulty, random_case(seed))) ++seed;
  const auto told = check_case(reference_side(), faulty, random_case(seed));
  ASSERT_TRUE(told);
  const auto saved = load_case(path_in(*told));
  ASSERT_TRUE(saved) << saved.error().message;
  EXPECT_TRUE(differs(reference_side(), faulty, *saved));
  EXPECT_EQ(saved->input.machine.pes(), 1u);
  u32 divisions = 0, others = 0;
  const auto& bytes = saved->input.program.images[0]->segments;
  for (const Segment& segment : bytes) {
    if (!segment.executable) continue;
    for (size_t k = 0; k + 2 <= segment.bytes.size();) {
      const u32 half = segment.bytes[k] | u32{segment.bytes[k + 1]} << 8;
      const bool nop = half == 0x0001 || half == 0x0013;
      divisions += (half & 0x7f) == 0x33;
      others += !nop;
      k += (half & 3) == 3 ? 4 : 2;
    }
  }
  EXPECT_GE(divisions, 1u);
  EXPECT_LE(others, 6u) << print_case(*saved);
}

TEST(CheckSeeds, ACrashLeavesASmallFileThatCrashes) {
  // An engine that does not survive a PE that wrote to the console.
  const Side crashes = perturbed_side([](Outcome& o) {
    if (!o.console.empty()) std::abort();
  });
  const auto checks_of = [&](u64 seed) {
    return std::vector<Check>{{reference_side(), variants()[0], random_case(seed)},
                              {reference_side(), crashes, stuck_case()}};
  };
  const auto failure = check_seeds(7, 9, checks_of);
  ASSERT_TRUE(failure);
  EXPECT_THAT(*failure, HasSubstr("seed 7: "));
  EXPECT_THAT(*failure, HasSubstr("reference or perturbed ended with signal 6 (Aborted)"));
  const Result<RunCase> small = load_case(path_in(*failure));
  ASSERT_TRUE(small) << small.error().message;
  EXPECT_EQ(small->input.machine.pes(), 1u);
  EXPECT_FALSE(run(reference_side(), *small).outcome.console.empty());
}

TEST(CheckSeeds, AnEndlessLoopIsAFailureToo) {
  const Side hangs = perturbed_side([](Outcome& o) {
    if (o.trap && o.trap->cycle == 3) ::pause();
  });
  const auto checks_of = [&](u64) {
    return std::vector<Check>{{reference_side(), hangs, trapping_case()}};
  };
  const auto failure = check_seeds(1, 2, checks_of, 1);
  ASSERT_TRUE(failure);
  EXPECT_THAT(*failure, HasSubstr("ended with signal 14 (Alarm clock)"));
}

TEST(CheckSeeds, ADifferenceIsToldAsEver) {
  const Side wrong = perturbed_side([](Outcome& o) { ++o.cycles; });
  const auto checks_of = [&](u64 seed) {
    return std::vector<Check>{
        {reference_side(), seed == 5 ? wrong : reference_side(), trapping_case()}};
  };
  EXPECT_FALSE(check_seeds(1, 5, checks_of));
  const auto failure = check_seeds(1, 9, checks_of);
  ASSERT_TRUE(failure);
  EXPECT_THAT(*failure, HasSubstr("seed 5: "));
  EXPECT_THAT(*failure, HasSubstr("cycles: "));
}

}  // namespace
}  // namespace simfarm::test
