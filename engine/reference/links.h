// The links between neighbours: four FIFOs into each PE, told apart by the direction in which the
// receiver looks. Words and credits carry the cycle from which they can be used, so nothing has to
// move when a cycle passes.
#pragma once
#include <deque>
#include <optional>
#include <vector>

#include "base/types.h"
#include "engine/grid.h"
#include "engine/machine.h"

namespace simfarm::reference {

class Links {
 public:
  explicit Links(const Machine& machine);

  /// Sends `word` from `pe` towards `direction`, where a neighbour is. False: no credit.
  bool send(PeId pe, Direction direction, u32 word, Cycle now);
  /// Takes the word that has arrived from `direction`; none: nothing there.
  std::optional<u32> receive(PeId pe, Direction direction, Cycle now);

  /// True when no word and no credit is still on its way.
  bool quiet(Cycle now) const { return latest_ <= now; }
  /// Words in the FIFO that `pe` reads from `direction`.
  u32 words(PeId pe, Direction direction) const {
    return static_cast<u32>(fifo(pe, direction).words.size());
  }

 private:
  struct Word {
    u32 value = 0;
    Cycle arrives = 0;
  };
  struct Fifo {
    std::deque<Word> words;
    std::deque<Cycle> credits;  ///< each usable from that cycle on
  };
  const Fifo& fifo(PeId receiver, Direction direction) const {
    return fifos_[receiver * direction_count + static_cast<u32>(direction)];
  }
  Fifo& fifo(PeId receiver, Direction direction) {
    return fifos_[receiver * direction_count + static_cast<u32>(direction)];
  }

  const Machine& machine_;
  std::vector<Fifo> fifos_;
  Cycle latest_ = 0;  ///< the last cycle in which a word or credit arrives
};

}  // namespace simfarm::reference
