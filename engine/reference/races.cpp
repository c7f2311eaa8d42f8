#include "engine/reference/races.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace simfarm::reference {
namespace {

using Space = AddressMap::Space;

constexpr u64 unit = 8;            // bytes; counts are only a filter before the exact look
constexpr u16 uncounted = 0xffff;  // too many to count: stays so

template <class Change>
void change_units(std::vector<u16>& counts, u32 base, const ByteSet& bytes, Change change) {
  for (const ByteSet::Range& range : bytes.ranges())
    for (u64 k = (range.begin - base) / unit; k <= (range.end - 1 - base) / unit; ++k)
      if (counts[k] != uncounted) change(counts[k]);
}

}  // namespace

Races::Races(const Machine& machine) : machine_(machine), guards_(machine.pes()) {
  for (Guards& guards : guards_) {
    guards.destination_count.resize(machine.map.local.bytes / unit);
    guards.source_count.resize(machine.map.local.bytes / unit);
  }
}

void Races::guard(std::vector<u16>& counts, const ByteSet& bytes) const {
  change_units(counts, machine_.map.local.base, bytes, [](u16& count) { ++count; });
}

void Races::unguard(std::vector<u16>& counts, const ByteSet& bytes) const {
  change_units(counts, machine_.map.local.base, bytes, [](u16& count) { --count; });
}

void Races::guard_destination(PeId pe, const Shared& transfer) {
  if (transfer->footprint.written.empty()) return;
  guards_[pe].destinations.push_back(transfer);
  guard(guards_[pe].destination_count, transfer->footprint.written);
}

void Races::queued(const Request& request) {
  auto transfer = std::make_shared<Transfer>();
  const dma::Descriptor& d = request.descriptor;
  transfer->id = request.id();
  transfer->descriptor = d.address;
  transfer->pc = request.pc;
  transfer->queued = request.queued;
  transfer->operation = d.operation;
  transfer->source_space = request.source_space;
  transfer->destination_space = request.destination_space;
  transfer->own_release = d.release_own.amount != 0 ? 1u << d.release_own.semaphore : 0;
  transfer->footprint = footprint_of(request);
  if (request.destination_space == Space::local)
    transfer->writing_at = d.multicast ? request.receivers : std::vector<PeId>{request.pe};
  if (!transfer->footprint.read.empty() && request.source_space == Space::local) {
    guards_[request.pe].sources.push_back(transfer);
    guard(guards_[request.pe].source_count, transfer->footprint.read);
  }
  // Its own PE knows of the transfer from now on; other receivers, from the start.
  if (std::find(transfer->writing_at.begin(), transfer->writing_at.end(), request.pe) !=
      transfer->writing_at.end())
    guard_destination(request.pe, transfer);
  waiting_.emplace(transfer->id, transfer);
}

std::optional<Trap> Races::started(const Request& request, Cycle now) {
  const auto found = waiting_.find(request.id());
  check(found != waiting_.end(), "a transfer starts that was not queued");
  const Shared transfer = found->second;
  waiting_.erase(found);
  for (const PeId pe : transfer->writing_at)
    if (pe != request.pe) guard_destination(pe, transfer);

  std::optional<Trap> trap;
  for (const Shared& older : active_) {
    const auto conflict_found = conflict(*transfer, *older);
    if (!conflict_found) continue;
    const auto& [address, what, older_what] = *conflict_found;
    trap = Trap{TrapKind::race,
                now,
                request.pe,
                request.pc,
                0,
                address,
                fmt::format("{} {} 0x{:08x}, which {} {} and is not complete", told(*transfer),
                            what, address, told(*older), older_what)};
    break;
  }
  active_.push_back(transfer);
  return trap;
}

std::vector<Races::Shared>::iterator Races::find_active(TransferId id) {
  const auto found = std::find_if(active_.begin(), active_.end(),
                                  [&](const Shared& one) { return one->id == id; });
  check(found != active_.end(), "a transfer completes that did not start");
  return found;
}

void Races::completed_at(const Request& request, PeId receiver) {
  std::erase((*find_active(request.id()))->writing_at, receiver);
}

void Races::completed(const Request& request) {
  const auto found = find_active(request.id());
  (*found)->complete = true;
  active_.erase(found);
}

