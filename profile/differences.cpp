#include "profile/differences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace simfarm::profile {
namespace {

std::string told(const std::optional<u32>& value) {
  return value ? fmt::format("{}", *value) : "none";
}

class Differ {
 public:
  Differ(const Machine& machine, size_t limit) : machine_(machine), limit_(limit) {}

  bool full() const { return found_.size() >= limit_; }
  std::vector<Difference> take() { return std::move(found_); }

  void outcomes(const Outcome& a, const Outcome& b) {
    field({}, "outcome", name(a.kind), name(b.kind));
    field({}, "cycles", a.cycles, b.cycles);
    traps(a.trap, b.trap);
    deadlocks(a.deadlock, b.deadlock);
    field({}, "PEs", a.pes.size(), b.pes.size());
    field({}, "DMA engines", a.dma.size(), b.dma.size());
    if (a.pes.size() != b.pes.size() || a.dma.size() != b.dma.size()) return;
    for (PeId pe = 0; pe < a.pes.size(); ++pe) reports(pe, a.pes[pe], b.pes[pe]);
    for (PeId pe = 0; pe < a.dma.size(); ++pe) engines(pe, a.dma[pe], b.dma[pe]);
    consoles(a.console, b.console);
  }

  void memories(const Simulation& a, const Simulation& b) {
    const AddressMap& map = machine_.map;
    for (PeId pe = 0; pe < machine_.pes(); ++pe)
      memory(
          pe, fmt::format("local memory of PE {}", pe), map.local,
          [&](bool second, u32 address, std::span<u8> bytes) {
            return (second ? b : a).read_local(pe, address, bytes);
          },
          [](u32, u64) { return false; });
    for (const auto& [what, region] : {std::pair("OCM", map.ocm), std::pair("DRAM", map.dram)})
      memory(
          {}, what, region,
          [&](bool second, u32 address, std::span<u8> bytes) {
            return (second ? b : a).read(address, bytes);
          },
          [&](u32 address, u64 length) {
            return a.untouched(address, length) && b.untouched(address, length);
          });
  }

 private:
  void add(std::optional<PeId> pe, std::string text) {
    if (!full()) found_.push_back({pe, std::move(text)});
  }

  template <class Value>
  void field(std::optional<PeId> pe, std::string_view what, const Value& a, const Value& b) {
    if (a != b) add(pe, fmt::format("{}: {}, {}", what, a, b));
  }

  void traps(const std::optional<Trap>& a, const std::optional<Trap>& b) {
    field({}, "a trap", a.has_value(), b.has_value());
    if (!a || !b) return;
    const PeId pe = a->pe;
    field(pe, "trap kind", name(a->kind), name(b->kind));
    field(pe, "trap cycle", a->cycle, b->cycle);
    field(pe, "trap PE", a->pe, b->pe);
    field(pe, "trap pc", a->pc, b->pc);
    field(pe, "trap instruction", a->instruction, b->instruction);
    field(pe, "trap address", a->address, b->address);
    field(pe, "trap detail", a->detail, b->detail);
  }

  void deadlocks(const std::optional<Deadlock>& a, const std::optional<Deadlock>& b) {
    field({}, "a deadlock", a.has_value(), b.has_value());
    if (!a || !b) return;
    field({}, "deadlock cycle", a->cycle, b->cycle);
    field({}, "deadlock: who waits", a->waiting.size(), b->waiting.size());
    const size_t both = std::min(a->waiting.size(), b->waiting.size());
    for (size_t k = 0; k < both; ++k) {
      const Waiting &x = a->waiting[k], &y = b->waiting[k];
      const std::string who = fmt::format("deadlock, {}. who waits, ", k + 1);
      field(x.pe, who + "PE", x.pe, y.pe);
      field(x.pe, who + "PE or DMA", static_cast<u32>(x.who), static_cast<u32>(y.who));
      field(x.pe, who + "pc", x.pc, y.pc);
      field(x.pe, who + "since", x.since, y.since);
      field(x.pe, who + "what", x.what, y.what);
      field(x.pe, who + "for", fmt::format("{}", x.waits_for), fmt::format("{}", y.waits_for));
    }
    field({}, "deadlock, blame", fmt::format("{}", a->blame), fmt::format("{}", b->blame));
  }

  void counters(PeId pe, const std::string& who, const Counters& a, const Counters& b) {
    if (a == b) return;
    for (u32 k = 0; k < issue_class_count; ++k)
      field(pe, fmt::format("{}issued {}", who, name(static_cast<IssueClass>(k))), a.issued[k],
            b.issued[k]);
    for (u32 k = 0; k < stall_count; ++k)
      field(pe, fmt::format("{}stall {}", who, name(static_cast<Stall>(k))), a.stalls[k],
            b.stalls[k]);
  }

