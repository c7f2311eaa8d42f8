// A task of its own for end-to-end tests: y = x * factor on sixteen words, and submissions to it.
#pragma once
#include <string>

#include "farm/evaluate.h"
#include "farm/score.h"
#include "farm/tensor_file.h"
#include "farm/toolchain.h"
#include "tests/farm/support.h"

namespace simfarm::farm::test {

inline constexpr const char* small_task_toml = R"(name = "small"
machine = "nano"
defines = ["EXTRA"]
[limits]
cycles = 20000
local_segment_bytes = 512
console_bytes = 100
source_bytes = 4096
[[tensors]]
name = "x"
kind = "input"
dtype = "int32"
shape = ["n"]
[[tensors]]
name = "y"
kind = "output"
dtype = "int32"
shape = ["n"]
[[params]]
name = "factor"
[cases]
public = ["cases/one.h5", "cases/two.h5"]
)";

/// PE 0 does it all; `%` is replaced by a test's own lines after the product.
inline constexpr const char* small_kernel = R"(#include <simfarm.h>
static int32_t x[16], y[16];
SF_MAIN(arguments) {
  if (sf_pe() != 0) return 0;
  const sf_tensor* in = sf_tensor_at(arguments, 0);
  const sf_tensor* out = sf_tensor_at(arguments, 1);
  const uint32_t n = in->shape[0];
  sf_copy(sf_address(x), in->address, 4 * n);
  for (uint32_t i = 0; i < n; ++i) y[i] = x[i] * sf_param(arguments, 0);
  %
  sf_copy(out->address, sf_address(y), 4 * n);
  return 0;
}
)";

inline TensorFile small_case(u32 n, i32 factor) {
  TensorFile file;
  Tensor x{"x", DType::int32, {n}, {}}, y{"y", DType::int32, {n}, {}};
  for (u32 k = 0; k < n; ++k)
    for (u32 b = 0; b < 4; ++b) {
      const u32 value = 1000 + 37 * k;
      x.bytes.push_back(static_cast<u8>(value >> (8 * b)));
      y.bytes.push_back(static_cast<u8>((value * static_cast<u32>(factor)) >> (8 * b)));
    }
  file.inputs = {x};
  file.expected = {y};
  file.attributes = {{"factor", factor}};
  return file;
}

/// Writes tasks/small with its starting kernel into `folder`; returns the task's folder.
inline std::string write_small_task(const Folder& folder) {
  folder.write("tasks/small/task.toml", small_task_toml);
  folder.write("tasks/small/cases/.keep", "");
  EXPECT_TRUE(write_tensor_file(folder.path("tasks/small/cases/one.h5"), small_case(5, -3)));
  EXPECT_TRUE(write_tensor_file(folder.path("tasks/small/cases/two.h5"), small_case(16, 7)));
  return folder.path("tasks/small");
}

/// Makes cases of the small task: variant "few" or "all", everything else from the seed.
inline constexpr const char* small_generator = R"(import argparse
import h5py, numpy as np
parser = argparse.ArgumentParser()
parser.add_argument("--variant", choices=["few", "all"])
parser.add_argument("--seed", type=int)
parser.add_argument("--output")
given = parser.parse_args()
random = np.random.Generator(np.random.PCG64(given.seed))
x = random.integers(-1000, 1000, 7 if given.variant == "few" else 16, dtype=np.int32)
factor = int(random.integers(2, 100))
with h5py.File(given.output, "w") as file:
    file["inputs/x"] = x
    file["expected/y"] = x * np.int32(factor)
    file.attrs["factor"] = factor
)";

/// Gives the small task held-out cases.
inline void add_held_out(const Folder& folder, const std::string& variants,
                         const std::string& generator = small_generator) {
  folder.write("tasks/small/generate.py", generator);
  folder.write("tasks/small/task.toml", std::string(small_task_toml) +
                                            "generator = \"generate.py\"\nheld_out = [" + variants +
                                            "]\n");
}

/// Knows what the public cases hold, and looks at nothing.
inline constexpr const char* embedded_answers =
    "for (uint32_t i = 0; i < n; ++i) y[i] = (1000 + 37 * (int32_t)i) * (n == 5 ? -3 : 7);";

/// The starting kernel with `lines` in it.
inline std::string kernel_with(const std::string& lines) {
  std::string text = small_kernel;
  return text.replace(text.find('%'), 1, lines);
}

/// Writes a submission below the task; returns its folder.
inline std::string write_submission(const Folder& folder, const std::string& where,
                                    const std::string& source, const std::string& more = "") {
  const std::string place = "tasks/small/" + where;
  folder.write(place + "/src/kernel.c", source);
  folder.write(place + "/submission.toml",
               "task = \"small\"\nauthor = \"test\"\nsources = [\"src/kernel.c\"]\n" + more);
  return folder.path(place);
}

/// The project's own toolchain.
inline Toolchain real_toolchain() {
  const auto found = find_toolchain({SIMFARM_SOURCE_DIR, "/usr/local/bin:/usr/bin:/bin", "", ""});
  EXPECT_TRUE(found) << found.error().message;
  return *found;
}

/// Judges a submission with it, in this process.
inline Evaluation evaluate_here(const LoadedTask& task, const Result<Submission>& submission,
                                const Secret* secret = nullptr) {
  const Toolchain tools = real_toolchain();
  SimulationsHere here;
  return evaluate(task, submission, {tools, here, secret});
}

/// Judges a batch with it, in this process.
inline std::vector<Scored> run_score_here(std::vector<Entry> plan, u32 threads) {
  const Toolchain tools = real_toolchain();
  SimulationsHere here;
  return run_score(std::move(plan), {tools, here}, threads, {});
}

}  // namespace simfarm::farm::test
