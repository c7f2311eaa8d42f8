// How soon anything that is not known yet could change a semaphore of a PE. Whatever a PE or its
// engine does in some cycle reaches no other PE before it has crossed the columns and rows between
// them: a post, a multicast's release, a word on links and a barrier take a cycle for each at least
// (docs/machine.md, "Links", "Semaphores", D4). Around a torus words take the short way.
#pragma once
#include <algorithm>
#include <vector>

#include "engine/machine.h"

namespace simfarm::fast {

class Reach {
 public:
  explicit Reach(const Machine& machine)
      : rows_(machine.rows),
        columns_(machine.columns),
        step_(machine.bus.hop_latency > 0 ? 1 : 0),
        delay_(std::min(machine.post.latency, machine.dma.setup)),
        torus_rows_(machine.torus_rows),
        torus_columns_(machine.torus_columns),
        places_(machine.pes()),
        first_(machine.pes()),
        spread_(machine.rows) {
    for (PeId pe = 0; pe < machine.pes(); ++pe)
      places_[pe] = {machine.row_of(pe), machine.column_of(pe)};
  }

  /// The first cycle in which what `from` does in cycle `at` could change a semaphore of `to`.
  Cycle reaches(PeId from, Cycle at, PeId to) const {
    const Place a = places_[from], b = places_[to];
    return at + delay_ +
           (apart(a.row, b.row, rows_, torus_rows_) +
            apart(a.column, b.column, columns_, torus_columns_)) *
               step_;
  }

  /// What somebody does in cycle `at` could have changed all semaphores by then.
  Cycle everywhere(Cycle at) const { return at + delay_ + Cycle{rows_ + columns_} * step_; }

  void begin() {
    std::fill(first_.begin(), first_.end(), far);
    std::fill(spread_.begin(), spread_.end(), false);
  }
  /// Something may happen at `pe` in cycle `at`, and nothing before, unless it comes from others.
  void add(PeId pe, Cycle at) { first_[pe] = std::min(first_[pe], at); }
  void add_everywhere(Cycle at) {
    for (Cycle& first : first_) first = std::min(first, at);
  }
  /// After all of them.
  void spread() {
    for (u32 round = 0; round < (torus_rows_ ? 2u : 1u); ++round) {
      if (torus_rows_) near_row(0, rows_ - 1);
      for (u32 row = 1; row < rows_; ++row) near_row(row, row - 1);
      if (torus_rows_) near_row(rows_ - 1, 0);
      for (u32 row = rows_; --row > 0;) near_row(row - 1, row);
    }
  }
  /// The semaphores of `pe` are changed before it by nothing that is not known.
  Cycle known_until(PeId pe) {
    const u32 row = places_[pe].row;
    if (!spread_[row]) spread_row(row);
    return first_[pe] >= far ? never : first_[pe] + delay_;
  }

 private:
  static constexpr Cycle far = never / 2;
  struct Place {
    u32 row = 0;
    u32 column = 0;
  };
  static u32 apart(u32 a, u32 b, u32 count, bool torus) {
    const u32 way = a < b ? b - a : a - b;
    return torus ? std::min(way, count - way) : way;
  }
  void near_row(u32 to, u32 from) {
    for (u32 column = 0; column < columns_; ++column)
      near(first_[to * columns_ + column], first_[from * columns_ + column]);
  }
  void near(Cycle& to, Cycle from) const { to = std::min(to, from + step_); }
  /// Along the row.
  void spread_row(u32 row) {
    spread_[row] = true;
    Cycle* const first = &first_[row * columns_];
    // Around a torus, what comes over its edge goes on beyond it.
    for (u32 round = 0; round < (torus_columns_ ? 2u : 1u); ++round) {
      if (torus_columns_) near(first[0], first[columns_ - 1]);
      for (u32 k = 1; k < columns_; ++k) near(first[k], first[k - 1]);
      if (torus_columns_) near(first[columns_ - 1], first[0]);
      for (u32 k = columns_; --k > 0;) near(first[k - 1], first[k]);
    }
  }

  u32 rows_, columns_;
  u32 step_;   ///< cycles for each column or row
  u32 delay_;  ///< of anything that changes a semaphore: from the cycle that it is done in
  bool torus_rows_, torus_columns_;
  std::vector<Place> places_;  ///< by PE
  std::vector<Cycle> first_;   ///< by PE
  std::vector<bool> spread_;   ///< by row
};

}  // namespace simfarm::fast
