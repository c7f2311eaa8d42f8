// What all workers of a run work on.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "decoder/program_code.h"
#include "engine/fast/first_trap.h"
#include "engine/fast/links.h"
#include "engine/fast/pe.h"
#include "engine/fast/posts.h"
#include "engine/fast/run_end.h"
#include "engine/fast/storage.h"
#include "engine/simulation.h"

namespace simfarm::fast {

struct ArrayState {
  /// All PEs as they are before cycle 0. `end`: no cycle from it on takes place. `granule`: of
  /// the marks that accesses leave (engine/fast/marks.h).
  ArrayState(const RunInput& input, const RunOptions& options, Cycle end, u32 granule);

  RunEnd end;
  std::vector<DecodedImage> images;
  Storage storage;
  std::vector<Pe> pes;
  /// By tile: of its lanes, a bit each, those that nobody but the fabric lets go on.
  std::vector<u32> held;
  FirstTrap traps;
  Links links;
  /// By PE: its links, null where there is no neighbour.
  struct Ports {
    std::array<Link*, direction_count> out{};
    std::array<Link*, direction_count> in{};
  };
  std::vector<Ports> ports;
  /// Of each worker: gp.posts that the fabric has not read.
  std::vector<std::unique_ptr<Posts>> posts;
};

}  // namespace simfarm::fast
