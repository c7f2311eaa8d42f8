// From a file's bytes to an image.
#include <benchmark/benchmark.h>

#include "base/check.h"
#include "memory/program.h"

namespace simfarm::bench::micro {
namespace {

/// A static RISC-V executable: one code segment of `bytes` bytes, no sections.
std::vector<u8> executable(u32 bytes) {
  std::vector<u8> file = {0x7f, 'E', 'L', 'F', 1, 1, 1};
  file.resize(16);
  const auto put = [&](u32 value, u32 width) {
    for (u32 k = 0; k < width; ++k) file.push_back(static_cast<u8>(value >> 8 * k));
  };
  constexpr u32 base = 0x0040'0000, headers = 52 + 32;
  put(2, 2);    // executable
  put(243, 2);  // RISC-V
  for (const u32 word : {1u, base, 52u, 0u, 0u}) put(word, 4);
  for (const u32 half : {52u, 32u, 1u, 40u, 0u, 0u}) put(half, 2);
  for (const u32 word : {1u, headers, base, base, bytes, bytes, 5u, 4u}) put(word, 4);
  file.resize(headers + bytes, 0x13);
  return file;
}

void load(benchmark::State& state) {
  const std::vector<u8> file = executable(static_cast<u32>(state.range(0)));
  for (auto _ : state) {
    auto image = parse_elf(file, "micro.elf");
    check(static_cast<bool>(image), "the micro benchmark's ELF file is refused");
    benchmark::DoNotOptimize(image);
  }
  state.SetBytesProcessed(state.range(0) * static_cast<i64>(state.iterations()));
}
BENCHMARK(load)->Name("elf/load")->Arg(1 << 10)->Arg(1 << 16);

}  // namespace
}  // namespace simfarm::bench::micro
