#include "farm/energy.h"

namespace simfarm::farm {
namespace {

// Of 45 nm at 0.9 V, by Horowitz, "Computing's energy problem", ISSCC 2014, figure 1.1.9; how they
// become prices is docs/energy.md's.
constexpr u64 fetch = 10'000;       // 32 bits of a 32 KB memory: half of 20 pJ for 64
constexpr u64 registers = 6'000;    // register file access
constexpr u64 add = 100;            // 32 bits
constexpr u64 multiply = 3'100;     // 32 bits
constexpr u64 local_word = 10'000;  // as a fetch
constexpr u64 any = fetch + registers + add;

// Alu mul div mac load store branch jump csr link dma sync.
constexpr EnergyTable table_1 = {
    .version = 1,
    .issue = {any, any - add + multiply, any + 31 * add, any + multiply, any + local_word,
              any + local_word, any, any, any, any + 2'000, any, any},
    .local_byte = 2'500,
    .ocm_byte = 12'500,
    .dram_byte = 162'500,
    .pe_cycle = 1'000};
static_assert(issue_class_count == 12);

constexpr u64 boot_bytes_a_cycle = 8;

}  // namespace

const std::vector<EnergyTable>& energy_tables() {
  static const std::vector<EnergyTable> all = {table_1};
  return all;
}

Energy energy_of(const EnergyTable& table, const CaseScore& one, u64 pes) {
  Energy energy;
  for (u32 k = 0; k < issue_class_count; ++k)
    energy.instructions += Femtojoules{one.total.issued[k]} * table.issue[k];
  const u64 local_bytes = one.dma_bytes - one.ocm_bytes - one.dram_bytes;
  energy.local = Femtojoules{local_bytes} * table.local_byte;
  energy.ocm = Femtojoules{one.ocm_bytes} * table.ocm_byte;
  energy.dram = Femtojoules{one.dram_bytes} * table.dram_byte;
  energy.cycles = Femtojoules{one.charged()} * pes * table.pe_cycle;
  energy.boot = Femtojoules{one.boot_cycles * boot_bytes_a_cycle} *
                (table.dram_byte + Femtojoules{pes} * table.local_byte);
  return energy;
}

u64 picojoules(Femtojoules energy) { return static_cast<u64>((energy + 999) / 1000); }

}  // namespace simfarm::farm
