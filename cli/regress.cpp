// simfarm regress: may this change of the simulator land?
#include "cli/regress.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "profile/source.h"
#include "regress/report.h"

namespace simfarm::cli {
namespace {

struct ListFlags : GoldenFlags {
  bool json = false;
};

int list(const ListFlags& flags) {
  const Result<regress::Goldens> goldens = regress::open_goldens(flags.folder);
  if (!goldens) return report(goldens.error());
  if (goldens->problems.empty())
    if (const auto name = unmatched(flags, *goldens)) return no_case(*name);
  regress::Json document;
  document["schema"] = "simfarm.regress.list/1";
  document["cases"] = regress::Json::array();
  std::string text;
  size_t width = 0;
  for (const regress::Group& group : goldens->groups)
    for (const regress::Entry& entry : group.entries)
      if (chosen(flags, entry.one.name)) width = std::max(width, entry.one.name.size());
  for (const regress::Group& group : goldens->groups)
    for (const regress::Entry& entry : group.entries) {
      if (!chosen(flags, entry.one.name)) continue;
      const regress::IndexLine line = regress::index_line(entry);
      text += fmt::format("{:<{}}  {:>5} PEs {:>12} cycles {:>14} instructions  {}\n", line.name,
                          width, line.pes, line.cycles, line.instructions, line.end);
      document["cases"].push_back({{"group", group.name},
                                   {"case", line.name},
                                   {"pes", line.pes},
                                   {"end", line.end},
                                   {"cycles", line.cycles},
                                   {"instructions", line.instructions},
                                   {"timing", line.timing},
                                   {"golden", line.golden}});
    }
  const std::string problems =
      goldens->problems.empty() ? "" : regress::print({goldens->problems, {}, 0});
  std::fputs(problems.c_str(), stderr);
  if (text.empty() && problems.empty()) {
    std::fprintf(stderr, "simfarm: no case is called so\n");
    return exit_nothing;
  }
  if (const int code = print(flags.json ? document.dump(2) + "\n" : text); code != exit_done)
    return code;
  return goldens->problems.empty() ? exit_done : exit_golden;
}

}  // namespace

void add_golden_flags(CLI::App& command, GoldenFlags& flags, bool with_patterns) {
  command.add_option("--goldens", flags.folder, "Folder of goldens")->capture_default_str();
  if (with_patterns)
    command.add_option("case", flags.patterns, "Cases by name; '*' and '?' as in a shell (all)");
}

std::optional<std::string> unmatched(const GoldenFlags& flags, const regress::Goldens& goldens) {
  for (const std::string& pattern : flags.patterns) {
    const auto matches = [&](const regress::Entry& entry) {
      return regress::matches(pattern, entry.one.name);
    };
    if (std::ranges::none_of(goldens.groups, [&](const regress::Group& group) {
          return std::ranges::any_of(group.entries, matches) ||
                 std::ranges::any_of(group.pending, matches);
        }))
      return pattern;
  }
  return std::nullopt;
}

int no_case(const std::string& pattern) {
  std::fprintf(stderr, "simfarm: %s: no such case (simfarm regress list)\n",
               profile::printable(pattern).c_str());
  return exit_nothing;
}

bool chosen(const GoldenFlags& flags, std::string_view name) {
  return flags.patterns.empty() ||
         std::any_of(flags.patterns.begin(), flags.patterns.end(),
                     [&](const std::string& pattern) { return regress::matches(pattern, name); });
}

void add_regress(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "regress",
      "Goldens: prove that nothing that a run reports has changed, or show where it did");
  command->require_subcommand(1);
  add_regress_check(*command, exit_code);
  add_regress_explain(*command, exit_code);
  add_regress_record(*command, exit_code);
  add_regress_bless(*command, exit_code);
  add_regress_compare(*command, exit_code);
  CLI::App* all = command->add_subcommand("list", "The cases that have goldens");
  auto flags = std::make_shared<ListFlags>();
  add_golden_flags(*all, *flags);
  all->add_flag("--json", flags->json, "Print one JSON document (docs/json.md)");
  all->footer(
      "Exit codes: 0 done; 2 usage; 3 a golden is missing, damaged or in no line of the "
      "index, or new results wait; 4 no such case; 78 no folder of goldens.");
  all->callback([flags, &exit_code] { exit_code = list(*flags); });
}

}  // namespace simfarm::cli
