#include <algorithm>

#include "bench/case.h"
#include "bench/models.h"

namespace simfarm::bench {
namespace {

constexpr u64 int8_macs = u64{32} * 32 * 256;
constexpr u64 int32_macs = u64{32} * 16 * 64;

const Case all_cases[] = {
    {.name = "gemm-wide",
     .about = "int8 GEMM, eight products an instruction, 4 x 4 sums, hardware loop",
     .source = "gemm_wide.c",
     .machine = "perform",
     .rounds = {1, 2, 15000},
     .macs = int8_macs,
     .answer = models::gemm_wide,
     .native = Native::gemm_i8,
     .matrices = models::wide_matrices},
    {.name = "gemm-dot4",
     .about = "int8 GEMM with cv.sdotsp.b, 4 x 2 sums, hardware loop",
     .source = "gemm_dot4.c",
     .machine = "perform",
     .rounds = {1, 1, 8000},
     .macs = int8_macs,
     .answer = models::gemm_dot4,
     .native = Native::gemm_i8,
     .matrices = models::dot4_matrices},
    {.name = "gemm-dot4-plain",
     .about = "the same, the loop as a compiler writes it",
     .source = "gemm_dot4.c",
     .define = "PLAIN",
     .machine = "perform",
     .rounds = {1, 1, 4800},
     .macs = int8_macs,
     .answer = models::gemm_dot4,
     .native = Native::gemm_i8,
     .matrices = models::dot4_matrices},
    {.name = "gemm-mul",
     .about = "int32 GEMM as a compiler writes it: two loads, mul, add, branch",
     .source = "gemm_mul.c",
     .machine = "perform",
     .rounds = {1, 1, 4500},
     .macs = int32_macs,
     .answer = models::gemm_mul,
     .native = Native::gemm_i32,
     .matrices = models::mul_matrices},
    {.name = "gemm-mac",
     .about = "int32 GEMM with cv.mac, 2 x 2 sums, hardware loop",
     .source = "gemm_mul.c",
     .define = "MAC",
     .machine = "perform",
     .rounds = {1, 2, 10800},
     .macs = int32_macs,
     .answer = models::gemm_mul,
     .native = Native::gemm_i32,
     .matrices = models::mul_matrices},
    {.name = "gather-scatter",
     .about = "indexed loads and stores in local memory",
     .source = "gather_scatter.c",
     .machine = "perform",
     .rounds = {1, 4, 2400},
     .answer = models::gather_scatter},
    {.name = "sort-quick",
     .about = "quicksort, other numbers on every PE",
     .source = "sort_quick.c",
     .machine = "perform",
     .rounds = {1, 1, 600},
     .answer = models::sort},
    {.name = "sort-heap",
     .about = "heapsort, other numbers on every PE",
     .source = "sort_heap.c",
     .machine = "perform",
     .rounds = {1, 1, 360},
     .answer = models::sort},
    {.name = "search-binary",
     .about = "binary search, other keys on every PE",
     .source = "search_binary.c",
     .machine = "perform",
     .rounds = {1, 1, 520},
     .answer = models::search_binary},
    {.name = "search-hash",
     .about = "look-ups in a hash table, other keys on every PE",
     .source = "search_hash.c",
     .machine = "perform",
     .rounds = {1, 3, 800},
     .answer = models::search_hash},
    {.name = "systolic-gemm",
     .about = "int8 GEMM through the links, 4 x 4 sums a PE",
     .source = "systolic.c",
     .define = "TILE",
     .value = "4",
     .machine = "perform",
     .rounds = {1, 8, 2000},
     .macs = u64{256} * 4 * 16,
     .answer = models::systolic_gemm},
    {.name = "systolic-words",
     .about = "int8 GEMM through the links, one sum a PE: four link operations a product",
     .source = "systolic.c",
     .define = "TILE",
     .value = "1",
     .machine = "perform",
     .rounds = {1, 32, 9000},
     .macs = u64{256} * 4,
     .answer = models::systolic_words},
    {.name = "broadcast-rows",
     .about = "multicasts from OCM to rows, two buffers in turn",
     .source = "broadcast.c",
     .define = "COPIES",
     .value = "1",
     .machine = "perform",
     .rounds = {2, 60, 12000},
     .answer = models::broadcast_rows,
     .input_bytes = 2048 * 64},
    {.name = "broadcast-wide",
     .about = "the same, and local copies with a source stride of zero",
     .source = "broadcast.c",
     .define = "COPIES",
     .value = "4",
     .machine = "perform",
     .rounds = {1, 20, 4000},
     .answer = models::broadcast_wide,
     .input_bytes = 2048 * 64},
    {.name = "copy-tiles",
     .about = "2-D copies from OCM through local memory to DRAM",
     .source = "copy_tiles.c",
     .machine = "perform",
     .rounds = {1, 4, 200},
     .answer = models::copy_tiles,
     .input_bytes = 1u << 20,
     .output_bytes = 4 * 64 * 64,
     .output = models::copied_tiles},
    {.name = "single-mix",
     .about = "lists, matrices, a scanner and checksums on one PE",
     .source = "single_mix.c",
     .machine = "single",
     .rounds = {1, 50, 18000},
     .answer = models::single_mix},
    {.name = "single-crc",
     .about = "CRC-32 by table on one PE",
     .source = "single_crc.c",
     .machine = "single",
     .rounds = {1, 40, 7500},
     .answer = models::single_crc},
    {.name = "single-sieve",
     .about = "sieve of Eratosthenes on one PE",
     .source = "single_sieve.c",
     .machine = "single",
     .rounds = {1, 12, 2500},
     .answer = models::single_sieve},
};

u32 own_pes(const Case& which) { return which.machine == "single" ? 1 : 64; }

}  // namespace

std::string_view name(Size size) {
  switch (size) {
    case Size::tiny:
      return "tiny";
    case Size::small:
      return "small";
    case Size::full:
      return "full";
  }
  return "size";
}

std::optional<Size> parse_size(std::string_view text) {
  for (const Size size : {Size::tiny, Size::small, Size::full})
    if (name(size) == text) return size;
  return std::nullopt;
}

std::span<const Case> cases() { return all_cases; }

const Case* find_case(std::string_view name) {
  for (const Case& each : all_cases)
    if (each.name == name) return &each;
  return nullptr;
}

u32 rounds_for(const Case& which, Size size, u32 pes) {
  const u64 own = which.rounds[static_cast<u32>(size)];
  if (size == Size::tiny) return static_cast<u32>(own);
  return static_cast<u32>(std::max<u64>(1, own * own_pes(which) / pes));
}

}  // namespace simfarm::bench
