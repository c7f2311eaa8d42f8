#include "engine/grid.h"

#include <array>

namespace simfarm {

const char* name(Direction direction) {
  static constexpr std::array<const char*, direction_count> names = {"north", "east", "south",
                                                                     "west"};
  return names[static_cast<u32>(direction)];
}

std::optional<PeId> neighbour(const Machine& machine, PeId pe, Direction direction) {
  const u32 rows = machine.rows, columns = machine.columns;
  u32 row = machine.row_of(pe), column = machine.column_of(pe);
  switch (direction) {
    case Direction::north:
      if (row == 0 && !machine.torus_rows) return std::nullopt;
      row = (row + rows - 1) % rows;
      break;
    case Direction::south:
      if (row == rows - 1 && !machine.torus_rows) return std::nullopt;
      row = (row + 1) % rows;
      break;
    case Direction::east:
      if (column == columns - 1 && !machine.torus_columns) return std::nullopt;
      column = (column + 1) % columns;
      break;
    case Direction::west:
      if (column == 0 && !machine.torus_columns) return std::nullopt;
      column = (column + columns - 1) % columns;
      break;
  }
  return row * columns + column;
}

}  // namespace simfarm
