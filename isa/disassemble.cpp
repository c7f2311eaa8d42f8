#include "isa/disassemble.h"

#include <fmt/format.h>

#include "base/check.h"
#include "isa/csr.h"
#include "isa/decode.h"
#include "isa/registers.h"
#include "isa/row.h"

namespace simfarm {
namespace {

std::string signed_hex(i32 value) {
  const u32 magnitude = value < 0 ? 0u - static_cast<u32>(value) : static_cast<u32>(value);
  return fmt::format("{}0x{:x}", value < 0 ? "-" : "", magnitude);
}

/// The accesses that one half of a fence orders: "iorw", "0" for none.
std::string fence_set(u32 bits) {
  std::string text;
  for (u32 k = 0; k < 4; ++k)
    if ((bits >> (3 - k) & 1) != 0) text += "iorw"[k];
  return text.empty() ? "0" : text;
}

constexpr u32 fence_tso = 0x833;

/// One word of a row's syntax column.
std::string operand_text(std::string_view word, const Operation& operation, std::optional<u32> pc) {
  if (word == "rd") return std::string(register_name(operation.rd));
  if (word == "rs1") return std::string(register_name(operation.rs1));
  if (word == "rs2") return std::string(register_name(operation.rs2));
  if (word == "rs3") return std::string(register_name(operation.rs3));
  if (word == "loop") return fmt::format("{}", operation.rd);
  if (word == "imm") return signed_hex(operation.imm);
  if (word == "imm2") return signed_hex(operation.imm2);
  if (word == "simm2") return signed_hex(static_cast<i8>(operation.imm2));
  if (word == "csr") return csr_text(static_cast<u32>(operation.imm));
  if (word == "upper") return fmt::format("0x{:x}", static_cast<u32>(operation.imm) >> 12);
  if (word == "target")
    return pc ? fmt::format("0x{:x}", *pc + static_cast<u32>(operation.imm))
              : signed_hex(operation.imm);
  if (word == "pred") return fence_set(static_cast<u32>(operation.imm) >> 4);
  if (word == "succ") return fence_set(static_cast<u32>(operation.imm));
  check(false, "a row's syntax has an unknown word");
  return {};
}

bool is_word_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

std::string write(const Row& one, const Operation& operation, std::optional<u32> pc) {
  // The one mnemonic that depends on an operand.
  if (one.op == Op::FENCE && static_cast<u32>(operation.imm) == fence_tso) return "fence.tso";
  std::string text(one.name);
  if (!one.syntax.empty()) text += ' ';
  std::string_view rest = one.syntax;
  while (!rest.empty()) {
    u64 length = 0;
    while (length < rest.size() && is_word_character(rest[length])) ++length;
    if (length == 0) {
      text += rest[0];
      rest.remove_prefix(1);
      continue;
    }
    text += operand_text(rest.substr(0, length), operation, pc);
    rest.remove_prefix(length);
  }
  return text;
}

}  // namespace

std::string disassemble(const Operation& operation, std::optional<u32> pc) {
  return write(row(operation.op), operation, pc);
}

std::string disassemble_word(u32 word, std::optional<u32> pc) {
  const std::optional<Operation> operation = decode_any(word);
  if (!operation) return "<unknown>";
  if (!is_compressed(word)) return write(row(operation->op), *operation, pc);
  return write(row(*find_compressed_row(static_cast<u16>(word))), *operation, pc);
}

}  // namespace simfarm
