// Everything of a run that is not one PE's own: what the PEs share, and the time.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "engine/machine.h"
#include "engine/reference/barriers.h"
#include "engine/reference/console.h"
#include "engine/reference/links.h"
#include "engine/reference/local_memory.h"
#include "engine/reference/posts.h"
#include "engine/reference/semaphores.h"
#include "engine/reference/traps.h"
#include "engine/reference/watch.h"
#include "engine/simulation.h"
#include "engine/start.h"

namespace simfarm::reference {

class Dma;
class Races;

struct World {
  World(const Machine& of, const RunOptions& with, std::optional<u64> poison);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  Machine machine;
  RunOptions options;
  Cycle now = 0;
  Watch watch;
  Traps traps;
  Console console;
  SharedMemories shared;
  std::vector<LocalMemory> locals;
  Semaphores semaphores;
  Links links;
  Barriers barriers;
  Posts posts;
  std::unique_ptr<Dma> dma;
  std::unique_ptr<Races> races;  ///< null when they are not checked
};

}  // namespace simfarm::reference
