// A run told event by event, for a window of cycles and some PEs: text for people, or one JSON
// object a line. Instructions, stalls, transfers, DMA beats and link words, in order of cycle.
#pragma once
#include <functional>
#include <set>
#include <string>

#include "engine/simulation.h"

namespace simfarm::profile {

struct TraceWindow {
  std::set<PeId> pes;  ///< empty: all
  Cycle first = 0;
  Cycle last = never;  ///< inside
  bool instructions = true;
  bool stalls = true;
  bool transfers = true;
  bool links = true;
};

/// Observes a run and hands every line of the window to `write`.
class Tracer : public Observer {
 public:
  Tracer(const Machine& machine, const Program& program, TraceWindow window, bool json,
         std::function<void(const std::string&)> write);

  void issued(Cycle cycle, PeId pe, u32 pc, const Operation& op,
              std::span<const u32, 32> x) override;
  void stalled(Cycle cycle, PeId pe, u32 pc, Stall bin, u64 cycles, u32 culprit) override;
  void transfer(Cycle cycle, PeId pe, u32 descriptor, u64 sequence,
                std::string_view event) override;
  void released(Cycle cycle, PeId initiator, u64 sequence, PeId at, u32 semaphore,
                u32 amount) override;
  void beat(Cycle cycle, PeId initiator, u64 sequence, u32 burst,
            std::string_view resource) override;
  void link(Cycle cycle, PeId from, PeId to, u32 word, std::string_view event) override;

 private:
  bool wants(Cycle first, Cycle last, PeId pe) const;

  const Machine& machine_;
  const Program& program_;
  TraceWindow window_;
  bool json_;
  std::function<void(const std::string&)> write_;
};

}  // namespace simfarm::profile
