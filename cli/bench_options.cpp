#include "cli/bench_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/farm_options.h"

namespace simfarm::cli {

void add_bench_flags(CLI::App& command, BenchFlags& flags) {
  command.add_option("case", flags.cases, "Cases by name, or by beginning: 'gemm-*' (all)");
  command.add_option("--size", flags.size, "How much work: tiny, small or full")
      ->check(CLI::IsMember({"tiny", "small", "full"}));
}

Result<std::vector<const bench::Case*>> select_cases(const std::vector<std::string>& names) {
  std::vector<const bench::Case*> selected;
  std::vector<bool> used(names.size());
  for (const bench::Case& each : bench::cases()) {
    bool wanted = names.empty();
    for (size_t k = 0; k < names.size(); ++k) {
      const std::string_view name = names[k];
      const bool fits = name.ends_with('*') ? each.name.starts_with(name.substr(0, name.size() - 1))
                                            : each.name == name;
      if (fits) used[k] = wanted = true;
    }
    if (wanted) selected.push_back(&each);
  }
  const auto unused = std::find(used.begin(), used.end(), false);
  if (unused != used.end())
    return usage_error(fmt::format("{}: no such case (simfarm bench --list)",
                                   names[static_cast<size_t>(unused - used.begin())]));
  return selected;
}

Result<std::vector<u8>> compile_case(const bench::Case& which) {
  Result<std::string> home = home_folder();
  if (!home) return home.error();
  Result<farm::Toolchain> tools = toolchain();
  if (!tools) return tools.error();
  return bench::compile_kernel(which, *home + "/bench/kernels", *tools);
}

}  // namespace simfarm::cli
