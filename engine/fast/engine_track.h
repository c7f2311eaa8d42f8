// One DMA engine as its placed transfers leave it: when its burst slots become free, and where its
// cycles go (docs/machine.md, D5), as far ahead as transfers have been placed.
#pragma once
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/types.h"
#include "engine/machine.h"
#include "engine/outcome.h"

namespace simfarm::fast {

class EngineTrack {
 public:
  explicit EngineTrack(const Machine& machine) : slot_free_(machine.dma.in_flight) {}

  /// The engine's next transfer cannot start before it.
  Cycle next_start() const { return next_start_; }

  /// Cycles, bytes and descriptors of a run that ends in cycle `end`, which must not lie before the
  /// floor of the reservations. `waiting_since`: the cycle of the gp.dma of the descriptor that
  /// heads the engine at the end, waiting for its acquire; none: none waits.
  DmaReport report(Cycle end, std::optional<Cycle> waiting_since) const;

 private:
  friend class Placing;
  friend class Repeats;
  friend class Reservations;

  /// Of the cycles [the one before's until, until); in one word, as there are many.
  struct Charge {
    u64 bits = 0;
    Charge(DmaBin bin, Cycle until) : bits(until << bin_bits | static_cast<u64>(bin)) {}
    Cycle until() const { return bits >> bin_bits; }
    DmaBin bin() const { return static_cast<DmaBin>(bits & ((1u << bin_bits) - 1)); }
    static constexpr u32 bin_bits = 3;
    static_assert(dma_bin_count <= 1u << bin_bits);
  };
  /// Bytes by the memory that they are in: those of shared ones count twice.
  enum class Counted : u8 {
    read,
    read_ocm,
    read_dram,
    written,
    written_ocm,
    written_dram,
    descriptors
  };
  struct Count {
    Cycle at = 0;
    u32 amount = 0;
    Counted what{};
  };
  /// All that a transfer counts.
  struct Counts {
    std::vector<Count> all;
    Cycle last = 0;
  };
  /// The same of one that is placed as another was: cycles are counted from `from`.
  struct Repeated {
    Cycle from = 0;
    std::shared_ptr<const Counts> counts;
  };

  /// Cycles that are not charged yet go to `bin`, up to `until`.
  void charge(DmaBin bin, Cycle until) {
    if (until <= charged_) return;
    total_.cycles[static_cast<u32>(bin)] += until - charged_;
    charged_ = until;
    if (!charges_.empty() && charges_.back().bin() == bin)
      charges_.back() = {bin, until};
    else
      charges_.push_back({bin, until});
  }
  /// All cycles before it are charged.
  Cycle charged() const { return charged_; }
  /// It counts in a run that ends in cycle `at` or later; who places adds it to total_.
  void count(Counted what, Cycle at, u32 amount) { counts_.push_back({at, amount, what}); }
  void count(Cycle from, std::shared_ptr<const Counts> counts) {
    repeated_.push_back({from, std::move(counts)});
  }
  static void take_back(DmaReport& report, Counted what, u32 amount);
  /// No report will be of an end before `floor`.
  void forget(Cycle floor);

  static constexpr u64 forget_from = 128;  ///< fewer are not worth it

  std::vector<Cycle> slot_free_;  ///< of each slot, the cycle from which on it is free
  Cycle next_start_ = 0;
  Cycle charged_ = 0;
  DmaReport total_;              ///< with all charges and counts
  std::vector<Charge> charges_;  ///< the recent ones, in order
  std::vector<Count> counts_;    ///< the recent ones
  std::vector<Repeated> repeated_;
  u64 forget_at_ = forget_from;  ///< charges and counts
};

}  // namespace simfarm::fast
