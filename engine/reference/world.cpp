#include "engine/reference/world.h"

#include "engine/reference/dma.h"
#include "engine/reference/races.h"

namespace simfarm::reference {
World::World(const Machine& of, const RunOptions& with, std::optional<u64> poison)
    : machine(of),
      options(with),
      watch(with.observer),
      console(with),
      shared(of, poison),
      locals(of.pes(), LocalMemory(of.map.local)),
      semaphores(of.pes()),
      links(machine),
      barriers(machine),
      posts(machine),
      dma(std::make_unique<Dma>(*this)),
      races(with.check_races ? std::make_unique<Races>(machine) : nullptr) {}

World::~World() = default;

}  // namespace simfarm::reference
