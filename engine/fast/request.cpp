#include "engine/fast/request.h"

#include <algorithm>

#include "dma/box.h"
#include "dma/indices.h"
#include "engine/fast/span_walk.h"

namespace simfarm::fast {
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

/// Parsing has seen to it that all elements read lie in one memory, and all written in one: the
/// first of each tells.
void find_spaces(Request& request, const AddressMap& map) {
  const u32 bytes = request.descriptor.element_bytes;
  SpanWalk walk(request.descriptor, request.indices, request.destination);
  Span span;
  while (walk.next(span)) {
    request.destination_space = map.find(span.destination, bytes);
    if (!span.read) continue;
    request.source_space = map.find(span.source, bytes);
    return;
  }
}

/// The addresses around all elements that are read, of which there is one at least, widened to
/// multiples of 8, so that no element of any size is cut.
void find_image(Request& request) {
  const dma::Descriptor& d = request.descriptor;
  dma::Descriptor box = d;
  i64 low = 0, high = 0;  // of the indices' offsets
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
  const u64 end = (static_cast<u64>(extent.high + high) + 7) & ~u64{7};
  request.source.base = static_cast<u32>(extent.low + low) & ~7u;
  request.source.bytes.resize(end - request.source.base);
}

Request freeze(const dma::Descriptor& descriptor, std::vector<i32> indices, const Machine& machine,
               PeId pe) {
  Request request;
  request.descriptor = descriptor;
  request.indices = std::move(indices);
  request.pe = pe;
  request.destination = descriptor.destination;
  if (descriptor.multicast) request.destination += machine.map.local.base;
  request.receivers = receivers_of(descriptor, machine, pe);
  // A multicast without receivers moves nothing.
  if (descriptor.multicast && request.receivers.empty()) request.descriptor.sizes.fill(0);
  find_spaces(request, machine.map);
  return request;
}

}  // namespace

Result<std::vector<Request>> freeze_chain(u32 address, const dma::LocalBytes& view,
                                          const Machine& machine, PeId pe) {
  const dma::Context context{machine.map, machine.rows, machine.columns, pe};
  const auto chain = dma::parse_chain(address, view, context);
  if (!chain) return chain.error();
  std::vector<Request> requests;
  requests.reserve(chain->size());
  for (const dma::Descriptor& descriptor : *chain) {
    auto indices = dma::read_indices(descriptor, view, context);
    if (!indices) return indices.error();
    Request& request = requests.emplace_back(freeze(descriptor, std::move(*indices), machine, pe));
    if (request.source_space != AddressMap::Space::local) continue;
    find_image(request);
    view.read(request.source.base, request.source.bytes);
  }
  return requests;
}

}  // namespace simfarm::fast
