#include "engine/reference/local_port.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/reference/races.h"

namespace simfarm::reference {
namespace {

constexpr u32 page_bytes = 4096;

std::string outside(const char* what, u32 address, u64 bytes, const Region& local) {
  return fmt::format("{} of {} bytes at 0x{:08x}: local memory is 0x{:08x}..0x{:08x}", what, bytes,
                     address, local.base, local.base + local.bytes - 1);
}

}  // namespace

LocalPort::LocalPort(PeId pe, World& world, const Image& image)
    : pe_(pe), world_(world), map_(world.machine.map), memory_(world.locals[pe]) {
  if (!map_.unified) return;
  for (const Segment& segment : image.segments) {
    if (!segment.executable || segment.memory_bytes == 0) continue;
    const u32 first = segment.address / page_bytes * page_bytes;
    const u64 end = (u64{segment.address} + segment.memory_bytes + page_bytes - 1) / page_bytes;
    executable_pages_.push_back({first, end * page_bytes - first});
  }
}

bool LocalPort::executable(u32 address, u32 bytes) const {
  for (const Region& pages : executable_pages_)
    if (address < pages.base + pages.bytes && u64{address} + bytes > pages.base) return true;
  return false;
}

std::optional<Fault> LocalPort::load_fault(u32 address, u64 bytes) const {
  if (!map_.local.contains(address, bytes))
    return Fault{TrapKind::load_fault, address, outside("load", address, bytes, map_.local)};
  if (world_.races) return world_.races->load(pe_, address, bytes);
  return std::nullopt;
}

std::optional<Fault> LocalPort::race_of_reading(const Request& request) const {
  if (!world_.races) return std::nullopt;
  const dma::Descriptor& d = request.descriptor;
  const u32 length = d.extended ? dma::extended_descriptor_bytes : dma::descriptor_bytes;
  if (auto race = world_.races->load(pe_, d.address, length)) return race;
  for (u32 k = 0; k < request.indices.size(); ++k) {
    const u32 address = d.index_base + k * static_cast<u32>(d.index_stride);
    if (auto race = world_.races->load(pe_, address, 4)) return race;
  }
  return std::nullopt;
}

std::optional<Fault> LocalPort::load(u32 address, u32 bytes, u64& value) {
  if (auto fault = load_fault(address, bytes)) return fault;
  value = 0;
  const std::span<const u8> from = memory_.view(address, bytes);
  for (u32 k = 0; k < bytes; ++k) value |= u64{from[k]} << (8 * k);
  return std::nullopt;
}

std::optional<Fault> LocalPort::store(u32 address, u32 bytes, u64 value) {
  if (executable(address, bytes) || (!map_.unified && map_.instructions.contains(address, 1)))
    return Fault{TrapKind::store_to_instructions, address,
                 fmt::format("store of {} bytes at 0x{:08x}", bytes, address)};
  if (!map_.local.contains(address, bytes))
    return Fault{TrapKind::store_fault, address, outside("store", address, bytes, map_.local)};
  if (world_.races)
    if (auto race = world_.races->store(pe_, address, bytes)) return race;
  const std::span<u8> to = memory_.view(address, bytes);
  last_store_.cycle = world_.now;
  last_store_.address = address;
  last_store_.before.assign(to.begin(), to.end());
  for (u32 k = 0; k < bytes; ++k) to[k] = static_cast<u8>(value >> (8 * k));
  return std::nullopt;
}

void LocalPort::take_back_store() {
  if (last_store_.cycle != world_.now) return;
  const std::vector<u8>& before = last_store_.before;
  std::copy(before.begin(), before.end(), memory_.view(last_store_.address, before.size()).begin());
}

}  // namespace simfarm::reference
