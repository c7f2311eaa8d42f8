// A case file without a task: what `simfarm run --in a.h5 --out b.h5` gives a program.
//
// The argument block lists the tensors by name: those of /inputs and of /expected or /outputs
// together, in alphabetical order; a name in both /inputs and one of the others is input and output
// at once. All lie in DRAM. Its parameters are the root's integer attributes, in alphabetical
// order.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/simulation.h"
#include "farm/layout.h"

namespace simfarm::farm {

/// A case ready to run: put `memory` and `arguments` into a RunInput.
struct CaseRun {
  Layout layout;
  std::vector<InitialMemory> memory;
  std::vector<u8> arguments;
};

/// Reads a case for that machine. Errors: those of read_tensor_file, a shape that differs between
/// groups, no room in DRAM, an attribute outside int32.
Result<CaseRun> open_case(const std::string& path, const Machine& machine);

/// The same as the judge lays it out for the task in `task_folder`: its tensors and parameters in
/// its order, in its places, so that the run takes the cycles that the judge counts (without boot
/// cost).
Result<CaseRun> open_task_case(const std::string& path, const std::string& task_folder);

/// Writes what the run left in its output tensors: /outputs/<tensor>, readable as a case.
Result<void> write_outputs(const CaseRun& run, const Simulation& simulation,
                           const std::string& path);

}  // namespace simfarm::farm
