#include "engine/reference/stages.h"

#include "base/check.h"

namespace simfarm::reference {
namespace {

constexpr u32 port_bytes = 8;  // of a local port, in a cycle

u32 distance(u32 a, u32 b) { return a < b ? b - a : a - b; }

/// Aligned units of `unit` bytes that the burst touches.
u32 units(const Burst& burst, u32 unit) {
  return (burst.address + burst.bytes - 1) / unit - burst.address / unit + 1;
}

/// Builds the stages of one burst, one after the other.
struct Route {
  const Burst& burst;
  const Request& request;
  const Machine& machine;
  std::vector<Stage> stages;

  void add(Resource resource, u32 beats, u32 latency, u32 parent, u32 delay = 0) {
    stages.push_back({resource, beats, latency, parent, delay});
  }
  u32 last() const { return stages.empty() ? at_issue : static_cast<u32>(stages.size()) - 1; }

  void own_bus() {
    const u32 column = machine.column_of(request.pe);
    add({ResourceKind::row_bus, machine.row_of(request.pe)}, 1, column * machine.bus.hop_latency,
        last());
  }
  /// `times`: how often each beat is needed; twice for copy-add, which reads and writes.
  void shared_memory(AddressMap::Space space, u32 times) {
    if (space == AddressMap::Space::ocm) {
      const u32 bank = burst.address / dma::burst_bytes % machine.ocm.banks;
      add({ResourceKind::ocm_bank, bank}, times * units(burst, machine.ocm.bytes_per_beat),
          machine.ocm.latency, last());
    } else {
      add({ResourceKind::dram, 0}, times * units(burst, machine.dram.bytes_per_beat),
          machine.dram.latency, last());
    }
  }
  /// The ports of a local memory that is written.
  void write_ports(PeId pe, u32 parent, u32 delay) {
    const u32 beats = units(burst, port_bytes);
    if (request.is_add()) {
      add({ResourceKind::read_port, pe}, beats, 0, parent, delay);
      parent = last();
      delay = 0;
    }
    add({ResourceKind::write_port, pe}, beats, 0, parent, delay);
  }

  void read() {
    if (burst.kind == BurstKind::index_read || request.source_space == AddressMap::Space::local) {
      add({ResourceKind::read_port, request.pe}, units(burst, port_bytes), 0, at_issue);
      return;
    }
    shared_memory(request.source_space, 1);
    own_bus();
  }

  void write() {
    if (request.destination_space == AddressMap::Space::local) {
      write_ports(request.pe, at_issue, 0);
      return;
    }
    own_bus();
    shared_memory(request.destination_space, request.is_add() ? 2 : 1);
  }

  void multicast_write(const std::vector<MulticastRow>& rows) {
    for (u32 k = 0; k < rows.size(); ++k)
      add({ResourceKind::row_bus, rows[k].row}, 1, 0, k == 0 ? at_issue : 0, rows[k].delay);
    for (const PeId receiver : request.receivers) {
      if (receiver == request.pe) {
        write_ports(receiver, at_issue, 0);
        continue;
      }
      u32 bus = 0;
      while (rows[bus].row != machine.row_of(receiver)) ++bus;
      write_ports(receiver, bus, column_delay(request.pe, receiver, machine));
    }
  }
};

}  // namespace

std::vector<MulticastRow> multicast_rows(const Request& request, const Machine& machine) {
  const u32 own = machine.row_of(request.pe);
  std::vector<MulticastRow> rows;
  for (const PeId receiver : request.receivers) {
    if (receiver == request.pe) continue;
    if (rows.empty()) rows.push_back({own, 0});
    const u32 row = machine.row_of(receiver);
    if (row != own && rows.back().row != row)
      rows.push_back({row, distance(row, own) * machine.bus.hop_latency});
  }
  return rows;
}

u32 column_delay(PeId initiator, PeId receiver, const Machine& machine) {
  return distance(machine.column_of(initiator), machine.column_of(receiver)) *
         machine.bus.hop_latency;
}

std::vector<Stage> stages_of(const Burst& burst, const Request& request, const Machine& machine,
                             const std::vector<MulticastRow>& rows) {
  Route route{burst, request, machine, {}};
  if (burst.kind != BurstKind::write)
    route.read();
  else if (request.descriptor.multicast)
    route.multicast_write(rows);
  else
    route.write();
  return std::move(route.stages);
}

}  // namespace simfarm::reference
