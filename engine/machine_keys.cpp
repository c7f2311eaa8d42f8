#include "engine/machine_keys.h"

namespace simfarm {
namespace {

using Field = MachineKey::Field;
using enum KeyRule;

constexpr u64 kib = 1024;
constexpr u64 mib = 1024 * kib;
constexpr u64 page = 4096;
constexpr u64 address_space = u64{1} << 32;
/// Latencies end here so that sums of them stay far from 64 bits.
constexpr u64 most = 1'000'000;

// Whatever acts on another PE takes a cycle at least, and a transfer with a set-up of zero could
// complete in the cycle of its own start; so those begin at 1, while a memory or a barrier, which
// adds to something that already takes time, can have latency 0.
// Local memory above 256 KiB is for unified machines only (machine.cpp).
constexpr MachineKey keys[] = {
    {"array", "rows", any, 1, 256, [](Machine& m) -> Field { return &m.rows; }},
    {"array", "columns", any, 1, 256, [](Machine& m) -> Field { return &m.columns; }},
    {"array", "torus_rows", flag, 0, 1, [](Machine& m) -> Field { return &m.torus_rows; }},
    {"array", "torus_columns", flag, 0, 1, [](Machine& m) -> Field { return &m.torus_columns; }},

    {"pe", "local_memory_bytes", page_multiple, page, 16 * mib,
     [](Machine& m) -> Field { return &m.map.local.bytes; }},
    {"pe", "instruction_memory_bytes", page_multiple, page, 16 * mib,
     [](Machine& m) -> Field { return &m.map.instructions.bytes; }},

    {"memory", "unified", flag, 0, 1, [](Machine& m) -> Field { return &m.map.unified; }},
    {"memory", "instruction_base", page_multiple, 0, address_space - page,
     [](Machine& m) -> Field { return &m.map.instructions.base; }},
    {"memory", "local_base", page_multiple, 0, address_space - page,
     [](Machine& m) -> Field { return &m.map.local.base; }},
    {"memory", "ocm_base", page_multiple, 0, address_space - page,
     [](Machine& m) -> Field { return &m.map.ocm.base; }},
    {"memory", "dram_base", page_multiple, 0, address_space - page,
     [](Machine& m) -> Field { return &m.map.dram.base; }},

    {"ocm", "bytes", page_multiple, page, 1024 * mib,
     [](Machine& m) -> Field { return &m.map.ocm.bytes; }},
    {"ocm", "banks", power_of_two, 1, 1024, [](Machine& m) -> Field { return &m.ocm.banks; }},
    {"ocm", "bytes_per_beat", power_of_two, 1, 64,
     [](Machine& m) -> Field { return &m.ocm.bytes_per_beat; }},
    {"ocm", "latency", any, 0, most, [](Machine& m) -> Field { return &m.ocm.latency; }},

    {"dram", "bytes", page_multiple, page, address_space - page,
     [](Machine& m) -> Field { return &m.map.dram.bytes; }},
    {"dram", "bytes_per_beat", power_of_two, 1, 64,
     [](Machine& m) -> Field { return &m.dram.bytes_per_beat; }},
    {"dram", "latency", any, 0, most, [](Machine& m) -> Field { return &m.dram.latency; }},

    {"bus", "hop_latency", any, 0, most, [](Machine& m) -> Field { return &m.bus.hop_latency; }},

    {"dma", "queue", any, 1, 64, [](Machine& m) -> Field { return &m.dma.queue; }},
    {"dma", "in_flight", any, 1, 64, [](Machine& m) -> Field { return &m.dma.in_flight; }},
    {"dma", "setup", any, 1, most, [](Machine& m) -> Field { return &m.dma.setup; }},

    {"link", "depth", any, 1, 1024, [](Machine& m) -> Field { return &m.link.depth; }},
    {"link", "latency", any, 1, most, [](Machine& m) -> Field { return &m.link.latency; }},
    {"link", "credit_latency", any, 1, most,
     [](Machine& m) -> Field { return &m.link.credit_latency; }},

    {"post", "latency", any, 1, most, [](Machine& m) -> Field { return &m.post.latency; }},

    {"barrier", "latency", any, 0, most, [](Machine& m) -> Field { return &m.barrier.latency; }},
};

}  // namespace

std::span<const MachineKey> machine_keys() { return keys; }

}  // namespace simfarm
