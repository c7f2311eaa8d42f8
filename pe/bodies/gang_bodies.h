// Bodies for gangs, by level of the host, for a choice at run time.
#pragma once
#include <array>

#include "isa/op.h"
#include "pe/bodies/host_isa.h"

namespace simfarm::bodies {

/// Registers of a gang are rows of sixteen words on 64 bytes; only those that the row reads are
/// looked at.
struct GangOperands {
  const u32* rd = nullptr;
  const u32* rs1 = nullptr;
  const u32* rs2 = nullptr;
  const u32* x_low = nullptr;
  const u32* x_high = nullptr;
  u32 imm = 0, imm2 = 0, pc = 0, length = 4;
};

/// Writes the new rd of sixteen PEs; `rd` may be one of the operands.
using GangResult = void (*)(u32* rd, const GangOperands&);
/// Bit i: lane i takes the branch.
using GangCondition = u32 (*)(const GangOperands&);

/// to[i] = from[i] for the lanes i of `mask`.
using GangStore = void (*)(u32 mask, u32* to, const u32* from);

/// By Op; null for rows that have none.
struct GangBodies {
  std::array<GangResult, op_count> results;
  std::array<GangCondition, op_count> conditions;
  GangStore store_where;
};

const GangBodies& gang_bodies(HostIsa isa);

extern const GangBodies baseline_bodies;  // gang_baseline.cpp
extern const GangBodies avx2_bodies;      // gang_avx2.cpp
extern const GangBodies avx512_bodies;    // gang_avx512.cpp

}  // namespace simfarm::bodies
