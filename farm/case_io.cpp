#include "farm/case_io.h"

#include <fmt/format.h>

#include <limits>
#include <map>

#include "farm/case.h"
#include "farm/task.h"
#include "farm/tensor_file.h"

namespace simfarm::farm {
namespace {

struct PlacedBytes {
  PlacedTensor tensor;
  std::vector<u8> contents;
};

Result<void> add_outputs(std::map<std::string, PlacedBytes>& entries,
                         const std::vector<Tensor>& tensors, const std::string& path) {
  for (const Tensor& tensor : tensors) {
    const auto [at, fresh] = entries.try_emplace(
        tensor.name,
        PlacedBytes{{tensor.name, TensorKind::output, tensor.dtype, tensor.shape}, {}});
    PlacedTensor& placed = at->second.tensor;
    if (placed.dtype != tensor.dtype || placed.shape != tensor.shape)
      return input_error(fmt::format("{}: tensor {} is {} in one group and {} in another", path,
                                     tensor.name, describe(placed.dtype, placed.shape),
                                     describe(tensor.dtype, tensor.shape)));
    if (!fresh && placed.kind == TensorKind::input) placed.kind = TensorKind::inout;
  }
  return {};
}

}  // namespace

Result<CaseRun> open_case(const std::string& path, const Machine& machine) {
  Result<TensorFile> file = read_tensor_file(path);
  if (!file) return file.error();
  std::map<std::string, PlacedBytes> entries;
  for (Tensor& tensor : file->inputs)
    entries[tensor.name] = {{tensor.name, TensorKind::input, tensor.dtype, tensor.shape},
                            std::move(tensor.bytes)};
  if (const auto added = add_outputs(entries, file->expected, path); !added) return added.error();
  if (const auto added = add_outputs(entries, file->outputs, path); !added) return added.error();

  std::vector<i32> params;
  for (const auto& [name, value] : file->attributes) {
    if (value < std::numeric_limits<i32>::min() || value > std::numeric_limits<i32>::max())
      return input_error(
          fmt::format("{}: attribute {} is {}, outside a 32-bit parameter", path, name, value));
    params.push_back(static_cast<i32>(value));
  }
  std::vector<PlacedTensor> tensors;
  std::vector<std::vector<u8>> contents;
  for (auto& [name, entry] : entries) {
    tensors.push_back(std::move(entry.tensor));
    contents.push_back(std::move(entry.contents));
  }
  if (tensors.size() > max_tensors)
    return input_error(
        fmt::format("{}: {} tensors, at most {} are accepted", path, tensors.size(), max_tensors));
  Result<Layout> layout = lay_out(std::move(tensors), std::move(params), machine.map);
  if (!layout) return input_error(path + ": " + layout.error().message);
  CaseRun run{std::move(*layout), {}, {}};
  run.memory = initial_memory(run.layout, contents, std::nullopt);
  run.arguments = argument_block(run.layout);
  return run;
}

Result<CaseRun> open_task_case(const std::string& path, const std::string& task_folder) {
  Result<Task> task = load_task(task_folder);
  if (!task) return task.error();
  Result<TensorFile> file = read_tensor_file(path);
  if (!file) return file.error();
  Result<Case> bound = bind_case(*task, std::move(*file), path);
  if (!bound) return bound.error();
  CaseRun run{std::move(bound->layout), {}, std::move(bound->arguments)};
  run.memory = initial_memory(run.layout, bound->before, std::nullopt);
  return run;
}

Result<void> write_outputs(const CaseRun& run, const Simulation& simulation,
                           const std::string& path) {
  TensorFile file;
  for (const PlacedTensor& placed : run.layout.tensors) {
    if (placed.kind == TensorKind::input) continue;
    Tensor tensor{placed.name, placed.dtype, placed.shape, std::vector<u8>(placed.bytes)};
    check(simulation.read(placed.address, tensor.bytes), "a placed tensor lies in DRAM or OCM");
    file.outputs.push_back(std::move(tensor));
  }
  if (file.outputs.empty())
    return input_error(path +
                       ": not written, the case has no outputs: its input file names them in "
                       "/expected or /outputs");
  return write_tensor_file(path, file);
}

}  // namespace simfarm::farm
