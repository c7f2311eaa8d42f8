// A case as a run's input, and what the run must leave behind.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/case.h"
#include "engine/simulation.h"

namespace simfarm::bench {

struct Prepared {
  RunInput input;
  std::vector<u32> exit_codes;  ///< right ones, one a PE
  u32 output_address = 0;
  std::vector<u8> output;  ///< right bytes; empty: no output tensor
};

/// The PEs of a run.
std::vector<Seat> seats(const Machine& machine, u32 rounds);

Result<Prepared> prepare(const Case& which, const Machine& machine, u32 rounds,
                         std::shared_ptr<const Image> image);

/// What is wrong with a run's end or answer; empty: nothing. `output` is what the run wrote.
std::string wrong_answer(const Prepared& ready, const Outcome& outcome, std::span<const u8> output);

}  // namespace simfarm::bench
