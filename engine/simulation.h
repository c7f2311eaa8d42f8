// The front of the engines: a machine, a program and initial memory go in, an Outcome comes out.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/machine.h"
#include "engine/outcome.h"
#include "isa/operation.h"
#include "memory/program.h"
#include "pe/bodies/host_isa.h"

namespace simfarm {

/// Watches a run. Calls about a cycle are made when it is over, in the order in which things happen
/// in it (docs/machine.md, V9); stalls are told when they end. Of the cycle of a trap or deadlock
/// nothing is told, since it does not count. Observing changes no cycle.
class Observer {
 public:
  virtual ~Observer() = default;
  /// `op` at `pc` issued on `pe` in `cycle`; `x` are the registers after it.
  virtual void issued(Cycle, PeId, u32 /*pc*/, const Operation&, std::span<const u32, 32> /*x*/) {}
  /// `cycles` cycles from `cycle` on were charged to `bin` at `pc`; `culprit` says who is to blame:
  /// a producer's pc, a descriptor's address, a neighbour PE, or 0.
  virtual void stalled(Cycle, PeId, u32 /*pc*/, Stall, u64 /*cycles*/, u32 /*culprit*/) {}
  /// A transfer changed state on `pe`'s engine: "start", "complete".
  virtual void transfer(Cycle, PeId, u32 /*descriptor*/, u64 /*sequence*/,
                        std::string_view /*event*/) {}
  /// A transfer of `initiator` added `amount` to a semaphore of PE `at`.
  virtual void released(Cycle, PeId /*initiator*/, u64 /*sequence*/, PeId /*at*/, u32 /*semaphore*/,
                        u32 /*amount*/) {}
  /// One beat granted by `resource` ("ocm bank 3", "row bus 0", "local write port 5").
  virtual void beat(Cycle, PeId /*initiator*/, u64 /*sequence*/, u32 /*burst*/,
                    std::string_view /*resource*/) {}
  /// A link word pushed by `from` towards `to` ("push") or popped by `to` ("pop").
  virtual void link(Cycle, PeId /*from*/, PeId /*to*/, u32 /*word*/, std::string_view /*event*/) {}
};

/// Bytes that lie in OCM or DRAM before cycle 0.
struct InitialMemory {
  u32 address = 0;
  std::vector<u8> bytes;
};

/// Everything that determines a run.
struct RunInput {
  Machine machine;
  Program program;
  std::vector<InitialMemory> memory;
  /// The argument block, placed at the top of every PE's local memory (docs/machine.md, "Start");
  /// empty: none.
  std::vector<u8> arguments;
  /// When set, every register, local byte, OCM and DRAM byte that nothing initialised is filled
  /// from this seed instead of zero.
  std::optional<u64> poison;
};

/// How the host does it. No result depends on any of it.
struct HostOptions {
  u32 threads = 1;                     ///< of the fast engine at most; 0: the host's
  bool generated_code = true;          ///< hot code of the fast engine is compiled at run time
  u64 warm_up = 1u << 24;              ///< instructions that are executed before it is
  std::optional<bodies::HostIsa> isa;  ///< at most that instruction set; none: the host's best
  std::optional<u64> shuffle;          ///< a seed: who runs when is left to chance, for tests
  /// How many waits in one place of the program must have ended as what was under way said, before
  /// those that follow are taken to do so too (docs/fast-engine.md, "Looking ahead"); none: never.
  std::optional<u64> trust = 256;
};

struct RunOptions {
  Cycle cycle_limit = 10'000'000'000;
  bool check_races = false;
  bool console = true;            ///< false: ecall 64 costs the same and writes nothing
  u64 console_limit = 16u << 20;  ///< bytes; above it the run traps (output_limit)
  u32 checkpoints = 0;            ///< kept of a PE at most, even (engine/checkpoints.h); 0: none
  bool profile = false;           ///< PeReport::profile is made; no cycle changes
  Observer* observer = nullptr;   ///< the reference engine's only
  HostOptions host;
};

enum class EngineKind : u8 { reference, fast };
inline constexpr EngineKind engine_kinds[] = {EngineKind::reference, EngineKind::fast};
inline constexpr EngineKind default_engine = EngineKind::fast;

/// The engine's name on the command line.
std::string_view name(EngineKind kind);
/// The engine of that name.
std::optional<EngineKind> find_engine(std::string_view name);

/// How the host did it.
struct HostReport {
  EngineKind engine{};  ///< whose outcome it is: some options are the reference engine's alone
  std::string trouble;  ///< what kept it from being as fast as it can; empty: nothing
};

/// One run of one machine. Thousands may live in one process; nothing is shared but the program.
class Simulation {
 public:
  virtual ~Simulation() = default;
  /// Runs to the end. Called once.
  virtual Outcome run() = 0;
  /// Reads `bytes.size()` bytes of OCM or DRAM at `address` after the run. False when the range is
  /// not all inside one of them.
  virtual bool read(u32 address, std::span<u8> bytes) const = 0;
  /// True when nothing, the loader included, wrote to OCM or DRAM around this range: it reads as
  /// memory does that nothing initialised. False says nothing.
  virtual bool untouched(u32 address, u64 length) const = 0;
  /// The same as read() for `pe`'s local memory, DMA's view: all completed transfers are in it.
  virtual bool read_local(PeId pe, u32 address, std::span<u8> bytes) const = 0;
  /// After the run.
  virtual HostReport host() const = 0;
};

/// Loads the generator of fast code, which is loaded when it is needed otherwise: for processes
/// that will be unable to open files then. What keeps it from being loaded; empty: nothing.
std::string load_code_generator();

/// Sets a run up. Errors: an image that does not fit the machine, segments outside its memories.
Result<std::unique_ptr<Simulation>> make_simulation(EngineKind kind, RunInput input,
                                                    const RunOptions& options);

}  // namespace simfarm
