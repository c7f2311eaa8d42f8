#include "engine/reference/world.h"

#include "engine/poison.h"

namespace simfarm::reference {

World::World(const Machine& of, const RunOptions& with, std::optional<u64> poison)
    : machine(of),
      options(with),
      watch(with.observer),
      console(with),
      ocm(of.map.ocm, poison, poison_of_ocm),
      dram(of.map.dram, poison, poison_of_dram),
      locals(of.pes(), LocalMemory(of.map.local)),
      semaphores(of.pes()),
      links(machine),
      barriers(machine),
      posts(machine) {}

}  // namespace simfarm::reference
