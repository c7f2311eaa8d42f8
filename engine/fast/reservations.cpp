#include "engine/fast/reservations.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "engine/fast/placing.h"
#include "engine/fast/repeats.h"

namespace simfarm::fast {

Reservations::Reservations(const Machine& machine, Cycle limit)
    : machine_(machine),
      limit_(limit),
      banks_(machine.ocm.banks, BusyCycles(floor_)),
      channel_(floor_),
      buses_(machine.rows, BusyCycles(floor_)),
      read_ports_(machine.pes(), BusyCycles(floor_)),
      write_ports_(machine.pes(), BusyCycles(floor_)),
      scratch_(std::make_unique<Scratch>()),
      repeats_(std::make_unique<Repeats>(*this)) {
  scratch_->reads.resize(std::bit_ceil(u64{machine.dma.in_flight}));
}

Reservations::~Reservations() = default;

u64 Reservations::placed_as_before() const { return repeats_->found(); }

Placement Reservations::place(const Request& request, Cycle start, EngineTrack& engine) {
  check(start >= engine.next_start() && start > request.queued && start >= floor_,
        "a transfer is placed before it can start");
  const Cycle setup_end = start + machine_.dma.setup;
  engine.forget(floor_);
  engine.charge(DmaBin::idle, std::min(request.queued + 1, start));
  engine.charge(DmaBin::acquire_wait, start);
  engine.charge(DmaBin::setup, setup_end);
  Placement placement;
  if (repeats_->place(request, setup_end, engine, placement)) return placement;
  placement = Placing(*this, request, start, engine).run();
  repeats_->learn(request, setup_end, engine, placement);
  return placement;
}

}  // namespace simfarm::fast
