// The machine that is simulated: every figure of it, as read from a machine file (TOML). Defaults
// are those of docs/machine.md.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "memory/address_map.h"

namespace simfarm {

struct Machine {
  std::string name = "nano";
  u32 rows = 4;
  u32 columns = 4;
  bool torus_rows = false;     ///< N-S links wrap around
  bool torus_columns = false;  ///< E-W links wrap around

  AddressMap
      map;  ///< bases and sizes of instruction memory, local memory, OCM, DRAM; unified or not

  struct Ocm {
    u32 banks = 8;            ///< interleaved by 64 bytes
    u32 bytes_per_beat = 16;  ///< of one bank
    u32 latency = 10;         ///< cycles after the last beat
  } ocm;
  struct Dram {
    u32 bytes_per_beat = 32;
    u32 latency = 100;  ///< cycles after the last beat
  } dram;
  struct Bus {
    u32 hop_latency = 1;  ///< cycles for each column, or row, travelled
  } bus;
  struct Dma {
    u32 queue = 4;      ///< descriptors waiting to start
    u32 in_flight = 3;  ///< bursts holding a slot
    u32 setup = 4;      ///< cycles from start to the first burst
  } dma;
  struct Link {
    u32 depth = 4;           ///< words
    u32 latency = 2;         ///< sent at t, receivable at t + latency
    u32 credit_latency = 2;  ///< popped at t, the sender has the credit at t + credit_latency
  } link;
  struct Post {
    u32 latency = 2;  ///< plus abs(dx) + abs(dy)
  } post;
  struct Barrier {
    u32 latency =
        4;  ///< plus the group's extent: rows + columns, or the length of the row or column
  } barrier;

  u32 pes() const { return rows * columns; }
  u32 row_of(PeId pe) const { return pe / columns; }
  u32 column_of(PeId pe) const { return pe % columns; }
};

/// Reads a machine file. Errors name the file, the line and the key; unknown keys are errors.
Result<Machine> parse_machine(std::string_view toml, std::string_view file_name);

/// The machine of that file path, or of that shipped name ("single", "nano", "perform", "ultra").
Result<Machine> load_machine(const std::string& file_or_name);

/// The shipped machines' names, smallest first.
std::vector<std::string> shipped_machines();

/// A machine file that gives exactly this machine, every key written out.
std::string print_machine(const Machine& machine);

}  // namespace simfarm
