#include "engine/reference/barriers.h"

#include <algorithm>

namespace simfarm::reference {

Barriers::Barriers(const Machine& machine)
    : machine_(machine), all_(1 + machine.rows + machine.columns) {
  const u32 rows = machine.rows, columns = machine.columns;
  all_[0].members = machine.pes();
  all_[0].extent = rows + columns;
  for (u32 row = 0; row < rows; ++row) all_[1 + row].members = all_[1 + row].extent = columns;
  for (u32 column = 0; column < columns; ++column)
    all_[1 + rows + column].members = all_[1 + rows + column].extent = rows;
}

u32 Barriers::index(PeId pe, BarrierGroup group) const {
  switch (group) {
    case BarrierGroup::all:
      return 0;
    case BarrierGroup::row:
      return 1 + machine_.row_of(pe);
    case BarrierGroup::column:
      return 1 + machine_.rows + machine_.column_of(pe);
  }
  return 0;
}

void Barriers::complete_if_all_there(Barrier& barrier, PeId pe, Cycle now) {
  if (barrier.arrived == 0 || barrier.arrived < barrier.members) return;
  barrier.completes = now + machine_.barrier.latency + barrier.extent;
  barrier.last = pe;
  latest_ = std::max(latest_, barrier.completes);
}

void Barriers::arrive(PeId pe, BarrierGroup group, Cycle now) {
  Barrier& barrier = all_[index(pe, group)];
  ++barrier.arrived;
  complete_if_all_there(barrier, pe, now);
}

bool Barriers::pass(PeId pe, BarrierGroup group, Cycle now) {
  Barrier& barrier = all_[index(pe, group)];
  if (barrier.completes > now) return false;
  // All members wait here and pass in this very cycle, so the last one out makes it ready for use.
  if (--barrier.arrived == 0) barrier.completes = never;
  return true;
}

void Barriers::end(PeId pe, Cycle now) {
  for (BarrierGroup group : {BarrierGroup::all, BarrierGroup::row, BarrierGroup::column}) {
    Barrier& barrier = all_[index(pe, group)];
    --barrier.members;
    if (barrier.completes == never) complete_if_all_there(barrier, pe, now);
  }
}

}  // namespace simfarm::reference
