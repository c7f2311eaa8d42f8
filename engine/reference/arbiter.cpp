#include "engine/reference/arbiter.h"

#include <fmt/format.h>

namespace simfarm::reference {

std::string name(Resource resource) {
  switch (resource.kind) {
    case ResourceKind::ocm_bank:
      return fmt::format("ocm bank {}", resource.number);
    case ResourceKind::dram:
      return "dram channel";
    case ResourceKind::row_bus:
      return fmt::format("row bus {}", resource.number);
    case ResourceKind::read_port:
      return fmt::format("local read port {}", resource.number);
    case ResourceKind::write_port:
      return fmt::format("local write port {}", resource.number);
  }
  return "resource";
}

Arbiter::Arbiter(const Machine& machine) {
  const u32 counts[5] = {machine.ocm.banks, 1, machine.rows, machine.pes(), machine.pes()};
  u32 next = 0;
  for (u32 kind = 0; kind < 5; ++kind) {
    first_[kind] = next;
    next += counts[kind];
  }
  granted_.resize(next);
}

}  // namespace simfarm::reference
