// The index list of a gather or scatter: frozen at the gp.dma, like the descriptor.
#pragma once
#include <span>
#include <vector>

#include "base/result.h"
#include "dma/descriptor.h"

namespace simfarm::dma {

/// Whether an index names an element: 0 <= index < limit.
inline bool in_bounds(const Descriptor& descriptor, i32 index) {
  return index >= 0 && static_cast<u32>(index) < descriptor.index_limit;
}

/// The values of the index list, index_count of them; none where there are no elements, or no index
/// list. `descriptor` has been parsed from the same `local` (the whole local memory, offset 0
/// first).
///
/// Errors ("descriptor 0x10000440: index 5: reason"): an index out of bounds when the mode is
/// `trap`; one in bounds whose elements are not inside one memory, the same for all indices.
Result<std::vector<i32>> read_indices(const Descriptor& descriptor, std::span<const u8> local,
                                      const Context& context);

}  // namespace simfarm::dma
