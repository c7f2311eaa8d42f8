#include "engine/reference/links.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace simfarm::reference {

const char* name(Direction direction) {
  static constexpr std::array<const char*, direction_count> names = {"north", "east", "south",
                                                                     "west"};
  return names[static_cast<u32>(direction)];
}

Links::Links(const Machine& machine) : machine_(machine), fifos_(machine.pes() * direction_count) {
  for (Fifo& one : fifos_) one.credits.assign(machine.link.depth, 0);
}

std::optional<PeId> Links::neighbour(PeId pe, Direction direction) const {
  const u32 rows = machine_.rows, columns = machine_.columns;
  u32 row = machine_.row_of(pe), column = machine_.column_of(pe);
  switch (direction) {
    case Direction::north:
      if (row == 0 && !machine_.torus_rows) return std::nullopt;
      row = (row + rows - 1) % rows;
      break;
    case Direction::south:
      if (row == rows - 1 && !machine_.torus_rows) return std::nullopt;
      row = (row + 1) % rows;
      break;
    case Direction::east:
      if (column == columns - 1 && !machine_.torus_columns) return std::nullopt;
      column = (column + 1) % columns;
      break;
    case Direction::west:
      if (column == 0 && !machine_.torus_columns) return std::nullopt;
      column = (column + columns - 1) % columns;
      break;
  }
  return row * columns + column;
}

bool Links::send(PeId pe, Direction direction, u32 word, Cycle now) {
  const std::optional<PeId> to = neighbour(pe, direction);
  check(to.has_value(), "a word sent off the array's edge");
  Fifo& link = fifo(*to, opposite(direction));
  if (link.credits.empty() || link.credits.front() > now) return false;
  link.credits.pop_front();
  link.words.push_back({word, now + machine_.link.latency});
  latest_ = std::max(latest_, now + machine_.link.latency);
  return true;
}

std::optional<u32> Links::receive(PeId pe, Direction direction, Cycle now) {
  Fifo& link = fifo(pe, direction);
  if (link.words.empty() || link.words.front().arrives > now) return std::nullopt;
  const u32 value = link.words.front().value;
  link.words.pop_front();
  link.credits.push_back(now + machine_.link.credit_latency);
  latest_ = std::max(latest_, now + machine_.link.credit_latency);
  return value;
}

}  // namespace simfarm::reference
