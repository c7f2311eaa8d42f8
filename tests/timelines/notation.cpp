#include "tests/timelines/notation.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

namespace simfarm::timelines {
namespace {

u64 read_number(std::string_view text) {
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::invalid_argument("not a number: '" + std::string(text) + "'");
  return value;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const u64 end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
  return parts;
}

}  // namespace

std::vector<Cycle> read_cycles(std::string_view text) {
  std::vector<Cycle> cycles;
  for (const std::string_view part : split(text, " ")) {
    const u64 dash = part.find('-');
    const Cycle first = read_number(part.substr(0, dash));
    const Cycle last = dash == std::string_view::npos ? first : read_number(part.substr(dash + 1));
    for (Cycle c = first; c <= last; ++c) cycles.push_back(c);
  }
  return cycles;
}

std::string write_cycles(const std::vector<Cycle>& cycles) {
  std::string text;
  for (u64 i = 0; i < cycles.size();) {
    u64 j = i;
    while (j + 1 < cycles.size() && cycles[j + 1] == cycles[j] + 1) ++j;
    text += fmt::format("{}{}", text.empty() ? "" : " ", cycles[i]);
    if (j > i) text += fmt::format("-{}", cycles[j]);
    i = j + 1;
  }
  return text;
}

std::map<std::string, u64> read_bins(std::string_view text) {
  std::map<std::string, u64> bins;
  for (const std::string_view part : split(text, ", ")) {
    const u64 space = part.find(' ');
    if (space == std::string_view::npos)
      throw std::invalid_argument("not a bin: '" + std::string(part) + "'");
    bins[std::string(part.substr(0, space))] = read_number(part.substr(space + 1));
  }
  return bins;
}

std::map<std::string, u64> bins_of(const Counters& counters) {
  std::map<std::string, u64> bins;
  for (u32 i = 0; i < stall_count; ++i)
    if (counters.stalls[i]) bins[std::string(name(static_cast<Stall>(i)))] = counters.stalls[i];
  return bins;
}

std::map<std::string, u64> bins_of(const DmaReport& report) {
  std::map<std::string, u64> bins;
  for (u32 i = 0; i < dma_bin_count; ++i)
    if (report.cycles[i]) bins[std::string(name(static_cast<DmaBin>(i)))] = report.cycles[i];
  return bins;
}

std::vector<std::pair<Cycle, Cycle>> read_spans(std::string_view text) {
  std::vector<std::pair<Cycle, Cycle>> spans;
  for (const std::string_view part : split(text, " ")) {
    const u64 dash = part.find('-');
    if (dash == std::string_view::npos)
      throw std::invalid_argument("not a span: '" + std::string(part) + "'");
    const std::string_view end = part.substr(dash + 1);
    spans.emplace_back(read_number(part.substr(0, dash)), end.empty() ? never : read_number(end));
  }
  return spans;
}

std::string write_spans(const std::vector<std::pair<Cycle, Cycle>>& spans) {
  std::string text;
  for (const auto& [start, completion] : spans) {
    text += fmt::format("{}{}-", text.empty() ? "" : " ", start);
    if (completion != never) text += fmt::format("{}", completion);
  }
  return text;
}

}  // namespace simfarm::timelines
