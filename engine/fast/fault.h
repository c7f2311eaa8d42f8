// Why an instruction could not be done; with a cycle and a PE it becomes a Trap.
#pragma once
#include <string>

#include "pe/trap.h"

namespace simfarm::fast {

struct Fault {
  TrapKind kind{};
  u32 address = 0;
  std::string detail;
};

}  // namespace simfarm::fast
