#include "isa/decode.h"

#include <array>

#include "isa/csr.h"
#include "isa/encoding.h"
#include "isa/traits.h"

namespace simfarm {
namespace {

/// Rows by the bits that tell most of them apart; a row stands in each bucket that it can match.
template <u32 bucket_count, u32 entry_count>
struct Buckets {
  std::array<u16, bucket_count + 1> start{};
  std::array<Op, entry_count> rows{};
};

constexpr u32 wide_buckets = 256;  // opcode[6:2], funct3
constexpr u32 wide_bucket(u32 word) { return (word >> 2 & 31u) << 3 | (word >> 12 & 7u); }

constexpr u32 narrow_buckets = 32;  // quadrant, funct3
constexpr u32 narrow_bucket(u32 word) { return (word & 3u) << 3 | (word >> 13 & 7u); }

template <u32 bucket_count>
constexpr bool may_hold(u32 bucket, Op op, u32 (*bucket_of)(u32)) {
  // Bits that the row leaves open agree with any bucket.
  const u32 fixed = bucket_of(encoding(op).mask);
  return ((bucket ^ bucket_of(encoding(op).match)) & fixed) == 0;
}

template <u32 bucket_count>
constexpr u32 count_entries(bool compressed, u32 (*bucket_of)(u32)) {
  u32 entries = 0;
  for (const Row& one : detail::row_table)
    if (one.compressed() == compressed)
      for (u32 bucket = 0; bucket < bucket_count; ++bucket)
        entries += may_hold<bucket_count>(bucket, one.op, bucket_of);
  return entries;
}

template <u32 bucket_count, u32 entry_count>
constexpr Buckets<bucket_count, entry_count> make_buckets(bool compressed, u32 (*bucket_of)(u32)) {
  Buckets<bucket_count, entry_count> buckets;
  u16 next = 0;
  for (u32 bucket = 0; bucket < bucket_count; ++bucket) {
    buckets.start[bucket] = next;
    for (const Row& one : detail::row_table)
      if (one.compressed() == compressed && may_hold<bucket_count>(bucket, one.op, bucket_of))
        buckets.rows[next++] = one.op;
  }
  buckets.start[bucket_count] = next;
  return buckets;
}

constexpr auto wide =
    make_buckets<wide_buckets, count_entries<wide_buckets>(false, wide_bucket)>(false, wide_bucket);
constexpr auto narrow =
    make_buckets<narrow_buckets, count_entries<narrow_buckets>(true, narrow_bucket)>(true,
                                                                                     narrow_bucket);

template <class Table>
std::optional<Op> find_in(const Table& table, u32 bucket, u32 word) {
  for (u32 k = table.start[bucket]; k < table.start[bucket + 1]; ++k)
    if (encoding(table.rows[k]).matches(word)) return table.rows[k];
  return std::nullopt;
}

u8 register_at(FieldPlace place, u32 word) {
  const u32 number = place.get(word);
  return static_cast<u8>(place.width == 3 ? number + 8 : number);
}

i32 immediate_of(const Encoding& encoding, i32 base, u32 word) {
  u32 value = 0;
  for (u32 k = 0; k < encoding.runs; ++k) {
    const BitRun run = encoding.immediate[k];
    value |= (word >> run.word & ((1u << run.width) - 1u)) << run.value;
  }
  if (encoding.sign_bit >= 0) {
    const u32 sign = 1u << encoding.sign_bit;
    value = (value ^ sign) - sign;
  }
  return static_cast<i32>(value) + base;
}

void set_implied(Operation& operation, std::string_view implied) {
  while (!implied.empty()) {
    if (implied[0] == ' ') {
      implied.remove_prefix(1);
      continue;
    }
    const char letter = implied[0];
    implied.remove_prefix(1);
    const u8 number = static_cast<u8>(detail::take_number(implied));
    (letter == 'd' ? operation.rd : letter == 's' ? operation.rs1 : operation.rs2) = number;
  }
}

Operation extract(Op op, u32 word) {
  const Row& one = row(op);
  const Encoding& places = encoding(op);
  Operation operation;
  operation.op = one.expands_to;
  operation.length = static_cast<u8>(places.length);
  operation.rd = register_at(places.d, word);
  operation.rs1 = register_at(places.s, word);
  operation.rs2 = register_at(places.t, word);
  operation.rs3 = register_at(places.r, word);
  if (places.b.width != 0) operation.rd = operation.rs1 = register_at(places.b, word);
  operation.imm = immediate_of(places, immediate_format(one.immediate).base, word);
  const u32 second = places.j.get(word);
  const u32 sign = places.second_is_signed ? 1u << (places.j.width - 1) : 0u;
  operation.imm2 = static_cast<u8>((second ^ sign) - sign);
  if (one.compressed()) set_implied(operation, one.implied);
  return operation;
}

bool written_registers_differ(const Operation& operation) {
  const FieldSet written = traits(operation.op).writes;
  for (u32 a = 0; a < field_count; ++a)
    for (u32 b = a + 1; b < field_count; ++b)
      if ((written >> a & 1) != 0 && (written >> b & 1) != 0 &&
          get(operation, static_cast<Field>(a)) == get(operation, static_cast<Field>(b)))
        return false;
  return true;
}

}  // namespace

bool operands_are_legal(const Operation& operation) {
  switch (row(operation.op).extension) {
    case Extension::xgp:
      return written_registers_differ(operation);
    case Extension::zicsr: {
      const u32 number = static_cast<u32>(operation.imm);
      return csr_exists(number) && !(csr_is_read_only(number) && csr_writes(operation));
    }
    default:
      return true;
  }
}

std::optional<Op> find_row(u32 word) {
  const std::optional<Op> op = find_in(wide, wide_bucket(word), word);
  if (op && !operands_are_legal(extract(*op, word))) return std::nullopt;
  return op;
}

std::optional<Op> find_compressed_row(u16 word) {
  return find_in(narrow, narrow_bucket(word), word);
}

std::optional<Operation> decode(u32 word) {
  const std::optional<Op> op = find_in(wide, wide_bucket(word), word);
  if (!op) return std::nullopt;
  const Operation operation = extract(*op, word);
  if (!operands_are_legal(operation)) return std::nullopt;
  return operation;
}

std::optional<Operation> decode_compressed(u16 word) {
  const std::optional<Op> op = find_compressed_row(word);
  if (!op) return std::nullopt;
  return extract(*op, word);
}

}  // namespace simfarm
