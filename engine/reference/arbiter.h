// The resources that beats contend for. Each grants one beat a cycle to the first that asks in it;
// the engines ask in order of (age, burst, stage), and that is the whole arbiter.
#pragma once
#include <string>
#include <vector>

#include "base/types.h"
#include "engine/machine.h"

namespace simfarm::reference {

/// What kind of wait a resource causes.
enum class ResourceKind : u8 { ocm_bank, dram, row_bus, read_port, write_port };

/// A resource: its kind and number (bank, row, PE; DRAM has one channel).
struct Resource {
  ResourceKind kind{};
  u32 number = 0;
};

/// "ocm bank 3", "dram channel", "row bus 0", "local read port 5", "local write port 5".
std::string name(Resource resource);

class Arbiter {
 public:
  explicit Arbiter(const Machine& machine);

  /// A new cycle: everything is free.
  void begin(Cycle now) { stamp_ = now + 1; }
  /// True, once a cycle, when the resource has a beat for who asks.
  bool grant(Resource resource) {
    Cycle& last = granted_[index(resource)];
    if (last == stamp_) return false;
    last = stamp_;
    return true;
  }

 private:
  u32 index(Resource resource) const {
    return first_[static_cast<u32>(resource.kind)] + resource.number;
  }

  u32 first_[5];                ///< index of each kind's first resource
  std::vector<Cycle> granted_;  ///< the cycle of each resource's last beat, plus 1; 0: none yet
  Cycle stamp_ = 1;
};

}  // namespace simfarm::reference
