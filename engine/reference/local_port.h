// How a PE's loads and stores reach its local memory, and nothing else.
#pragma once
#include <memory>
#include <vector>

#include "engine/reference/execute.h"
#include "engine/reference/local_memory.h"
#include "engine/reference/world.h"
#include "memory/program.h"

namespace simfarm::reference {

class LocalPort final : public DataPort {
 public:
  /// In a unified machine, stores into the pages of `image`'s executable segments trap.
  LocalPort(PeId pe, World& world, const Image& image);

  std::optional<Fault> load(u32 address, u32 bytes, u64& value) override;
  std::optional<Fault> store(u32 address, u32 bytes, u64 value) override;
  /// A trap ends the run in this cycle, which does not count: nor does a store in it.
  void take_back_store();

  /// Why `bytes` bytes at `address` cannot be loaded.
  std::optional<Fault> load_fault(u32 address, u64 bytes) const;
  /// The race that a gp.dma runs into when it reads the descriptor and indices of `request`.
  std::optional<Fault> race_of_reading(const Request& request) const;

 private:
  bool executable(u32 address, u32 bytes) const;

  PeId pe_;
  const World& world_;
  const AddressMap& map_;
  LocalMemory& memory_;
  struct Stored {
    Cycle cycle = never;
    u32 address = 0;
    std::vector<u8> before;
  };
  Stored last_store_;
  std::vector<Region> executable_pages_;  ///< unified only
};

}  // namespace simfarm::reference
