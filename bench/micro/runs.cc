// Short runs of each engine, whose time is mostly that of one part: starting, dispatching, cutting
// transfers into bursts, granting beats.
#include <benchmark/benchmark.h>

#include <string>

#include "base/check.h"
#include "bench/micro/programs.h"

namespace simfarm::bench::micro {
namespace {

constexpr u32 ocm = 0x4000'0000, local_data = 0x1000'1000;

Machine array(u32 rows, u32 columns) {
  Machine machine;
  machine.rows = rows;
  machine.columns = columns;
  return machine;
}

RunInput program(const Machine& machine, const std::vector<Operation>& operations) {
  RunInput input;
  input.machine = machine;
  input.program.images.push_back(image_of(operations));
  return input;
}

/// A plain copy of `count` elements of `bytes` bytes into local memory, `stride` apart in OCM.
dma::Descriptor fetch(u16 count, u8 bytes, i32 stride) {
  dma::Descriptor d;
  d.element_bytes = bytes;
  d.source = ocm;
  d.destination = local_data;
  d.sizes[0] = count;
  d.source_strides[0] = stride;
  d.destination_strides[0] = bytes;
  return d;
}

/// Registers `input` for every engine; items are what `items` takes from the outcome.
void add(const std::string& name, const RunInput& input, u64 (*items)(const Outcome&)) {
  for (const EngineKind engine : engine_kinds) {
    const std::string full = name + "/" + std::string(simfarm::name(engine));
    benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State& state) {
      u64 count = 0;
      for (auto _ : state) count += items(run_to_end(engine, input));
      state.SetItemsProcessed(static_cast<i64>(count));
    });
  }
}

u64 once(const Outcome&) { return 1; }
u64 instructions(const Outcome& outcome) { return outcome.instructions(); }
u64 cycles(const Outcome& outcome) { return outcome.cycles; }
u64 dma_bytes(const Outcome& outcome) {
  u64 bytes = 0;
  for (const DmaReport& dma : outcome.dma) bytes += dma.bytes_written;
  return bytes;
}

const bool registered = [] {
  std::vector<Operation> nothing;
  append_exit(nothing);
  add("start/1 PE", program(array(1, 1), nothing), once);
  add("start/1024 PEs", program(array(32, 32), nothing), once);

  const std::vector<Operation> loop = loop_of(std::vector<Operation>(8, {.op = Op::ADDI}), 2000);
  add("dispatch/1 PE, an instruction", program(array(1, 1), loop), instructions);
  add("dispatch/64 PEs, an instruction", program(array(8, 8), loop), instructions);

  // Few long bursts, and one burst for every element.
  add("bursts/consecutive, a byte", transfer_run(array(1, 1), fetch(8192, 1, 1), 8), dma_bytes);
  add("bursts/one an element, a byte", transfer_run(array(1, 1), fetch(1024, 4, 64), 8), dma_bytes);
  // All PEs want the same bank in every cycle, or walk over all banks.
  add("arbitration/64 PEs, one bank, a cycle", transfer_run(array(8, 8), fetch(256, 4, 512), 4),
      cycles);
  add("arbitration/64 PEs, all banks, a cycle", transfer_run(array(8, 8), fetch(4096, 1, 1), 4),
      cycles);
  return true;
}();

}  // namespace
}  // namespace simfarm::bench::micro
