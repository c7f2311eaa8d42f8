// The far side of a multicast: how far each row's bus and each receiver's port are, the release
// that follows the data on the buses, and when each receiver has everything.
#pragma once
#include <map>
#include <vector>

#include "base/types.h"
#include "engine/machine.h"
#include "engine/reference/arbiter.h"
#include "engine/reference/request.h"
#include "engine/reference/stages.h"

namespace simfarm::reference {

class Multicast {
 public:
  /// Of a transfer that is none, everything is empty.
  Multicast(const Request& request, Cycle setup_end, const Machine& machine);

  const std::vector<MulticastRow>& rows() const { return rows_; }

  /// Another write has been cut.
  void write_cut() { ++writes_; }
  /// No more writes will be cut.
  void all_cut();
  /// A stage of a write, the bus of rows()[row] or the write port of a receiver, passes at
  /// `passed`.
  void bus_passes(u32 row, Cycle passed);
  void port_passes(PeId receiver, Cycle passed);

  /// The release's stages, one for each of rows(); none where no release travels.
  std::vector<Stage>& release() { return release_; }
  const std::vector<Stage>& release() const { return release_; }
  /// Makes ready what can be: call before asking for beats in cycle `now`.
  void ready(Cycle now);
  /// The beat on the bus of rows()[row] passes.
  void release_passes(u32 row, Cycle passed);

  /// The cycle in which the release has reached all that it travels to; 0 where none does, never
  /// while it is not known.
  Cycle release_end() const { return releases_unknown_ > 0 ? never : latest_release_; }

  /// Receivers that have everything in cycle `now`, by id.
  std::vector<PeId> completed(Cycle now);
  /// True when it is known when every receiver has everything; the last one of these cycles.
  bool known() const { return unknown_ == 0; }
  Cycle latest() const { return latest_; }

 private:
  struct Progress {
    u32 passed = 0;    ///< writes
    Cycle latest = 0;  ///< the last one's cycle
  };
  struct Receiver {
    PeId pe = 0;
    bool released_by_bus = false;  ///< waits for the release's beat
    Progress port;
    Cycle release = never;  ///< the release's beat reaches it
    bool known = false;
  };
  void look_at(Receiver& receiver);

  PeId initiator_;
  Cycle setup_end_;
  const Machine& machine_;
  std::vector<MulticastRow> rows_;
  std::vector<Progress> buses_;  ///< by row
  std::vector<Receiver> receivers_;
  std::vector<Stage> release_;
  u32 writes_ = 0;
  bool all_cut_ = false;
  u32 unknown_ = 0;
  Cycle latest_ = 0;
  u32 releases_unknown_ = 0;
  Cycle latest_release_ = 0;
  std::map<Cycle, std::vector<PeId>> due_;
};

}  // namespace simfarm::reference
