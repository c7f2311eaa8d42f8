#include "engine/fast/reservations.h"

#include <bit>

#include "engine/fast/placing.h"

namespace simfarm::fast {

Reservations::Reservations(const Machine& machine, Cycle limit)
    : machine_(machine),
      limit_(limit),
      banks_(machine.ocm.banks, BusyCycles(floor_)),
      channel_(floor_),
      buses_(machine.rows, BusyCycles(floor_)),
      read_ports_(machine.pes(), BusyCycles(floor_)),
      write_ports_(machine.pes(), BusyCycles(floor_)),
      scratch_(std::make_unique<Scratch>()) {
  scratch_->reads.resize(std::bit_ceil(u64{machine.dma.in_flight}));
}

Reservations::~Reservations() = default;

Placement Reservations::place(const Request& request, Cycle start, EngineTrack& engine) {
  return Placing(*this, request, start, engine).run();
}

}  // namespace simfarm::fast
