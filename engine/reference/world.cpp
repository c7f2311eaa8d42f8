#include "engine/reference/world.h"

#include "engine/reference/dma.h"
#include "engine/reference/races.h"
#include "engine/storages.h"
#include "memory/poison.h"

namespace simfarm::reference {
namespace {

std::optional<u64> seed_of(std::optional<u64> poison, u64 storage) {
  if (!poison) return std::nullopt;
  return poison_seed(*poison, storage);
}

}  // namespace

World::World(const Machine& of, const RunOptions& with, std::optional<u64> poison)
    : machine(of),
      options(with),
      watch(with.observer),
      console(with),
      ocm(of.map.ocm, seed_of(poison, ocm_storage)),
      dram(of.map.dram, seed_of(poison, dram_storage)),
      locals(of.pes(), LocalMemory(of.map.local)),
      semaphores(of.pes()),
      links(machine),
      barriers(machine),
      posts(machine),
      dma(std::make_unique<Dma>(*this)),
      races(with.check_races ? std::make_unique<Races>(machine) : nullptr) {}

World::~World() = default;

}  // namespace simfarm::reference
