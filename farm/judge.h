// The verdict on one program: every case, twice, against what the task says. docs/tasks.md, "How a
// submission is judged", tells the same to authors.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "engine/simulation.h"
#include "farm/case.h"
#include "farm/task.h"
#include "farm/verdict.h"
#include "memory/program.h"
#include "pe/stall.h"

namespace simfarm::farm {

struct JudgeOptions {
  EngineKind engine = default_engine;
  /// Two fillings of everything uninitialised: a result must be the same under both.
  std::array<u64, 2> poison = {0x51a7e0fc0de5eed1, 0x2b0575ca1ab1e002};
};

/// What one case cost.
struct CaseScore {
  std::string name;
  Cycle cycles = 0;       ///< of the run
  Cycle boot_cycles = 0;  ///< charged before cycle 0 (lint.h)
  u64 instructions = 0;   ///< of all PEs
  u64 units = 0;          ///< of the task's deadline
  Counters total;         ///< of all PEs
  u64 dma_bytes = 0;      ///< read and written by all engines
  u64 ocm_bytes = 0;      ///< of these, in OCM
  u64 dram_bytes = 0;     ///< and in DRAM; the rest is in local memories
  u64 macs = 0;           ///< multiply-adds that the task needs; 0 where it does not say
  u64 memory_bytes = 0;   ///< of each PE's local memory, where that is the score
  u64 outputs = 0;        ///< elements that were held against a reference
  u64 error = 0;          ///< sum of their distances from it, in the task's units
  Cycle charged() const { return cycles + boot_cycles; }
};

/// Names in a program are its author's: lines for people are cut to this.
inline constexpr u64 max_failure_bytes = 256u << 10;

struct Judgement {
  Verdict verdict = Verdict::accepted;
  std::string failed_case;       ///< by name; empty when accepted
  std::string failure;           ///< lines for people: what, where, the bytes or the report
  std::vector<CaseScore> cases;  ///< those that passed, in order
  u64 local_bytes = 0;           ///< of the program's segments in local memory
};

/// Runs `image`, which lint accepted, on the cases in order, up to the first that fails.
Judgement judge(const Task& task, const std::vector<Case>& cases,
                std::shared_ptr<const Image> image, u64 local_bytes,
                const JudgeOptions& options = {});

/// The same from an ELF file's bytes, which are hostile until read and linted: REJECTED or
/// MEMORY_LIMIT when they are not a program for this task.
Judgement judge_program(const Task& task, const std::vector<Case>& cases, std::vector<u8> elf,
                        const JudgeOptions& options = {});

}  // namespace simfarm::farm
