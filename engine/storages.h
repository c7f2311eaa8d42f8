// Numbers of the storages that a poisoned run fills: every engine has to agree on them.
#pragma once
#include "base/types.h"

namespace simfarm {

inline constexpr u64 ocm_storage = 0;
inline constexpr u64 dram_storage = 1;
constexpr u64 local_storage(PeId pe) { return 2 + 2 * u64{pe}; }
constexpr u64 register_storage(PeId pe) { return 3 + 2 * u64{pe}; }

}  // namespace simfarm
