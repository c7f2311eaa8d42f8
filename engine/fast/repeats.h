// Transfers that are placed as one before them was. Programs start the same few descriptors over
// and over. Where two are of one shape and all that they may use is taken in the same cycles,
// counted from the ends of their set-ups, so is everything that becomes of them: neither their
// addresses nor the cycle itself decide anything. All of that is the key here, and compared in
// full.
#pragma once
#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/types.h"
#include "engine/fast/busy_cycles.h"
#include "engine/fast/engine_track.h"
#include "engine/fast/plan.h"
#include "engine/fast/request.h"
#include "engine/fast/reservations.h"
#include "engine/machine.h"

namespace simfarm::fast {

class Repeats {
 public:
  /// Of the resources of `all`, which outlives this.
  explicit Repeats(Reservations& all) : all_(all) {}

  /// Places `request`, if one like it is remembered: its engine is charged up to `setup_end`.
  /// False: it has to be placed, and learn() then told.
  bool place(const Request& request, Cycle setup_end, EngineTrack& engine, Placement& placement);
  /// What place() did not know has been placed since.
  void learn(const Request& request, Cycle setup_end, const EngineTrack& engine,
             const Placement& placement);
  /// How many it has placed.
  u64 found() const { return found_; }

 private:
  /// Cycles are counted from the end of the set-up.
  struct Known {
    std::vector<u64> key;
    std::shared_ptr<const Plan> plan;  ///< kept, so that no other is at its address
    struct Taken {
      u32 resource = 0;  ///< of those that it may use
      u32 first = 0;     ///< in cycles
      u32 begin = 0;     ///< words of all_taken
      u32 end = 0;
    };
    std::vector<Taken> taken;
    std::vector<u64> all_taken;
    std::vector<EngineTrack::Charge> charges;
    std::shared_ptr<const EngineTrack::Counts> counts;
    DmaReport total;  ///< its bytes
    std::vector<Cycle> slots;
    Cycle last_issue = 0;
    Cycle completion = 0;
    std::vector<Placement::AtReceiver> receivers;  ///< counted from the initiator
    u64 size() const;
  };
  /// How often transfers of some shapes were remembered.
  struct Luck {
    u32 tried = 0;
    u32 found = 0;
    u32 left_out = 0;
  };

  bool worth_it(const Request& request);
  void find_resources(const Request& request);
  void make_key(const Request& request, Cycle setup_end, const EngineTrack& engine);
  Luck& luck_of(const Request& request);

  static constexpr u64 most_kept = u64{1} << 20;  ///< words of all that is known
  static constexpr u64 fewest_stages = 8;         ///< of a transfer that is looked up

  Reservations& all_;
  std::unordered_map<u64, std::unique_ptr<const Known>> known_;  ///< by the key's hash
  u64 kept_ = 0;
  u64 found_ = 0;
  std::array<Luck, 64> luck_{};

  // Of the transfer that is looked up.
  std::vector<BusyCycles*> resources_;
  std::vector<u64> key_;
  std::vector<Cycle> slots_;
  std::vector<u64> after_;
  std::size_t resources_at_ = 0;  ///< of the key, its resources' words
  u64 hash_ = 0;
  bool to_be_learned_ = false;
  // Of its engine, before it is placed.
  std::size_t charges_before_ = 0;
  std::size_t counts_before_ = 0;
  Cycle charged_before_ = 0;
  DmaReport total_before_;
};

}  // namespace simfarm::fast
