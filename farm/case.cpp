#include "farm/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>

#include "base/bytes.h"
#include "farm/files.h"
#include "farm/logits.h"

namespace simfarm::farm {
namespace {

/// Binds one case; every refusal names its file.
class Binder {
 public:
  Binder(const Task& task, TensorFile& contents, const std::string& file)
      : task_(task), contents_(contents), file_(file) {}

  Result<Case> bind() {
    Case bound;
    bound.name = case_name(file_);
    bound.file = file_;
    std::vector<PlacedTensor> tensors;
    for (size_t k = 0; k < task_.tensors.size(); ++k) {
      const TaskTensor& tensor = task_.tensors[k];
      PlacedTensor placed{tensor.name, tensor.kind, tensor.dtype, {}, tensor.place};
      std::vector<u8> before, after;
      if (tensor.kind != TensorKind::output)
        if (const auto taken = take("inputs", contents_.inputs, tensor, placed.shape, before);
            !taken)
          return taken.error();
      if (const auto& rule = task_.score.logits; rule && rule->tensor == k) {
        if (const auto taken = take_reference(*rule, tensor, placed.shape, bound); !taken)
          return taken.error();
      } else if (tensor.kind != TensorKind::input) {
        if (const auto taken = take("expected", contents_.expected, tensor, placed.shape, after);
            !taken)
          return taken.error();
      } else {
        after = before;
      }
      tensors.push_back(std::move(placed));
      bound.before.push_back(std::move(before));
      bound.after.push_back(std::move(after));
    }
    if (const auto rest = nothing_left(); !rest) return rest.error();
    std::vector<i32> params;
    for (const std::string& name : task_.params) {
      const Result<i32> value = parameter(name);
      if (!value) return value.error();
      params.push_back(*value);
    }
    if (task_.deadline) {
      const Result<i32> units = parameter(task_.deadline->units);
      if (!units) return units.error();
      if (*units < 1)
        return refuse(task_.deadline->units, fmt::format("is {}, a deadline needs 1 {} or more",
                                                         *units, task_.deadline->unit));
      bound.units = static_cast<u64>(*units);
    }
    Result<Layout> layout = lay_out(std::move(tensors), std::move(params), task_.machine.map);
    if (!layout) return input_error(file_ + ": " + layout.error().message);
    bound.layout = std::move(*layout);
    bound.arguments = argument_block(bound.layout);
    return bound;
  }

 private:
  Error refuse(std::string_view what, std::string_view why) const {
    return input_error(fmt::format("{}: {}: {}", file_, what, why));
  }

  /// Moves a tensor's bytes out of a group and binds the symbols of its shape.
  Result<void> take(std::string_view group, std::vector<Tensor>& tensors, const TaskTensor& wanted,
                    std::vector<u32>& shape, std::vector<u8>& bytes) {
    const std::string path = fmt::format("/{}/{}", group, wanted.name);
    const auto found = std::find_if(tensors.begin(), tensors.end(),
                                    [&](const Tensor& each) { return each.name == wanted.name; });
    if (found == tensors.end()) return refuse(path, "is missing");
    if (found->dtype != wanted.dtype)
      return refuse(
          path, fmt::format("is {}, the task wants {}", name(found->dtype), name(wanted.dtype)));
    if (found->shape.size() != wanted.shape.size())
      return refuse(path, fmt::format("has rank {}, the task wants {}", found->shape.size(),
                                      wanted.shape.size()));
    for (size_t k = 0; k < wanted.shape.size(); ++k) {
      const Dimension& dimension = wanted.shape[k];
      const u32 size = found->shape[k];
      if (dimension.symbol.empty() && size != dimension.size)
        return refuse(
            path, fmt::format("dimension {} is {}, the task wants {}", k, size, dimension.size));
      if (dimension.symbol.empty()) continue;
      const auto [symbol, fresh] = symbols_.try_emplace(dimension.symbol, size);
      if (!fresh && symbol->second != size)
        return refuse(path, fmt::format("dimension {} ({}) is {}, it is {} elsewhere in this case",
                                        k, dimension.symbol, size, symbol->second));
    }
    shape = found->shape;
    bytes = std::move(found->bytes);
    tensors.erase(found);
    return {};
  }

  /// The real numbers that an output should be near to, in the rule's units.
  Result<void> take_reference(const LogitRule& rule, const TaskTensor& output,
                              std::vector<u32>& shape, Case& bound) {
    TaskTensor wanted = output;
    wanted.dtype = DType::float32;
    std::vector<u8> bytes;
    if (const auto taken = take("reference", contents_.reference, wanted, shape, bytes); !taken)
      return taken.error();
    Reference reference{rule, {}};
    for (size_t at = 0; at < bytes.size(); at += 4) {
      const auto value =
          fixed_point(static_cast<u32>(load_bytes(bytes, at, 4)), rule.fraction_bits);
      if (!value)
        return refuse(
            "/reference/" + output.name,
            fmt::format("element {} is {}: not finite, or too large for {} fraction bits", at / 4,
                        element_text(DType::float32, &bytes[at]), rule.fraction_bits));
      reference.values.push_back(*value);
    }
    bound.reference = std::move(reference);
    return {};
  }

  Result<void> nothing_left() const {
    if (!contents_.inputs.empty())
      return refuse("/inputs/" + contents_.inputs[0].name, "is no input of the task");
    if (!contents_.expected.empty())
      return refuse("/expected/" + contents_.expected[0].name, "is no output of the task");
    if (!contents_.outputs.empty())
      return refuse("/outputs", "a task's case has /expected instead");
    if (!contents_.reference.empty())
      return refuse("/reference/" + contents_.reference[0].name,
                    task_.score.logits ? "is not the output that the score is about"
                                       : "the task is not scored by logit error");
    for (const auto& [name, value] : contents_.attributes)
      if (const auto symbol = symbols_.find(name);
          symbol != symbols_.end() && symbol->second != value)
        return refuse("attribute " + name,
                      fmt::format("is {}, the tensors say {}", value, symbol->second));
    return {};
  }

  Result<i32> parameter(const std::string& name) const {
    if (const auto symbol = symbols_.find(name); symbol != symbols_.end())
      return static_cast<i32>(symbol->second);
    const auto attribute = contents_.attributes.find(name);
    if (attribute == contents_.attributes.end())
      return refuse("attribute " + name, contents_.other_attributes.contains(name)
                                             ? "must be an integer scalar"
                                             : "is missing, and no dimension has this name");
    if (attribute->second < std::numeric_limits<i32>::min() ||
        attribute->second > std::numeric_limits<i32>::max())
      return refuse("attribute " + name,
                    fmt::format("is {}, outside a 32-bit parameter", attribute->second));
    return static_cast<i32>(attribute->second);
  }

  const Task& task_;
  TensorFile& contents_;
  const std::string& file_;
  std::map<std::string, u32> symbols_;
};

}  // namespace

Result<Case> bind_case(const Task& task, TensorFile contents, const std::string& file) {
  return Binder(task, contents, file).bind();
}

Result<std::vector<Case>> load_cases(const Task& task) {
  std::vector<Case> cases;
  for (const std::string& file : task.cases) {
    Result<std::string> path = resolve_inside(task.folder, file);
    if (!path)
      return input_error(task.folder + "/task.toml: cases.public: " + path.error().message);
    Result<TensorFile> contents = read_tensor_file(*path);
    if (!contents) return contents.error();
    Result<Case> bound = bind_case(task, std::move(*contents), *path);
    if (!bound) return bound.error();
    bound->file = file;
    cases.push_back(std::move(*bound));
  }
  return cases;
}

}  // namespace simfarm::farm