void Races::acquired(PeId pe, u32 semaphore, const std::vector<TransferId>& transfers) {
  Guards& guards = guards_[pe];
  std::erase_if(guards.destinations, [&](const Shared& one) {
    if (std::find(transfers.begin(), transfers.end(), one->id) == transfers.end()) return false;
    unguard(guards.destination_count, one->footprint.written);
    return true;
  });
  std::erase_if(guards.sources, [&](const Shared& one) {
    if (!one->complete || (one->own_release >> semaphore & 1) == 0) return false;
    unguard(guards.source_count, one->footprint.read);
    return true;
  });
}

bool Races::write_in_one_memory(const Transfer& a, const Transfer& b) const {
  if (a.destination_space != b.destination_space) return false;
  if (a.destination_space != Space::local) return true;
  return std::any_of(a.writing_at.begin(), a.writing_at.end(), [&](PeId pe) {
    return std::binary_search(b.writing_at.begin(), b.writing_at.end(), pe);
  });
}

bool Races::reads_where_it_writes(const Transfer& reader, const Transfer& writer) const {
  if (reader.source_space != writer.destination_space) return false;
  if (reader.source_space != Space::local) return true;
  return std::binary_search(writer.writing_at.begin(), writer.writing_at.end(),
                            reader.id.initiator);
}

std::optional<Races::Conflict> Races::conflict(const Transfer& younger,
                                               const Transfer& older) const {
  const bool both_add =
      younger.operation == older.operation &&
      (younger.operation == dma::Operation::add_i32 || younger.operation == dma::Operation::add_i8);
  if (!both_add && write_in_one_memory(younger, older))
    if (const auto at = younger.footprint.written.first_common(older.footprint.written))
      return Conflict{*at, "writes", "writes"};
  if (reads_where_it_writes(older, younger))
    if (const auto at = younger.footprint.written.first_common(older.footprint.read))
      return Conflict{*at, "writes", "reads"};
  if (reads_where_it_writes(younger, older))
    if (const auto at = younger.footprint.read.first_common(older.footprint.written))
      return Conflict{*at, "reads", "writes"};
  return std::nullopt;
}

std::string Races::told(const Transfer& transfer) const {
  return fmt::format("the descriptor at 0x{:08x} of PE {} (gp.dma at pc 0x{:08x} in cycle {})",
                     transfer.descriptor, transfer.id.initiator, transfer.pc, transfer.queued);
}

bool Races::counted(const std::vector<u16>& counts, u32 address, u64 bytes) const {
  if (bytes == 0) return false;
  const u64 first = address - machine_.map.local.base;
  for (u64 k = first / unit; k <= (first + bytes - 1) / unit; ++k)
    if (counts[k] != 0) return true;
  return false;
}

/// Of several transfers, the one of the smallest (initiator, sequence) is named.
std::optional<Fault> Races::fault(const std::vector<Shared>& guards, bool source,
                                  const char* access, u32 address, u64 bytes) const {
  const Transfer* party = nullptr;
  u32 where = 0;
  for (const Shared& one : guards) {
    const ByteSet& set = source ? one->footprint.read : one->footprint.written;
    const auto at = set.first_common(address, bytes);
    if (!at) continue;
    if (party != nullptr && party->id < one->id) continue;
    party = one.get();
    where = *at;
  }
  if (party == nullptr) return std::nullopt;
  return Fault{TrapKind::race, where,
               fmt::format("{} of 0x{:08x}, which {} {} and no gp.wait has acquired", access, where,
                           told(*party), source ? "reads" : "writes")};
}

std::optional<Fault> Races::load(PeId pe, u32 address, u64 bytes) const {
  const Guards& guards = guards_[pe];
  if (!counted(guards.destination_count, address, bytes)) return std::nullopt;
  return fault(guards.destinations, false, "load", address, bytes);
}

std::optional<Fault> Races::store(PeId pe, u32 address, u64 bytes) const {
  const Guards& guards = guards_[pe];
  if (counted(guards.destination_count, address, bytes))
    if (auto race = fault(guards.destinations, false, "store", address, bytes)) return race;
  if (!counted(guards.source_count, address, bytes)) return std::nullopt;
  return fault(guards.sources, true, "store", address, bytes);
}

}  // namespace simfarm::reference
