#include "farm/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace simfarm::farm {
namespace {

struct TypeRow {
  std::string_view name;
  u32 bytes;
};
constexpr std::array<TypeRow, dtype_count> types = {{{"int8", 1},
                                                     {"uint8", 1},
                                                     {"int16", 2},
                                                     {"uint16", 2},
                                                     {"int32", 4},
                                                     {"uint32", 4},
                                                     {"float32", 4},
                                                     {"int64", 8},
                                                     {"uint64", 8}}};

const TypeRow& row(DType type) { return types[static_cast<u32>(type) - 1]; }

template <class T>
std::string text_of(const u8* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return fmt::format("{}", value);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

std::string_view name(DType type) { return row(type).name; }

std::optional<DType> parse_dtype(std::string_view text) {
  for (u32 k = 0; k < dtype_count; ++k)
    if (types[k].name == text) return static_cast<DType>(k + 1);
  return std::nullopt;
}

u32 element_bytes(DType type) { return row(type).bytes; }

u64 Tensor::elements() const {
  u64 count = 1;
  for (const u32 size : shape) count *= size;
  return count;
}

bool is_identifier(std::string_view text) {
  if (text.empty() || text.size() > 63 || !is_letter(text[0])) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

std::string describe(DType type, const std::vector<u32>& shape) {
  return fmt::format("{}[{}]", name(type), fmt::join(shape, ", "));
}

std::string element_text(DType type, const u8* bytes) {
  switch (type) {
    case DType::int8:
      return fmt::format("{}", static_cast<int>(static_cast<i8>(*bytes)));
    case DType::uint8:
      return fmt::format("{}", static_cast<unsigned>(*bytes));
    case DType::int16:
      return text_of<i16>(bytes);
    case DType::uint16:
      return text_of<u16>(bytes);
    case DType::int32:
      return text_of<i32>(bytes);
    case DType::uint32:
      return text_of<u32>(bytes);
    case DType::float32:
      return text_of<float>(bytes);
    case DType::int64:
      return text_of<i64>(bytes);
    case DType::uint64:
      return text_of<u64>(bytes);
  }
  return "?";
}

}  // namespace simfarm::farm
