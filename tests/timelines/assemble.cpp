#include "tests/timelines/assemble.h"

#include <charconv>
#include <optional>
#include <string>

#include "isa/encode.h"
#include "isa/registers.h"
#include "isa/row.h"

namespace simfarm::timelines {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  return text;
}

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

/// The longest prefix of word characters, taken off `text`.
std::string_view take_word(std::string_view& text) {
  u64 length = 0;
  while (length < text.size() && in_word(text[length])) ++length;
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

std::optional<i32> number(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  const bool hex = text.substr(0, 2) == "0x";
  if (hex) text.remove_prefix(2);
  u32 value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return static_cast<i32>(negative ? 0u - value : value);
}

/// Sets the operand that `word` of a syntax names; false when `text` is not one.
bool set_operand(std::string_view word, std::string_view text, Operation& operation) {
  const auto set_register = [&](u8& field) {
    const std::optional<u32> found = register_number(text);
    if (found) field = static_cast<u8>(*found);
    return found.has_value();
  };
  if (word == "rd") return set_register(operation.rd);
  if (word == "rs1") return set_register(operation.rs1);
  if (word == "rs2") return set_register(operation.rs2);
  if (word == "rs3") return set_register(operation.rs3);
  const std::optional<i32> value = number(text);
  if (!value) return false;
  if (word == "imm" || word == "target") operation.imm = *value;
  if (word == "upper") operation.imm = static_cast<i32>(static_cast<u32>(*value) << 12);
  return word == "imm" || word == "target" || word == "upper";
}

/// The operation that `operands` spells in a row's syntax, if they fit it.
std::optional<Operation> match(const Row& one, std::string_view operands) {
  Operation operation{.op = one.op};
  std::string_view syntax = one.syntax;
  while (!syntax.empty()) {
    const std::string_view word = take_word(syntax);
    if (!word.empty()) {
      if (!set_operand(word, take_word(operands), operation)) return std::nullopt;
      continue;
    }
    if (operands.empty() || operands.front() != syntax.front()) return std::nullopt;
    syntax.remove_prefix(1);
    operands.remove_prefix(1);
  }
  if (!operands.empty()) return std::nullopt;
  return operation;
}

Result<Instruction> assemble_one(std::string_view text) {
  std::string full(text);
  if (full == "nop") full = "addi zero, zero, 0";
  if (full.starts_with("li ")) {
    const u64 comma = full.find(',');
    if (comma == std::string::npos) return input_error("li needs two operands: " + full);
    full = "addi " + full.substr(3, comma - 3) + ", zero" + full.substr(comma);
  }
  const u64 space = std::min(full.find(' '), full.size());
  const std::string_view name = std::string_view(full).substr(0, space);
  const std::string_view operands = trim(std::string_view(full).substr(space));
  for (const Row& one : rows()) {
    if (one.compressed() || one.name != name) continue;
    const std::optional<Operation> operation = match(one, operands);
    if (!operation) continue;
    const Result<u32> word = encode(*operation);
    if (!word) return input_error(full + ": " + word.error().message);
    return Instruction{std::string(text), *word, one.timing == TimingClass::sync};
  }
  return input_error("no instruction reads: " + full);
}

}  // namespace

Result<std::vector<Instruction>> assemble(std::string_view program) {
  std::vector<Instruction> all;
  while (!program.empty()) {
    const u64 end = std::min(program.find(';'), program.size());
    std::string_view text = trim(program.substr(0, end));
    program.remove_prefix(std::min(end + 1, program.size()));
    i32 times = 1;
    if (const u64 star = text.find(" * "); star != std::string_view::npos) {
      const std::optional<i32> count = number(text.substr(star + 3));
      if (!count) return input_error("bad repetition: " + std::string(text));
      times = *count;
      text = trim(text.substr(0, star));
    }
    const Result<Instruction> one = assemble_one(text);
    if (!one) return one.error();
    for (i32 i = 0; i < times; ++i) all.push_back(*one);
  }
  return all;
}

}  // namespace simfarm::timelines
