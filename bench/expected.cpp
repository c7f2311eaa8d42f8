#include "bench/expected.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"

namespace simfarm::bench {
namespace {

constexpr std::string_view schema = "simfarm.bench.expected/1";

Digest parse_digest(const std::string& text) {
  Digest digest;
  if (text.size() != 32) return digest;
  std::from_chars(text.data(), text.data() + 16, digest.high, 16);
  std::from_chars(text.data() + 16, text.data() + 32, digest.low, 16);
  return digest;
}

std::pair<std::string, std::string> key(const Row& row) {
  return {std::string(row.plan.which->name), std::string(name(row.plan.size))};
}

bool on_own_machine(const Row& row) { return row.plan.machine.name == row.plan.which->machine; }

}  // namespace

Result<Expectations> Expectations::load(const std::string& path) {
  Expectations expectations;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return expectations;
  Result<std::vector<u8>> bytes = read_file(path, 1u << 20);
  if (!bytes) return bytes.error();
  const nlohmann::json json = nlohmann::json::parse(bytes->begin(), bytes->end(), nullptr, false);
  if (!json.is_object() || json.value("schema", "") != schema || !json.contains("cases"))
    return input_error(fmt::format("{}: no {} document", path, schema));
  for (const auto& [case_name, sizes] : json["cases"].items())
    for (const auto& [size, one] : sizes.items()) {
      if (!one.is_object())
        return input_error(fmt::format("{}: {}.{} is no object", path, case_name, size));
      expectations.entries_[{case_name, size}] = {
          parse_digest(one.value("program", "")),
          {one.value("cycles", Cycle{0}), one.value("instructions", u64{0}),
           parse_digest(one.value("digest", ""))}};
    }
  return expectations;
}

Result<void> Expectations::save(const std::string& path) const {
  nlohmann::json cases = nlohmann::json::object();
  for (const auto& [where, entry] : entries_)
    cases[where.first][where.second] = {{"program", to_string(entry.program)},
                                        {"cycles", entry.answer.cycles},
                                        {"instructions", entry.answer.instructions},
                                        {"digest", to_string(entry.answer.digest)}};
  const std::string text = nlohmann::json{{"schema", schema}, {"cases", cases}}.dump(1) + "\n";
  return write_text(path, text);
}

void Expectations::check(Row& row) const {
  const auto found = entries_.find(key(row));
  if (found == entries_.end() || !on_own_machine(row)) return;
  if (found->second.program != row.program) return;
  row.recorded = true;
  const Answer& right = found->second.answer;
  if (row.answer == right || !row.failure.empty()) return;
  row.failure =
      fmt::format("{} cycles, {} instructions, digest {}; recorded are {}, {}, {}",
                  row.answer.cycles, row.answer.instructions, to_string(row.answer.digest),
                  right.cycles, right.instructions, to_string(right.digest));
}

void Expectations::record(const Row& row) {
  if (on_own_machine(row) && row.failure.empty()) entries_[key(row)] = {row.program, row.answer};
}

}  // namespace simfarm::bench
