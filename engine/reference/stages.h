// The way of a burst through the machine (docs/machine.md, D4): stages, each a number of beats of
// one resource, then a latency.
#pragma once
#include <vector>

#include "base/types.h"
#include "engine/reference/arbiter.h"
#include "engine/reference/bursts.h"
#include "engine/reference/request.h"

namespace simfarm::reference {

inline constexpr u32 at_issue = ~u32{0};  ///< parent of a stage that is ready when the burst issues

struct Stage {
  Resource resource;
  u32 beats = 0;    ///< still to be granted
  u32 latency = 0;  ///< from the last beat's end to passed
  /// Ready `delay` cycles after this stage of the burst has passed.
  u32 parent = at_issue;
  u32 delay = 0;
  Cycle ready = never;
  Cycle passed = never;

  bool done() const { return beats == 0; }
};

/// The rows whose buses a multicast travels: the initiator's first, then the others with receivers.
struct MulticastRow {
  u32 row = 0;
  u32 delay = 0;  ///< from the initiator's bus to this one
};
/// None when the initiator is the only receiver.
std::vector<MulticastRow> multicast_rows(const Request& request, const Machine& machine);

/// The stages of a burst, in stage order. A multicast write has the rows' buses first, in order of
/// `rows`, then the receivers' ports.
std::vector<Stage> stages_of(const Burst& burst, const Request& request, const Machine& machine,
                             const std::vector<MulticastRow>& rows);

/// Cycles that a beat takes from its row's bus, entered at the initiator's column, to a receiver.
u32 column_delay(PeId initiator, PeId receiver, const Machine& machine);

}  // namespace simfarm::reference
