// The benchmark cases: a kernel, a machine, how much work, and what the answer is.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace simfarm::bench {

/// How much work: `tiny` for tests, `small` for the reference engine, `full` for a fast one.
enum class Size : u8 { tiny, small, full };
inline constexpr u32 size_count = 3;
std::string_view name(Size size);
std::optional<Size> parse_size(std::string_view text);

/// One PE of a run, as far as its program can know.
struct Seat {
  u32 rows = 1, columns = 1;
  u32 row = 0, column = 0;
  u32 rounds = 1;  ///< repetitions of the kernel's hot loops
  u32 pe() const { return row * columns + column; }
};

/// The second parameter of every kernel.
inline constexpr u32 seed = 20260721;

/// The operands of a matrix product, row by row; `b` is transposed: a row for each column.
struct Matrices {
  u32 m = 0, n = 0, k = 0;
  std::vector<i32> a;  ///< m x k
  std::vector<i32> b;  ///< n x k
};

/// Which loop of bench/native.h does the same work.
enum class Native : u8 { none, gemm_i8, gemm_i32 };

struct Case {
  std::string_view name;    ///< "gemm-wide"; what is before the first '-' is its kind
  std::string_view about;   ///< one line
  std::string_view source;  ///< in bench/kernels
  std::string_view define;  ///< a macro for the compiler, with value 1 unless `value` says else
  std::string_view value;
  std::string_view machine;              ///< shipped name
  std::array<u32, size_count> rounds{};  ///< on that machine
  u64 macs = 0;                          ///< multiply-accumulates of one PE in one round
  /// The exit code of a PE, computed on the host.
  u32 (*answer)(const Seat&, std::span<const u8> input) = nullptr;
  u32 input_bytes = 0;  ///< of the input tensor, in OCM; 0: none
  /// Each PE's piece of the output tensor, in DRAM, and what is in it afterwards.
  u32 output_bytes = 0;
  void (*output)(const Seat&, std::span<const u8> input, std::span<u8> own) = nullptr;
  Native native = Native::none;
  Matrices (*matrices)(const Seat&) = nullptr;  ///< for `native`
};

/// All cases, in the order of reports.
std::span<const Case> cases();

/// The case of that name; null when there is none.
const Case* find_case(std::string_view name);

/// Rounds on an array of `pes`: all PEs together do about what they do on the case's own machine.
u32 rounds_for(const Case& which, Size size, u32 pes);

}  // namespace simfarm::bench
