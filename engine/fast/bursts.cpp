#include "engine/fast/bursts.h"

namespace simfarm::fast {

std::vector<Burst> index_reads(const Request& request) {
  constexpr u32 index_bytes = 4;
  std::vector<Burst> bursts;
  for (u32 k = 0; k < request.indices.size(); ++k) {
    const u32 address =
        request.descriptor.index_base + k * static_cast<u32>(request.descriptor.index_stride);
    const u32 end = bursts.empty() ? 0 : bursts.back().address + bursts.back().bytes;
    if (!bursts.empty() && address == end - index_bytes) continue;  // the same index once more
    if (bursts.empty() || address != end || address % dma::burst_bytes == 0)
      bursts.push_back({address, 0});
    bursts.back().bytes += index_bytes;
  }
  return bursts;
}

Bursts::Reads::Reads(const Request& request)
    : walk_(request.descriptor, request.indices, request.destination),
      log2_element_(walk_.log2_element()) {
  look();
}

void Bursts::Reads::follow(Burst& read) {
  while (ahead_.elements == 0) {
    look();
    if (ahead_.elements == 0) return;
    const u32 end = read.address + read.bytes;
    if (ahead_.source == end && end % dma::burst_bytes != 0) {
      extend(read);
    } else if (ahead_.source == end - (1u << log2_element_)) {
      // The same element once more; what comes after it may follow the read.
      ahead_.drop(1, log2_element_);
      ++elements_;
      if (ahead_.elements != 0 && end % dma::burst_bytes != 0) extend(read);
    } else {
      return;
    }
  }
}

Bursts::Bursts(const Request& request, u32 in_flight)
    : log2_element_(static_cast<u32>(std::countr_zero(request.descriptor.element_bytes))),
      in_flight_(in_flight),
      walk_(request.descriptor, request.indices, request.destination),
      reads_(request) {
  if (!walk_.next(ahead_)) ahead_.elements = 0;
}

}  // namespace simfarm::fast
