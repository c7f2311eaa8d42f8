// Faults that can be planted in the fast engine: the test of its tests (tests/planted). Only an
// extra build of the engine, with SIMFARM_PLANTED defined, has them; there the test says which one
// is on. Everywhere else planted() is false at compile time and leaves nothing behind.
#pragma once
#include <array>
#include <atomic>
#include <string_view>

#include "base/types.h"

namespace simfarm::fast {

/// None of them makes a PE's or an engine's bins miss the run's cycles: those sums are checked, and
/// would give the fault away.
enum class Planted : u8 {
  none,
  shared_banks,
  bus_hop_missing,
  late_receiver_release,
  late_link_credit,
  early_link_word,
  barrier_extent,
  post_distance,
  start_tie_reversed,
  neighbouring_stall_bin,
  late_region,
  load_use_across_blocks,
  last_loop_iteration,
  loop_count_not_down,
  misaligned_half,
  negative_divisor,
  retired_count,
  dot_product_sign,
  padding_byte,
  acquire_order,
  saturation,
  out_of_bounds_fill,
  push_charged_to_engine,
  wide_target_after_fence,
  engine_bin,
  bytes_counted_late,
  exit_code_at_end,
  deadlock_cycle,
  repeat_leaves_slots,
  trust_unchecked,
  trap_tie,
  gang_lanes_swapped,
  gang_uniform_row,
  gang_retired,
  generated_receive,
  marks_forgotten,
  source_unguarded,
  push_only_ahead,
  count
};

struct PlantedText {
  Planted fault;
  std::string_view meaning;
  bool gang = false;       ///< where the PEs of a tile run together in generated code
  bool generated = false;  ///< in generated code of one PE
  bool races = false;      ///< where these are checked
  bool trust = false;      ///< where waits are trusted
};

inline constexpr std::array planted_faults{
    PlantedText{Planted::shared_banks, "two neighbouring OCM banks are one"},
    PlantedText{Planted::bus_hop_missing, "an engine's row bus is a hop shorter"},
    PlantedText{Planted::late_receiver_release, "a release reaches receivers a cycle late"},
    PlantedText{Planted::late_link_credit, "a link's credit comes back a cycle late"},
    PlantedText{Planted::early_link_word, "a link's word arrives a cycle early"},
    PlantedText{Planted::barrier_extent, "a row's barrier has the extent of a column's"},
    PlantedText{Planted::post_distance, "a post does not travel along columns"},
    PlantedText{Planted::start_tie_reversed,
                "of two transfers that start in one cycle, the larger "
                "PE's is the older"},
    PlantedText{Planted::neighbouring_stall_bin, "jump_dep is charged as load_use"},
    PlantedText{Planted::late_region, "a write of the region counts in the new region"},
    PlantedText{Planted::load_use_across_blocks, "a load at a block's end is forgotten"},
    PlantedText{Planted::last_loop_iteration,
                "the last iteration of a hardware loop refills as the others do"},
    PlantedText{Planted::loop_count_not_down,
                "a loop's count read by the last instruction of its body is not counted down"},
    PlantedText{Planted::misaligned_half, "a halfword across a word boundary is one access"},
    PlantedText{Planted::negative_divisor, "a negative divisor takes as long as its complement"},
    PlantedText{Planted::retired_count, "minstret counts the reading instruction"},
    PlantedText{Planted::dot_product_sign, "a signed dot product takes a byte for unsigned"},
    PlantedText{Planted::padding_byte, "the first byte of padding is wrong"},
    PlantedText{Planted::acquire_order, "transfers acquired by one wait are applied backwards"},
    PlantedText{Planted::saturation, "an int8 copy-add saturates at -127"},
    PlantedText{Planted::out_of_bounds_fill, "an element out of bounds is filled with zeros"},
    PlantedText{Planted::push_charged_to_engine,
                "a wait that a push ends is charged to the engine"},
    PlantedText{Planted::wide_target_after_fence,
                "a fence does not wait for a 32-bit instruction that is not word aligned"},
    PlantedText{Planted::engine_bin, "an engine's wait for a bus is charged to the destination"},
    PlantedText{Planted::bytes_counted_late, "bytes written in the run's last cycle do not count"},
    PlantedText{Planted::exit_code_at_end, "an exit in the run's last cycle has no exit code"},
    PlantedText{Planted::deadlock_cycle, "a deadlock is found a cycle late"},
    PlantedText{Planted::repeat_leaves_slots,
                "a transfer placed as one before leaves its engine's slots as they were"},
    PlantedText{Planted::trust_unchecked,
                "what ends a wait that was trusted earlier than was said is not noticed", false,
                false, false, true},
    PlantedText{Planted::trap_tie, "of two traps in one cycle, the larger PE's counts"},
    PlantedText{Planted::gang_lanes_swapped, "two lanes of a gang branch as the other would", true},
    PlantedText{Planted::gang_uniform_row, "a register that differs in the last lane is uniform",
                true},
    PlantedText{Planted::gang_retired, "a gang's last lane retires nothing", true},
    PlantedText{Planted::generated_receive,
                "credits of what generated code receives are a cycle late", false, true},
    PlantedText{Planted::marks_forgotten, "stores of generated code leave no marks", false, false,
                true},
    PlantedText{Planted::source_unguarded, "a source may be written while it is read", false, false,
                true},
    PlantedText{Planted::push_only_ahead,
                "a receiver that is ahead of a push's start may have touched its bytes", false,
                false, true},
};
static_assert(planted_faults.size() + 1 == static_cast<u32>(Planted::count));

#ifdef SIMFARM_PLANTED
/// Set by the test before a run; the build's only mutable global.
inline std::atomic<Planted> planted_fault = Planted::none;
inline bool planted(Planted fault) {
  return planted_fault.load(std::memory_order_relaxed) == fault;
}
#else
constexpr bool planted(Planted) { return false; }
#endif

}  // namespace simfarm::fast
