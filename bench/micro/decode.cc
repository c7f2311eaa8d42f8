// Words to operations, operations to cycles.
#include <benchmark/benchmark.h>

#include "bench/micro/programs.h"
#include "decoder/program_code.h"
#include "isa/decode.h"
#include "isa/encode.h"
#include "isa/row.h"
#include "pe/timing.h"

namespace simfarm::bench::micro {
namespace {

/// One instruction of every 32-bit row that has one with all fields zero.
std::vector<Operation> one_of_each() {
  std::vector<Operation> operations;
  for (u32 k = 0; k < op_count; ++k) {
    Operation operation{.op = static_cast<Op>(k)};
    if (row(operation.op).compressed()) continue;
    operation.length = 4;
    const auto word = encode(operation);
    if (!word) continue;
    const auto back = decode(*word);
    if (back && back->op == operation.op) operations.push_back(*back);
  }
  return operations;
}

void count(benchmark::State& state, size_t items) {
  state.SetItemsProcessed(static_cast<i64>(items) * static_cast<i64>(state.iterations()));
}

void decode_words(benchmark::State& state) {
  std::vector<u32> words;
  for (const Operation& operation : one_of_each()) words.push_back(*encode(operation));
  for (auto _ : state)
    for (const u32 word : words) benchmark::DoNotOptimize(decode_any(word));
  count(state, words.size());
}
BENCHMARK(decode_words)->Name("decode/word");

void decode_image(benchmark::State& state) {
  std::vector<Operation> operations;
  for (const std::vector<Operation> each = one_of_each(); operations.size() < 8192;)
    operations.insert(operations.end(), each.begin(), each.end());
  const auto image = image_of(operations);
  for (auto _ : state) benchmark::DoNotOptimize(DecodedImage(*image));
  count(state, 2 * operations.size());
}
BENCHMARK(decode_image)->Name("decode/image, a halfword");

void time_operations(benchmark::State& state) {
  const std::vector<Operation> operations = one_of_each();
  for (auto _ : state) {
    timing::PipelineState pipeline;
    for (const Operation& operation : operations) {
      benchmark::DoNotOptimize(timing::before(pipeline, operation));
      benchmark::DoNotOptimize(timing::after(pipeline, operation, {}));
    }
  }
  count(state, operations.size());
}
BENCHMARK(time_operations)->Name("timing/instruction");

}  // namespace
}  // namespace simfarm::bench::micro
