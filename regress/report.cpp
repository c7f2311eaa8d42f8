#include "regress/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "farm/text.h"
#include "profile/source.h"

namespace simfarm::regress {
namespace {

using farm::markup_text;

/// The worst first; of equals, in their order.
std::vector<const Checked*> failures(const Report& report) {
  std::vector<const Checked*> failed;
  for (const Checked& checked : report.checked)
    if (checked.verdict != Checked::Verdict::equal) failed.push_back(&checked);
  const auto rank = [](const Checked* checked) {
    constexpr std::array<int, 4> ranks{3, 1, 0, 2};
    return ranks[static_cast<u32>(checked->verdict)];
  };
  std::stable_sort(failed.begin(), failed.end(),
                   [&](const Checked* a, const Checked* b) { return rank(a) < rank(b); });
  return failed;
}

/// "12,345 cycles, golden 12,340 (+0.04 %)".
std::string cycles_text(const Checked& checked) {
  if (checked.verdict == Checked::Verdict::refused) return profile::printable(checked.why);
  if (checked.cycles == checked.golden_cycles)
    return fmt::format("{} cycles, as the golden", checked.cycles);
  return fmt::format("{} cycles, golden {}{}", checked.cycles, checked.golden_cycles,
                     percent(checked.golden_cycles, checked.cycles));
}

std::string first_difference(const Checked& checked) {
  return checked.differences.empty() ? "" : checked.differences.front().text;
}

std::string escaped(std::string_view text) {
  std::string all;
  for (const char c : text) {
    if (c == '%')
      all += "%25";
    else if (c == '\n')
      all += "%0A";
    else if (c == '\r')
      all += "%0D";
    else
      all += c;
  }
  return all;
}

}  // namespace

std::string percent(Cycle before, Cycle after) {
  if (before == 0) return "";
  const double change = static_cast<double>(after) - static_cast<double>(before);
  return fmt::format(" ({:+.2f} %)", 100.0 * change / static_cast<double>(before));
}

Ending ending_of(const Report& report) {
  const auto any = [&](Checked::Verdict verdict) {
    return std::any_of(report.checked.begin(), report.checked.end(),
                       [&](const Checked& checked) { return checked.verdict == verdict; });
  };
  if (any(Checked::Verdict::nondeterministic)) return Ending::nondeterministic;
  if (any(Checked::Verdict::differs) || any(Checked::Verdict::refused)) return Ending::differs;
  return report.problems.empty() ? Ending::equal : Ending::goldens;
}

std::string print(const Report& report, size_t most) {
  std::string text;
  for (size_t k = 0; k < report.problems.size(); ++k) {
    const Problem& problem = report.problems[k];
    if (k == most) {
      text += fmt::format("... {} more\n", report.problems.size() - most);
      break;
    }
    text += fmt::format("{}: {}: {}\n", name(problem.kind), problem.where, problem.what);
  }
  const std::vector<const Checked*> failed = failures(report);
  for (size_t k = 0; k < failed.size(); ++k) {
    if (k == most) {
      text += fmt::format("... {} more\n", failed.size() - most);
      break;
    }
    const Checked& checked = *failed[k];
    text += fmt::format("{}: {} ({}): {}\n", name(checked.verdict), checked.name, checked.variant,
                        cycles_text(checked));
    for (const profile::Difference& difference : checked.differences)
      text += "  " + difference.text + "\n";
  }
  std::map<std::string_view, size_t> counts;
  std::map<std::string_view, bool> cases;
  for (const Checked& checked : report.checked) {
    ++counts[name(checked.verdict)];
    cases[checked.name] = true;
  }
  if (report.checked.empty()) return text + fmt::format("{} problems\n", report.problems.size());
  std::string sums;
  for (const std::string_view verdict : {"equal", "differs", "nondeterministic", "refused"})
    if (counts.contains(verdict)) sums += fmt::format(", {} {}", counts[verdict], verdict);
  return text + fmt::format("{} cases, {} runs{}\n", cases.size(), report.checked.size(), sums);
}

Json event(const Checked& checked) {
  Json json;
  json["schema"] = "simfarm.regress.case/1";
  json["group"] = checked.group;
  json["case"] = checked.name;
  json["variant"] = checked.variant;
  json["verdict"] = name(checked.verdict);
  json["cycles"] = checked.cycles;
  json["golden_cycles"] = checked.golden_cycles;
  if (!checked.why.empty()) json["why"] = checked.why;
  json["differences"] = Json::array();
  for (const profile::Difference& difference : checked.differences) {
    Json one;
    one["pe"] = difference.pe ? Json(*difference.pe) : Json(nullptr);
    one["text"] = difference.text;
    json["differences"].push_back(std::move(one));
  }
  return json;
}

Json document(const Report& report) {
  constexpr std::array<std::string_view, 4> endings{"equal", "differs", "goldens",
                                                    "nondeterministic"};
  Json json;
  json["schema"] = "simfarm.regress/1";
  json["result"] = endings[static_cast<u32>(ending_of(report))];
  json["problems"] = Json::array();
  for (const Problem& problem : report.problems)
    json["problems"].push_back(
        {{"kind", name(problem.kind)}, {"where", problem.where}, {"what", problem.what}});
  json["cases"] = Json::array();
  for (const Checked& checked : report.checked) {
    Json one = event(checked);
    one.erase("schema");
    json["cases"].push_back(std::move(one));
  }
  Spent spent;
  for (const Checked& checked : report.checked) spent += checked.spent;
  json["host"] = {{"seconds", report.seconds},
                  {"runs_seconds", spent.all},
                  {"simulation_seconds", spent.simulation}};
  return json;
}

std::string junit(const Report& report) {
  std::map<std::string, std::vector<const Checked*>> groups;
  for (const Checked& checked : report.checked) groups[checked.group].push_back(&checked);
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"simfarm regress\">\n";
  if (!report.problems.empty()) {
    text += fmt::format("  <testsuite name=\"goldens\" tests=\"{0}\" failures=\"{0}\">\n",
                        report.problems.size());
    for (const Problem& problem : report.problems)
      text += fmt::format(
          "    <testcase classname=\"goldens\" name=\"{}\"><failure message=\"{}: "
          "{}\"/></testcase>\n",
          markup_text(problem.where), name(problem.kind), markup_text(problem.what));
    text += "  </testsuite>\n";
  }
  for (const auto& [group, all] : groups) {
    const auto failed = std::count_if(all.begin(), all.end(), [](const Checked* checked) {
      return checked->verdict != Checked::Verdict::equal;
    });
    text += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n",
                        markup_text(group), all.size(), failed);
    for (const Checked* const checked : all) {
      text += fmt::format("    <testcase classname=\"{}\" name=\"{} ({})\"", markup_text(group),
                          markup_text(checked->name), markup_text(checked->variant));
      if (checked->verdict == Checked::Verdict::equal) {
        text += "/>\n";
        continue;
      }
      std::string lines;
      for (const profile::Difference& difference : checked->differences)
        lines += difference.text + "\n";
      text += fmt::format("><failure message=\"{}: {}\">{}</failure></testcase>\n",
                          name(checked->verdict), markup_text(cycles_text(*checked)),
                          markup_text(lines));
    }
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

std::string annotations(const Report& report) {
  constexpr size_t most = 10;
  std::vector<std::string> lines;
  for (const Problem& problem : report.problems)
    lines.push_back(fmt::format("::error title=golden {}::{}: {}", name(problem.kind),
                                escaped(problem.where), escaped(problem.what)));
  for (const Checked* const checked : failures(report))
    lines.push_back(fmt::format("::error title={} {}::{}: {}. {}", name(checked->verdict),
                                checked->name, escaped(checked->variant),
                                escaped(cycles_text(*checked)),
                                escaped(first_difference(*checked))));
  std::string text;
  for (size_t k = 0; k < std::min(most, lines.size()); ++k) text += lines[k] + "\n";
  if (lines.size() > most)
    text += fmt::format("::error title=and more::{} more\n", lines.size() - most);
  return text;
}

}  // namespace simfarm::regress