  void reports(PeId pe, const PeReport& a, const PeReport& b) {
    const std::string who = fmt::format("PE {}: ", pe);
    counters(pe, who, a.total, b.total);
    if (a.regions != b.regions) {
      auto x = a.regions, y = b.regions;
      for (const auto& [region, ignored] : a.regions) y[region];
      for (const auto& [region, ignored] : b.regions) x[region];
      for (const auto& [region, mine] : x)
        counters(pe, fmt::format("{}region {}: ", who, region), mine, y[region]);
      field(pe, who + "regions", a.regions.size(), b.regions.size());
    }
    field(pe, who + "exit code", told(a.exit_code), told(b.exit_code));
    if (a.checkpoints != b.checkpoints) add(pe, who + "checkpoints: others");
    if (a.profile != b.profile) profiles(pe, who, a.profile, b.profile);
  }

  void profiles(PeId pe, const std::string& who, const Profile& a, const Profile& b) {
    std::map<std::tuple<u8, u32, u8>, std::array<u64, 2>> both;
    for (const ProfileEntry& entry : a) both[{entry.region, entry.pc, entry.bin}][0] = entry.cycles;
    for (const ProfileEntry& entry : b) both[{entry.region, entry.pc, entry.bin}][1] = entry.cycles;
    for (const auto& [key, cycles] : both) {
      const auto& [region, pc, bin] = key;
      field(pe,
            fmt::format("{}profile: region {}, pc 0x{:08x}, {}", who, region, pc,
                        profile_bin_name(bin)),
            cycles[0], cycles[1]);
    }
  }

  void engines(PeId pe, const DmaReport& a, const DmaReport& b) {
    const std::string who = fmt::format("DMA engine {}: ", pe);
    for (u32 k = 0; k < dma_bin_count; ++k)
      if (a.cycles[k] != b.cycles[k])
        field(pe, fmt::format("{}{}", who, name(static_cast<DmaBin>(k))), a.cycles[k], b.cycles[k]);
    field(pe, who + "descriptors", a.descriptors, b.descriptors);
    field(pe, who + "bytes read", a.bytes_read, b.bytes_read);
    field(pe, who + "bytes written", a.bytes_written, b.bytes_written);
    field(pe, who + "bytes in OCM", a.ocm_bytes, b.ocm_bytes);
    field(pe, who + "bytes in DRAM", a.dram_bytes, b.dram_bytes);
  }

  void consoles(const std::vector<ConsoleWrite>& a, const std::vector<ConsoleWrite>& b) {
    field({}, "console writes", a.size(), b.size());
    for (size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
      const std::string what = fmt::format("{}. console write, ", k + 1);
      field(a[k].pe, what + "PE", a[k].pe, b[k].pe);
      field(a[k].pe, what + "cycle", a[k].cycle, b[k].cycle);
      if (a[k].text != b[k].text) add(a[k].pe, what + "text");
    }
  }

  // Where neither run wrote, both read as memory that nothing initialised, by one function of the
  // address and the case's poison: a few bytes there stand for the rest.
  template <class Read, class Untouched>
  void memory(std::optional<PeId> pe, const std::string& what, const Region& region, Read read,
              Untouched untouched) {
    constexpr u64 few = 64;
    constexpr u64 chunk = 64u << 10;
    std::vector<u8> a(std::min(chunk, region.bytes)), b(a.size());
    for (u64 at = 0; at < region.bytes && !full(); at += chunk) {
      const u64 all = std::min(chunk, region.bytes - at);
      const u32 address = region.base + static_cast<u32>(at);
      const size_t length = untouched(address, all) ? std::min(few, all) : all;
      a.resize(length);
      b.resize(length);
      field(pe, what + " can be read", read(false, address, a), read(true, address, b));
      if (a == b) continue;
      const auto [x, y] = std::ranges::mismatch(a, b);
      return add(pe, fmt::format("{}, byte 0x{:08x}: 0x{:02x}, 0x{:02x}", what,
                                 address + static_cast<u32>(x - a.begin()), *x, *y));
    }
  }

  const Machine& machine_;
  size_t limit_;
  std::vector<Difference> found_;
};

}  // namespace

Side side_of(EngineKind kind) {
  return {std::string(name(kind)), [kind](RunInput input, const RunOptions& options) {
            return make_simulation(kind, std::move(input), options);
          }};
}

Ran run(const Side& side, const RunCase& run_case) {
  return run(side, run_case.input, run_case.options);
}

Ran run(const Side& side, const RunInput& input, const RunOptions& options) {
  Ran ran;
  auto simulation = side.make(input, options);
  if (!simulation) {
    ran.refused = simulation.error();
    return ran;
  }
  ran.simulation = std::move(*simulation);
  ran.outcome = ran.simulation->run();
  return ran;
}

std::vector<Difference> differences(const Machine& machine, const Ran& a, const Ran& b,
                                    size_t limit) {
  if (a.refused || b.refused) {
    const std::string x = a.refused ? a.refused->message : "runs";
    const std::string y = b.refused ? b.refused->message : "runs";
    if (x == y) return {};
    return {{{}, fmt::format("the input: {}; {}", x, y)}};
  }
  Differ differ(machine, limit);
  differ.outcomes(a.outcome, b.outcome);
  differ.memories(*a.simulation, *b.simulation);
  return differ.take();
}

}  // namespace simfarm::profile
