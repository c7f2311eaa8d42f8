// A case of a task: its file held against the task's tensors, symbols bound to sizes, laid out in
// the machine's memory, ready to run and to be compared with.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "farm/layout.h"
#include "farm/task.h"
#include "farm/tensor_file.h"

namespace simfarm::farm {

/// What an output is held against when it need not be equal.
struct Reference {
  LogitRule rule;
  std::vector<i64> values;  ///< of each element, in units of 2^-fraction_bits
};

struct Case {
  std::string name;          ///< "small"
  std::string file;          ///< "cases/small.h5"
  std::string variant = {};  ///< of the generator; empty: a public case
  Layout layout;
  std::vector<u8> arguments;  ///< the argument block
  /// What each tensor holds before the run (empty for outputs) and must hold after it.
  std::vector<std::vector<u8>> before;
  std::vector<std::vector<u8>> after;
  u64 units = 0;  ///< of the task's deadline; 0 without one
  /// For one output, of which `after` is empty.
  std::optional<Reference> reference = {};
};

/// Holds a case file's contents against the task. Errors name case file and tensor: missing,
/// unknown or wrongly typed tensors, sizes that contradict each other, parameters without a value.
Result<Case> bind_case(const Task& task, TensorFile contents, const std::string& file);

/// All public cases of a task, in its order.
Result<std::vector<Case>> load_cases(const Task& task);

}  // namespace simfarm::farm
