// The far side of a multicast (docs/machine.md, D4): the rows' buses and the receivers' ports that
// its writes take, and the release that follows them on the buses.
#pragma once
#include <vector>

#include "base/types.h"
#include "engine/fast/busy_cycles.h"
#include "engine/fast/charges.h"
#include "engine/fast/request.h"
#include "engine/machine.h"
#include "engine/outcome.h"

namespace simfarm::fast {

class Multicast {
 public:
  /// The resources of the machine, by row and by PE.
  struct Resources {
    std::vector<BusyCycles>& buses;
    std::vector<BusyCycles>& read_ports;
    std::vector<BusyCycles>& write_ports;
  };

  void begin(const Request& request, Cycle setup_end, const Machine& machine, Resources resources);

  /// Places a write of `beats` beats of each port; returns its end. On trial: with a journal.
  Cycle write(Cycle issue, u32 beats, Journal* journal);
  /// Before writes on trial; and back to there.
  void remember();
  void go_back();
  /// Places the release, after the last write; returns its end, 0 where none travels. From then on
  /// latest() and completed() are known.
  Cycle release();

  /// Of the last write, or the release.
  Charges& charges() { return charges_; }

  struct Receiver {
    PeId pe = 0;
    u32 row = 0;    ///< of rows_; the initiator itself: none
    u32 delay = 0;  ///< from that bus
    bool self = false;
    Cycle port = 0;  ///< its last port beat so far has passed
    Cycle completion = 0;
  };
  /// By PE.
  const std::vector<Receiver>& receivers() const { return receivers_; }

 private:
  struct Row {
    BusyCycles* bus = nullptr;
    u32 delay = 0;     ///< from the initiator's bus to this one
    Cycle passed = 0;  ///< the last write so far
    Cycle now = 0;     ///< the current write, or the release
  };
  void find_rows(const Request& request, const Machine& machine, Resources resources);

  std::vector<Row> rows_;  ///< the initiator's first; none when it is the only receiver
  std::vector<Receiver> receivers_;
  std::vector<Row> rows_before_;
  std::vector<Receiver> receivers_before_;
  std::vector<BusyCycles>* read_ports_ = nullptr;
  std::vector<BusyCycles>* write_ports_ = nullptr;
  bool adds_ = false;
  bool releases_ = false;
  Cycle setup_end_ = 0;
  Grants grants_;
  Charges charges_;
};

}  // namespace simfarm::fast
