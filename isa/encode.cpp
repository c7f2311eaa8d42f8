#include "isa/encode.h"

#include <fmt/format.h>

#include "isa/decode.h"
#include "isa/encoding.h"
#include "isa/traits.h"

namespace simfarm {
namespace {

constexpr struct {
  char letter;
  Field field;
  const char* name;
} operand_fields[] = {{'d', Field::rd, "rd"},
                      {'s', Field::rs1, "rs1"},
                      {'t', Field::rs2, "rs2"},
                      {'r', Field::rs3, "rs3"}};

Error does_not_fit(const Row& one, const char* operand, i64 value) {
  return input_error(fmt::format("{}: {} cannot be {}", one.name, operand, value));
}

/// The number that a compressed row implies for a field: 0 unless it says otherwise.
u32 implied_number(const Row& one, char letter) {
  const u64 at = one.implied.find(letter);
  if (at == std::string_view::npos) return 0;
  std::string_view rest = one.implied.substr(at + 1);
  return detail::take_number(rest);
}

/// Puts a register into its field; false when the field cannot hold it.
bool put_register(FieldPlace place, u32 number, u32& word) {
  const u32 first = place.width == 3 ? 8 : 0;
  if (number < first || number - first >= 1u << place.width) return false;
  word |= (number - first) << place.shift;
  return true;
}

/// Puts an immediate where the runs say; what cannot be read back did not fit.
bool put_immediate(const Encoding& places, i32 base, i32 value, u32& word) {
  const u32 bits = static_cast<u32>(value) - static_cast<u32>(base);
  u32 back = 0;
  for (u32 k = 0; k < places.runs; ++k) {
    const BitRun run = places.immediate[k];
    const u32 part = bits >> run.value & ((1u << run.width) - 1u);
    word |= part << run.word;
    back |= part << run.value;
  }
  if (places.sign_bit >= 0) {
    const u32 sign = 1u << places.sign_bit;
    back = (back ^ sign) - sign;
  }
  return back == bits;
}

/// Field by field into the row `form`, which is the operation's own or a compressed one.
Result<u32> assemble(Op form, const Operation& operation) {
  const Row& one = row(form);
  const Encoding& places = encoding(form);
  u32 word = places.match;
  for (const auto& [letter, field, name] : operand_fields) {
    const u32 number = get(operation, field);
    const bool shared = places.b.width != 0 && (letter == 'd' || letter == 's');
    if (shared && operation.rd != operation.rs1) return does_not_fit(one, "rs1", operation.rs1);
    const FieldPlace place = shared ? places.b : places.place(letter);
    const bool fits = place.width != 0 ? put_register(place, number, word)
                                       : number == implied_number(one, letter);
    if (!fits) return does_not_fit(one, name, number);
  }
  const i32 base = immediate_format(one.immediate).base;
  if (!put_immediate(places, base, operation.imm, word))
    return does_not_fit(one, "imm", operation.imm);
  const u32 second =
      places.second_is_signed ? operation.imm2 & ((1u << places.j.width) - 1u) : operation.imm2;
  const u32 sign = places.second_is_signed ? 1u << (places.j.width - 1) : 0u;
  if (static_cast<u8>((second ^ sign) - sign) != operation.imm2 || second >> places.j.width != 0)
    return does_not_fit(one, "imm2", operation.imm2);
  word |= second << places.j.shift;
  if (!places.matches(word))
    return input_error(fmt::format("{}: these operands are another instruction", one.name));
  return word;
}

}  // namespace

Result<u32> encode(const Operation& operation) {
  check(operation.op < Op::count && !row(operation.op).compressed(),
        "encode() of a compressed row: an Operation holds what it expands to");
  if (!operands_are_legal(operation))
    return input_error(fmt::format("{}: illegal operands", row(operation.op).name));
  return assemble(operation.op, operation);
}

Result<u16> encode_compressed(Op form, const Operation& operation) {
  check(form < Op::count && row(form).compressed(), "encode_compressed() with a 32-bit row");
  if (row(form).expands_to != operation.op)
    return input_error(
        fmt::format("{} does not stand for {}", row(form).name, row(operation.op).name));
  const Result<u32> word = assemble(form, operation);
  if (!word) return word.error();
  return static_cast<u16>(*word);
}

std::optional<u16> compress(const Operation& operation) {
  for (const Row& one : rows()) {
    if (!one.compressed() || one.expands_to != operation.op) continue;
    if (one.meaning.ends_with("a hint")) continue;
    const Result<u16> word = encode_compressed(one.op, operation);
    if (word) return *word;
  }
  return std::nullopt;
}

}  // namespace simfarm
