// What a simulation in a child process is given, and the record that comes back. Requests come from
// our own process (or from a crash that it saved); records are a stranger's program's word until
// they are read here.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "farm/case.h"
#include "farm/judge.h"
#include "farm/task.h"

namespace simfarm::farm {

/// Everything that a simulation depends on. Of the task only what judge() uses: name, machine,
/// limits.
struct SimulationRequest {
  Task task;
  std::vector<Case> cases;
  std::vector<u8> elf;
  JudgeOptions options;
};

std::vector<u8> pack_request(const Task& task, const std::vector<Case>& cases,
                             std::span<const u8> elf, const JudgeOptions& options);
/// Error: not what pack_request writes, or damaged.
Result<SimulationRequest> unpack_request(std::span<const u8> bytes);

/// The largest record of so many cases.
u64 max_record_bytes(size_t cases);

/// `judgement` is of cases in order, the first ones of those that were asked for.
std::vector<u8> pack_record(const Judgement& judgement);

/// Reads a record about these cases of that task. Error: it is damaged, or says what no judge says:
/// a verdict that is not the program's, cases that do not fit it, more cycles than the task allows,
/// counters that do not sum up. Names and boot cycles are made here; text that could move a cursor
/// is written as \xNN.
Result<Judgement> parse_record(std::span<const u8> bytes, const Task& task,
                               const std::vector<Case>& cases);

}  // namespace simfarm::farm
