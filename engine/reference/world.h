// Everything of a run that is not one PE's own: what the PEs share, and the time.
#pragma once
#include <vector>

#include "engine/machine.h"
#include "engine/reference/barriers.h"
#include "engine/reference/console.h"
#include "engine/reference/links.h"
#include "engine/reference/local_memory.h"
#include "engine/reference/posts.h"
#include "engine/reference/semaphores.h"
#include "engine/reference/shared_memory.h"
#include "engine/reference/traps.h"
#include "engine/reference/watch.h"
#include "engine/simulation.h"

namespace simfarm::reference {

struct World {
  World(const Machine& of, const RunOptions& with, std::optional<u64> poison);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Machine machine;
  RunOptions options;
  Cycle now = 0;
  Watch watch;
  Traps traps;
  Console console;
  SharedMemory ocm;
  SharedMemory dram;
  std::vector<LocalMemory> locals;
  Semaphores semaphores;
  Links links;
  Barriers barriers;
  Posts posts;
};

}  // namespace simfarm::reference
