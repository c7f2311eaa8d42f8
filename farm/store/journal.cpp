#include "farm/store/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "farm/digest.h"

namespace simfarm::farm {
namespace {

using Json = nlohmann::ordered_json;

// A part of a blob is the longest thing in a line.
constexpr size_t max_line = 8u << 20;
constexpr size_t shown_digits = 16;
constexpr std::string_view chain_key = ",\"chain\":\"";
constexpr size_t tail = chain_key.size() + shown_digits + 2;  // up to the last brace
constexpr int max_depth = 4;

constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string next_state(const std::string& state, const std::string& body) {
  const std::string text = state + body;
  return sha256(std::span(reinterpret_cast<const u8*>(text.data()), text.size()));
}

bool is_hexadecimal(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

const std::vector<JournalTable>& journal_tables() {
  static const std::vector<JournalTable> tables = {
      {"tasks",
       "id",
       {{"id", Holds::number},
        {"name", Holds::text},
        {"digest", Holds::digest},
        {"folder", Holds::text},
        {"added", Holds::number}}},
      {"submissions",
       "id",
       {{"id", Holds::number},
        {"name", Holds::text},
        {"task", Holds::maybe_number},
        {"author", Holds::text},
        {"parent", Holds::text},
        {"note", Holds::text},
        {"archive", Holds::digest},
        {"sources", Holds::empty_digest},
        {"options", Holds::empty_digest},
        {"received", Holds::number},
        {"state", Holds::text},
        {"faults", Holds::number}}},
      {"jobs",
       "submission",
       {{"submission", Holds::number},
        {"token", Holds::maybe_number},
        {"evaluation", Holds::maybe_digest},
        {"lease_end", Holds::maybe_number},
        {"attempt", Holds::number}}},
      {"evaluations",
       "rowid",
       {{"key", Holds::digest},
        {"verdict", Holds::text},
        {"failed_case", Holds::text},
        {"failure", Holds::text},
        {"local_bytes", Holds::number},
        {"sources", Holds::empty_digest},
        {"elf", Holds::empty_digest},
        {"toolchain", Holds::text},
        {"simulator", Holds::text},
        {"record", Holds::digest},
        {"finished", Holds::number},
        {"timing", Holds::number},
        {"secret", Holds::text},
        {"held_out_cases", Holds::maybe_number},
        {"held_out_cycles", Holds::maybe_number}}},
      {"case_results",
       "rowid",
       {{"evaluation", Holds::digest},
        {"place", Holds::number},
        {"name", Holds::text},
        {"cycles", Holds::number},
        {"boot_cycles", Holds::number},
        {"instructions", Holds::number},
        {"units", Holds::number},
        {"dma_bytes", Holds::number},
        {"counters", Holds::text}}},
      {"events",
       "id",
       {{"id", Holds::number},
        {"time", Holds::number},
        {"submission", Holds::number},
        {"state", Holds::text},
        {"attempt", Holds::number},
        {"evaluation", Holds::maybe_digest},
        {"detail", Holds::text},
        {"act", Holds::text}}},
      {"rejudges",
       "id",
       {{"id", Holds::number},
        {"task", Holds::number},
        {"selection", Holds::text},
        {"reason", Holds::text}}},
      {"rejudge_members",
       "rejudge, submission",
       {{"rejudge", Holds::number},
        {"submission", Holds::number},
        {"before", Holds::digest},
        {"result", Holds::maybe_digest},
        {"evaluation", Holds::maybe_digest},
        {"lease_end", Holds::maybe_number},
        {"attempt", Holds::number},
        {"faults", Holds::number}}},
      {"rejudge_log",
       "id",
       {{"id", Holds::number},
        {"time", Holds::number},
        {"rejudge", Holds::number},
        {"state", Holds::text},
        {"detail", Holds::text}}},
      {"quotas", "name", {{"name", Holds::text}, {"value", Holds::number}}},
      {"secrets", "rowid", {{"id", Holds::text}, {"made", Holds::number}}},
      {"promotions",
       "id",
       {{"id", Holds::number},
        {"time", Holds::number},
        {"task", Holds::number},
        {"submission", Holds::number},
        {"evaluation", Holds::digest},
        {"leader", Holds::maybe_number},
        {"leader_evaluation", Holds::maybe_digest},
        {"promoted", Holds::number},
        {"verdict", Holds::text},
        {"leaders_verdict", Holds::text},
        {"detail", Holds::text},
        {"description", Holds::empty_digest}}},
      {"dropped",
       "digest",
       {{"digest", Holds::digest}, {"time", Holds::number}, {"why", Holds::text}}},
  };
  return tables;
}

bool is_sha256(std::string_view text) { return text.size() == 64 && is_hexadecimal(text); }

std::string base64(std::span<const u8> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t have = std::min<size_t>(3, bytes.size() - at);
    u32 three = 0;
    for (size_t k = 0; k < 3; ++k) three = three << 8 | (k < have ? bytes[at + k] : 0u);
    for (size_t k = 0; k < 4; ++k)
      text += k <= have ? base64_digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::optional<std::vector<u8>> parse_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  std::vector<u8> bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (size_t at = 0; at < text.size(); at += 4) {
    u32 three = 0;
    const bool last = at + 4 == text.size();
    for (size_t k = 0; k < 4; ++k) {
      const bool padded = last && k >= 4 - padding;
      const size_t digit = padded ? 0 : base64_digits.find(text[at + k]);
      if (digit == std::string_view::npos) return std::nullopt;
      three = three << 6 | static_cast<u32>(digit);
    }
    for (size_t k = 0; k < 3 - (last ? padding : 0); ++k)
      bytes.push_back(static_cast<u8>(three >> (16 - 8 * k)));
  }
  // Bits beyond the last byte would make two texts of the same bytes.
  if (base64(bytes) != text) return std::nullopt;
  return bytes;
}

std::string JournalWriter::line(const Json& body) {
  Json numbered = {{"line", ++lines_}};
  numbered.update(body);
  std::string text = numbered.dump();
  state_ = next_state(state_, text);
  text.pop_back();
  return text + std::string(chain_key) + state_.substr(0, shown_digits) + "\"}\n";
}

std::string JournalWriter::end(const Json& counts) {
  return line({{"end", counts}, {"digest", state_}});
}

JournalReader::JournalReader(const std::string& path)
    : path_(path), file_(path, std::ios::binary) {}

Error JournalReader::error(const std::string& what) const {
  return input_error(fmt::format("{}:{}: {}", path_, std::max<u64>(lines_, 1), what));
}

Result<std::optional<std::string>> JournalReader::read_line() {
  ++lines_;
  if (!file_.is_open()) return io_error(path_ + ": cannot open");
  for (;;) {
    if (const size_t end = buffer_.find('\n'); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return std::optional(std::move(line));
    }
    if (buffer_.size() > max_line) return error("longer than any line of a farm");
    constexpr size_t chunk = 256u << 10;
    const size_t had = buffer_.size();
    buffer_.resize(had + chunk);
    file_.read(buffer_.data() + had, static_cast<std::streamsize>(chunk));
    buffer_.resize(had + static_cast<size_t>(file_.gcount()));
    if (file_.bad()) return io_error(path_ + ": cannot read");
    if (buffer_.size() != had) continue;
    if (!buffer_.empty()) return error("the line is cut off");
    return std::optional<std::string>();
  }
}

Result<Json> JournalReader::parse_line(const std::string& line) {
  if (line.size() <= tail || !std::string_view(line).ends_with("\"}") ||
      std::string_view(line).substr(line.size() - tail, chain_key.size()) != chain_key)
    return error("no line of a farm: it does not end with its check");
  const std::string body = line.substr(0, line.size() - tail) + "}";
  Json json = Json::parse(
      body, [](int depth, Json::parse_event_t, Json&) { return depth <= max_depth; }, false);
  if (!json.is_object()) return error("no JSON object");
  const auto number = json.find("line");
  if (number != json.end() && number->is_number_unsigned() && *number != lines_)
    return error(fmt::format("this is line {}: lines are missing, repeated or in another order",
                             number->get<u64>()));
  const std::string before = state_;
  state_ = next_state(state_, body);
  if (line.substr(line.size() - shown_digits - 2, shown_digits) != state_.substr(0, shown_digits))
    return error("the check is not that of this line and those before it: damaged");
  if (number == json.end() || !number->is_number_unsigned()) return error("has no number");
  // Keys twice, other spaces, numbers written in another way: one line has one form.
  if (json.dump(-1, ' ', false, Json::error_handler_t::replace) != body)
    return error("is not written as a farm's lines are");
  if (json.contains("end")) {
    if (!json.contains("digest") || json["digest"] != before)
      return error("digest: not that of the lines before");
    counts_ = json["end"];
  }
  json.erase("line");
  return json;
}

Result<std::optional<Json>> JournalReader::next() {
  const Result<std::optional<std::string>> line = read_line();
  if (!line) return line.error();
  if (!*line) return error("the closing line is missing: the file was cut off");
  Result<Json> json = parse_line(**line);
  if (!json) return json.error();
  if (!json->contains("end")) return std::optional(std::move(*json));
  const Result<std::optional<std::string>> more = read_line();
  if (!more) return more.error();
  if (*more) return error("something follows the closing line");
  --lines_;
  return std::optional<Json>();
}

}  // namespace simfarm::farm
