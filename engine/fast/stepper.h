// Does one instruction of one PE, whatever it is: its hazards, its traps, what it changes and what
// it costs, cut off at the end of the run.
#pragma once
#include <algorithm>
#include <vector>

#include "engine/fast/graph.h"
#include "engine/fast/pe.h"
#include "engine/fast/run_end.h"
#include "engine/simulation.h"

namespace simfarm::fast {

/// What became of an instruction.
struct Stepped {
  enum class What : u8 {
    done,     ///< the PE stands before the next one
    meets,    ///< it would issue in cycle `at`, and is one that meets the rest of the machine
    trapped,  ///< in cycle `at`
    stopped,  ///< it does not issue before the end
  } what{};
  Cycle at = 0;
  Fault fault;
};

class Stepper {
 public:
  /// All that is given outlives the stepper.
  Stepper(const RunInput& input, Graph& graph, const RunEnd& end);

  Cycle end() const { return end_.get(); }

  Stepped step(Pe& pe);
  /// The same where pe.node's instruction is known to be pe.node->meets. True: it would issue in
  /// cycle pe.since; false: not before the end.
  bool come_to(Pe& pe);

  /// The instruction of `pe` that met the rest of the machine, at hand since pe.since, issues in
  /// cycle `at`; what it waited goes to `bin`. It goes on after it.
  void proceed(Pe& pe, Cycle at, Stall bin);
  /// It still waits when the run ends before cycle `end`.
  static void wait_until(Pe& pe, Cycle end, Stall bin);

  /// Why a load or store must not be done.
  std::optional<Fault> load_fault(const Pe& pe, u32 address, u64 bytes) const;
  std::optional<Fault> store_fault(const Pe& pe, u32 address, u32 bytes) const;

  /// Addresses of `image`'s executable pages in local memory, where a store traps; empty unless the
  /// machine's memory is unified.
  struct Pages {
    u32 base = 0;
    u32 bytes = 0;
  };
  /// All of them, and what is between; empty: none.
  Pages executable_hull(u32 image) const;

  u32 word_at(const Pe& pe, u32 pc) const { return graph_.image(pe.image).word_at(pc); }

 private:
  struct Doing;
  std::optional<Fault> execute(Doing& doing);
  std::optional<Fault> access_memory(Doing& doing);
  std::optional<Fault> access_csr(Doing& doing);
  std::optional<Fault> jump(Doing& doing, u32 target);
  u32 read_csr(const Doing& doing, u32 number);
  void write_csr(Doing& doing, u32 number, u32 value);
  bool pass_hazards(Pe& pe, const timing::Before& before, Cycle& now);
  void charge(Pe& pe, u8 region, Stall bin, Cycle from, u64 cycles) {
    if (cycles != 0) charge_some(pe, region, bin, from, cycles);
  }
  void charge_some(Pe& pe, u8 region, Stall bin, Cycle from, u64 cycles);

  const RunInput& input_;
  Graph& graph_;
  const RunEnd& end_;
  std::vector<std::vector<Pages>> pages_;
};

}  // namespace simfarm::fast
