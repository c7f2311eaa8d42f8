// Where the cycles of one PE go, for the rules of docs/timing.md that need more than a line: each
// row's stalls are worked out by hand from that page.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/equal_engines.h"
#include "tests/support/toolchain.h"

namespace simfarm {
namespace {

struct Charge {
  Stall bin;
  u64 cycles;
};

struct Case {
  const char* what;
  const char* code;
  std::vector<Charge> charges;
};

// Runs `code` behind a set-up that stalls nowhere: s0 points at local memory, t0 and t1 are 3 and
// -3, s1 is 4 bytes before the code. Four nops keep the code's end apart from the set-up of the
// ecall.
Outcome run(const char* code) {
  const std::string text = fmt::format(
      ".option norvc\n.option norelax\n.globl _start\n_start:\n"
      "lui s0, 0x10000\nli t0, 3\nli t1, -3\nauipc s1, 0\n.balign 4\n"
      "{}\n.option norvc\n.balign 4\nnop\nnop\nnop\nnop\nli a7, 93\nli a0, 0\necall\n",
      code);
  RunInput input;
  input.machine.rows = input.machine.columns = 1;
  input.program.images = {std::make_shared<const Image>(test::assemble(text))};
  RunOptions options;
  options.cycle_limit = 10'000;
  const profile::Ran ran = test::run_on_all(input, options);
  if (ran.refused) ADD_FAILURE() << ran.refused->message;
  return ran.outcome;
}

void expect_charges(const Case& one) {
  SCOPED_TRACE(one.what);
  const Outcome outcome = run(one.code);
  ASSERT_EQ(outcome.kind, Outcome::Kind::finished);
  std::vector<u64> expected(stall_count);
  u64 sum = outcome.instructions();
  for (const Charge& charge : one.charges) {
    expected[static_cast<u32>(charge.bin)] += charge.cycles;
    sum += charge.cycles;
  }
  for (u32 k = 0; k < stall_count; ++k)
    EXPECT_EQ(outcome.pes[0].total.stalls[k], expected[k]) << name(static_cast<Stall>(k));
  EXPECT_EQ(outcome.cycles, sum);
}

void expect_all(const std::vector<Case>& cases) {
  for (const Case& one : cases) expect_charges(one);
}

// cv.setupi 0, 4, 6: four times the five instructions after it.
constexpr const char* four_times_five = ".word (4<<20)|(6<<15)|(4<<12)|(6<<8)|0x2b\n";

TEST(Bins, LoadUse) {
  expect_all({
      {"a reader", "lw t2, 0(s0)\nadd t3, t2, t2", {{Stall::load_use, 1}}},
      {"a writer", "lw t2, 0(s0)\nli t2, 1", {{Stall::load_use, 1}}},
      {"x0", "lw zero, 0(s0)\nnop", {{Stall::load_use, 1}}},
      {"another load", "lw t2, 0(s0)\nlw t2, 4(s0)", {}},
      {"one between", "lw t2, 0(s0)\nli t3, 1\nadd t3, t2, t2", {}},
      // Bits 24:20 of this cv.extract.b, the upper bits of its immediate, are 1: ra.
      {"an immediate taken for a register",
       "lw ra, 0(s0)\ncv.extract.b t2, t0, 2",
       {{Stall::load_use, 1}}},
      {"bitrev's destination", "lw t2, 0(s0)\ncv.bitrev t2, t0, 1, 1", {{Stall::load_use, 1}}},
      {"a drain", "lw t2, 0(s0)\nli a7, 93\nlw t2, 0(s0)\necall", {{Stall::load_use, 1}}},
  });
}

TEST(Bins, ExecBusy) {
  expect_all({
      {"mulhu", "mulhu t2, t0, t1", {{Stall::exec_busy, 4}}},
      {"a positive divisor", "div t2, t1, t0", {{Stall::exec_busy, 3 + 30 - 1}}},
      {"a negative divisor", "div t2, t0, t1", {{Stall::exec_busy, 2 + 30 - 1}}},
      {"which divu takes for a large one", "divu t2, t0, t1", {{Stall::exec_busy, 3 - 1}}},
      {"zero", "remu t2, t0, zero", {{Stall::exec_busy, 3 + 32 - 1}}},
  });
}

TEST(Bins, Branch) {
  expect_all({
      {"not taken", "beq t0, t1, 1f\nnop\n1: nop", {}},
      {"taken", "bne t0, t1, 1f\nnop\n1: nop", {{Stall::branch, 2}}},
      {"to a halfword",
       "bne t0, t1, 1f\n.option rvc\nc.nop\n.option norvc\n1: nop\n.option rvc\nc.nop",
       {{Stall::branch, 3}}},
      {"a jump", "j 1f\nnop\n1: nop", {{Stall::branch, 1}}},
      {"a jump behind a multiplication hides its bubble",
       "mulh t2, t0, t0\nj 1f\nnop\n1: nop",
       {{Stall::exec_busy, 4}}},
      {"mret",
       "addi t2, s1, 24\ncsrw mepc, t2\nnop\nmret\nnop\nnop",
       {{Stall::csr, 3}, {Stall::branch, 4}}},
  });
}

TEST(Bins, JumpDependence) {
  expect_all({
      {"written just before",
       "addi t2, s1, 16\njr t2\nnop\nnop",
       {{Stall::jump_dep, 1}, {Stall::branch, 1}}},
      {"one between", "addi t2, s1, 16\nnop\njr t2\nnop", {{Stall::branch, 1}}},
      {"loaded just before",
       "addi t2, s1, 24\nsw t2, 0(s0)\nlw t2, 0(s0)\njr t2\nnop\nnop",
       {{Stall::load_use, 1}, {Stall::jump_dep, 1}, {Stall::branch, 1}}},
      {"loaded, one between",
       "addi t2, s1, 28\nsw t2, 0(s0)\nlw t2, 0(s0)\nnop\njr t2\nnop\nnop",
       {{Stall::jump_dep, 1}, {Stall::branch, 1}}},
      {"jalr of its own operand",
       "addi t2, s1, 20\nnop\nnop\njalr t2, 0(t2)\nnop\nnop",
       {{Stall::branch, 2}}},
  });
}

TEST(Bins, Misaligned) {
  expect_all({
      {"words", "lw t2, 1(s0)\nlw t2, 2(s0)\nsw t0, 3(s0)\nnop", {{Stall::misaligned, 3}}},
      {"halfwords", "lh t2, 1(s0)\nlh t2, 2(s0)\nsh t0, 3(s0)\nnop", {{Stall::misaligned, 1}}},
      {"a base before its increment",
       "mv t3, s0\ncv.lw t2, (t3), 1\ncv.lw t2, (t3), 3\nnop",
       {{Stall::misaligned, 1}}},
  });
}

TEST(Bins, CsrAndFence) {
  expect_all({
      {"a scratch register", "csrrw t2, mscratch, t0", {}},
      {"trap registers and counters", "csrr t2, mepc\ncsrr t3, minstret", {{Stall::csr, 6}}},
      {"fences", "fence\nfence.i", {{Stall::fence, 6}}},
      {"a fence before a halfword",
       ".option rvc\nc.nop\n.option norvc\nfence\nnop\n.option rvc\nc.nop",
       {{Stall::fence, 4}}},
  });
}

TEST(Bins, HardwareLoopThatForgetsItself) {
  const std::string loop = four_times_five;
  const std::string last = loop + "add t2, t3, t3\nnop\nnop\nnop\ncsrr t4, mcycle";
  const std::string before = loop + "add t2, t3, t3\nnop\nnop\ncsrr t4, mcycle\nlw t3, 0(s0)";
  const std::string early = loop + "csrr t4, mcycle\nadd t2, t3, t3\nnop\nnop\nnop";
  expect_all({
      {"a csr as the last", last.c_str(), {{Stall::csr, 4 * 3}}},
      // Three ways back; the reader of the load no longer waits for it.
      {"a csr before the last", before.c_str(), {{Stall::csr, 4 * 3}, {Stall::branch, 3}}},
      {"a csr far from the end", early.c_str(), {{Stall::csr, 4 * 3}}},
  });
}

}  // namespace
}  // namespace simfarm
