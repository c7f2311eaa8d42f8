// Tensors by name: their element types, shapes and bytes, as cases, tasks and argument blocks use
// them.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace simfarm::farm {

/// Element types; the values are those of the argument block (docs/machine.md, "Start").
enum class DType : u8 {
  int8 = 1,
  uint8 = 2,
  int16 = 3,
  uint16 = 4,
  int32 = 5,
  uint32 = 6,
  float32 = 7,
  int64 = 8,
  uint64 = 9,
};
inline constexpr u32 dtype_count = 9;

/// "int8", ..., "uint64": the names of task.toml, which are numpy's.
std::string_view name(DType type);
std::optional<DType> parse_dtype(std::string_view text);
/// Bytes of one element.
u32 element_bytes(DType type);

/// The argument block holds four dimensions.
inline constexpr u32 max_rank = 4;
/// A dimension of a tensor; more would not fit a case file.
inline constexpr u64 max_file_dimension = u64{1} << 30;
/// Tensors of a case or task; far above any real entry point.
inline constexpr u32 max_tensors = 64;
/// Parameters of a task, and integer attributes of a case.
inline constexpr u32 max_params = 64;

/// A dense row-major tensor; elements are little-endian.
struct Tensor {
  std::string name;
  DType dtype = DType::int8;
  std::vector<u32> shape;
  std::vector<u8> bytes;  ///< empty where only the shape is told

  u64 elements() const;
  u64 size_bytes() const { return elements() * element_bytes(dtype); }
};

/// A tensor, parameter or dimension name: a C identifier of at most 63 characters.
bool is_identifier(std::string_view text);

/// "int32[4, 64]".
std::string describe(DType type, const std::vector<u32>& shape);

/// One element as text: integers in decimal, float32 as the shortest decimal that reads back the
/// same.
std::string element_text(DType type, const u8* bytes);

}  // namespace simfarm::farm
