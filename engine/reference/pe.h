// One PE: its core, what it waits for, and where its cycles go. step() is one cycle of it.
#pragma once
#include <array>
#include <memory>
#include <optional>

#include "decoder/program_code.h"
#include "engine/reference/account.h"
#include "engine/reference/execute.h"
#include "engine/reference/hardware_loop.h"
#include "engine/reference/local_port.h"
#include "engine/reference/world.h"

namespace simfarm::reference {

class Pe {
 public:
  Pe(PeId id, std::shared_ptr<const DecodedImage> code, const Image& image, const Hart& start,
     World& world);

  /// Lives cycle world.now; the PE has nothing to do before the cycle that is returned. A PE that
  /// waits for something outside of it asks again every cycle.
  Cycle step();

  PeId id() const { return id_; }
  const Hart& hart() const { return hart_; }
  bool ended() const { return ended_; }
  bool waiting() const { return waiting_; }
  Cycle waiting_since() const { return waiting_since_; }
  /// The instruction that waits.
  const Operation& operation() const { return *at_; }

  /// A trap ends the run in this cycle.
  void take_back_store() { port_.take_back_store(); }

  /// Counters of the cycles before `end`, the run's length.
  PeReport report(Cycle end);

 private:
  enum class Progress : u8 { issued, waits, trapped };

  bool fetch();
  Progress perform();
  Progress environment_call();
  Progress write_console();
  Progress exit();
  Progress synchronise();
  Progress send();
  Progress receive();
  Progress wait();
  Progress post();
  Progress bar();
  Progress dma();

  Progress trap(TrapKind kind, u32 address, std::string detail);
  /// The instruction waits; the first time, its stall begins.
  Progress stays(Stall bin, u32 culprit);
  /// It need not wait any longer; `bin` and `culprit` say what for.
  Progress proceeds(Stall bin, u32 culprit);
  /// The checkpoint of the instruction that issued last, unless its cycle does not count.
  void settle_checkpoint(Cycle end);
  /// Charges one hazard's stalls; the cycle after them.
  Cycle pay(Stall bin, u32& cycles);

  PeId id_;
  std::shared_ptr<const DecodedImage> code_;
  World& world_;
  LocalPort port_;
  Hart hart_;
  timing::PipelineState pipeline_;
  Account account_;
  Checkpoints checkpoints_;
  /// An instruction that has issued, with the registers after it.
  struct Issued {
    const Operation* op = nullptr;  ///< null: settled
    u32 pc = 0;
    Cycle cycle = 0;
    std::array<u32, 32> x{};
  } last_point_;
  Surroundings around_;

  const Operation* at_ = nullptr;  ///< the instruction being looked at; null: not fetched yet
  timing::Before hazards_;         ///< of it, as far as they are not paid yet
  LoopPlace place_;                ///< where it lies in the hardware loops
  timing::Facts facts_;            ///< what it found out
  std::optional<u8> new_region_;   ///< it entered a profile region
  u32 next_pc_ = 0;
  u32 refill_ = 0;   ///< cycles to charge to the instruction before, on top of its own stall
  u32 last_pc_ = 0;  ///< of the instruction before: the producer that a hazard waits for

  bool waiting_ = false;
  Cycle waiting_since_ = 0;
  u32 waiting_for_ = 0;  ///< the culprit named when the wait began
  bool ended_ = false;
  Cycle ended_in_ = 0;
  u32 exit_code_ = 0;
};

}  // namespace simfarm::reference
