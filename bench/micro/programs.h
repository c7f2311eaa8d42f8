// Programs made in memory, for micro benchmarks that have to know each instruction.
#pragma once
#include <memory>
#include <vector>

#include "dma/descriptor.h"
#include "engine/simulation.h"
#include "isa/operation.h"

namespace simfarm::bench::micro {

/// Instructions as an image of one segment at the start of instruction memory, with `local` bytes
/// at the start of local memory.
std::shared_ptr<const Image> image_of(const std::vector<Operation>& operations,
                                      std::vector<u8> local = {});

/// a0 = 0; ecall 93.
void append_exit(std::vector<Operation>& operations);

/// `iterations` times `body` and a branch.
std::vector<Operation> loop_of(const std::vector<Operation>& body, u32 iterations);

/// Issues the descriptor `times` times, waiting for each.
RunInput transfer_run(const Machine& machine, dma::Descriptor descriptor, u32 times);

/// A run on an engine by itself; the benchmark ends with an error when it does not finish.
Outcome run_to_end(EngineKind engine, const RunInput& input);

}  // namespace simfarm::bench::micro
