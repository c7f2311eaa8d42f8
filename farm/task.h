// A task package: what is asked of a kernel. Read from task.toml (docs/tasks.md tells every key)
// and validated here and nowhere else.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/machine.h"
#include "farm/layout.h"
#include "farm/score_kind.h"
#include "farm/tensor.h"

namespace simfarm::farm {

/// A dimension: a number, or a symbol that each case gives a size.
struct Dimension {
  u32 size = 0;        ///< 0: symbolic
  std::string symbol;  ///< empty: a number
};

struct TaskTensor {
  std::string name;
  TensorKind kind = TensorKind::input;
  DType dtype = DType::int8;
  std::vector<Dimension> shape;
  Place place = Place::dram;
};

/// Limits of a submission. All are simulated or counted quantities: the same on every host.
struct TaskLimits {
  Cycle cycles = 100'000'000;       ///< of one case
  u64 local_segment_bytes = 16384;  ///< of the program's .rodata, .data, .bss in each PE
  u64 console_bytes = 65536;        ///< written in one case
  u64 source_bytes = 1u << 20;      ///< all files of a submission together
};

/// What the board compares with: "compiler output, hand tuned", and its score.
struct TaskTarget {
  std::string label;
  u64 score = 0;  ///< of the task's kind
};

/// What a case counts in a weighted score.
struct CaseWeight {
  u64 weight = 1;
  Cycle reference = 1;  ///< cycles with boot that count as 1
};

/// How far an output may be from its reference, and what its integers mean: the real number of an
/// element q is (q - zero_point) * scale / 2^fraction_bits.
struct LogitRule {
  u32 tensor = 0;         ///< by place in Task::tensors; an output of an integer type
  u32 fraction_bits = 0;  ///< errors are counted in units of 2^-fraction_bits
  i64 scale = 1;          ///< of one step of q, in those units
  i64 zero_point = 0;
  u64 bound = 0;  ///< of the error of each element, in those units; above it, the output is wrong
};

/// What a task ranks by, and what its kind needs to know.
struct TaskScore {
  ScoreKind kind = ScoreKind::cycles;
  std::map<std::string, CaseWeight> cases;  ///< weighted: of every public case
  u32 energy_table = 0;                     ///< energy: version of the activity table (energy.h)
  std::optional<LogitRule> logits;          ///< logit_error
};

/// A real-time bound: so many cycles for each unit of work ("frame").
struct TaskDeadline {
  u64 cycles_per_unit = 0;
  std::string unit;
  std::string units;  ///< the parameter or symbol that says how many a case holds
};

/// What no kernel can do faster than (floor.h); a submission below it is held.
struct TaskFloor {
  std::vector<Dimension> macs;          ///< factors of the multiply-adds of a case; empty: not said
  u32 macs_per_cycle = 8;               ///< of one PE at most
  std::vector<std::string> reads;       ///< inputs that every right kernel reads whole
  std::map<std::string, Cycle> cycles;  ///< of a public case or a variant, outright
};

struct Task {
  std::string folder;
  std::string name;
  u32 version = 1;
  std::string title;
  std::string machine_name;
  Machine machine;
  TaskScore score;
  std::optional<TaskTarget> target;
  std::optional<TaskDeadline> deadline;
  TaskLimits limits;
  TaskFloor floor;
  std::vector<TaskTensor> tensors;    ///< in the argument block's order
  std::vector<std::string> params;    ///< likewise
  std::vector<std::string> cases;     ///< files inside the folder, in order of running
  std::string generator;              ///< file inside the folder; empty: none
  std::vector<std::string> held_out;  ///< variants that the generator makes for a farm alone
  std::vector<std::string> defines;   ///< macros that a submission may set
};

/// Reads `folder`/task.toml and the machine that it names. The cases are read by load_cases.
Result<Task> load_task(const std::string& folder);

/// The same from the text of a task.toml that lies in `folder`.
Result<Task> parse_task(std::string_view toml, const std::string& folder);

/// "small" for "cases/small.h5": how people name a case.
std::string case_name(const std::string& file);

/// A task's or a board's name: a-z 0-9 '-', at most 64, starting with a letter.
bool is_task_name(std::string_view text);

}  // namespace simfarm::farm
