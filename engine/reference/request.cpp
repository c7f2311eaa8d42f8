#include "engine/reference/request.h"

#include <algorithm>

#include "dma/box.h"
#include "dma/indices.h"
#include "engine/reference/element_walk.h"
#include "engine/reference/local_memory.h"

namespace simfarm::reference {
namespace {

std::vector<PeId> receivers_of(const dma::Descriptor& d, const Machine& machine, PeId pe) {
  std::vector<PeId> receivers;
  if (!d.multicast) return receivers;
  const auto [x0, y0, x1, y1] = d.rectangle;
  for (u32 row = y0; row <= y1; ++row)
    for (u32 column = x0; column <= x1; ++column) {
      const PeId receiver = row * machine.columns + column;
      if (receiver != pe || d.include_self) receivers.push_back(receiver);
    }
  return receivers;
}

Request freeze(const dma::Descriptor& descriptor, std::vector<i32> indices, const Machine& machine,
               PeId pe) {
  const AddressMap& map = machine.map;
  Request request;
  request.descriptor = descriptor;
  request.indices = std::move(indices);
  request.pe = pe;
  request.destination =
      descriptor.multicast ? map.local.base + descriptor.destination : descriptor.destination;
  request.receivers = receivers_of(descriptor, machine, pe);
  // A multicast without receivers moves nothing.
  if (descriptor.multicast && request.receivers.empty()) request.descriptor.sizes.fill(0);

  // Parsing has seen to it that all elements read lie in one memory, and all written in one.
  const u32 bytes = descriptor.element_bytes;
  ElementWalk walk(request.descriptor, request.indices, request.destination);
  Element element;
  while (walk.next(element)) {
    request.destination_space = map.find(element.destination, bytes);
    if (!element.read) continue;
    request.source_space = map.find(element.source, bytes);
    break;
  }
  return request;
}

/// The addresses [low, high) around all elements that are read, widened to multiples of 8, so that
/// no element of any size is cut. There has to be one.
struct AddressRange {
  u32 low = 0;
  u64 high = 0;
};

AddressRange source_range(const Request& request) {
  const dma::Descriptor& d = request.descriptor;
  dma::Descriptor box = d;
  i64 low = 0, high = 0;
  if (d.operation == dma::Operation::gather) {
    box.sizes[0] = 1;
    low = i64{1} << 62;
    high = -low;
    for (const i32 index : request.indices) {
      if (!dma::in_bounds(d, index)) continue;
      low = std::min(low, i64{index} * d.index_scale);
      high = std::max(high, i64{index} * d.index_scale);
    }
  }
  const dma::Extent extent = dma::source_extent(box);
  return {static_cast<u32>(extent.low + low) & ~7u,
          (static_cast<u64>(extent.high + high) + 7) & ~u64{7}};
}

}  // namespace

Result<std::deque<Request>> freeze_chain(u32 address, const LocalMemory& memory,
                                         const Machine& machine, PeId pe) {
  const dma::Context context{machine.map, machine.rows, machine.columns, pe};
  const auto chain = dma::parse_chain(address, memory.view(), context);
  if (!chain) return chain.error();
  std::deque<Request> requests;
  for (const dma::Descriptor& descriptor : *chain) {
    auto indices = dma::read_indices(descriptor, memory.view(), context);
    if (!indices) return indices.error();
    Request request = freeze(descriptor, std::move(*indices), machine, pe);
    // A local source: as the PE sees it now, with what DMA has completed on top.
    if (request.source_space == AddressMap::Space::local) {
      const AddressRange range = source_range(request);
      request.source = {range.low, memory.dma_view(range.low, range.high - range.low)};
    }
    requests.push_back(std::move(request));
  }
  return requests;
}

}  // namespace simfarm::reference
