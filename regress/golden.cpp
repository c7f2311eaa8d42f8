#include "regress/golden.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "engine/storages.h"
#include "engine/timing_version.h"
#include "memory/poison.h"
#include "memory/sparse_memory.h"
#include "profile/source.h"

namespace simfarm::regress {
namespace {

/// What each PE wrote, without when.
constexpr std::string_view console_text = "console text";

std::span<const u8> bytes_of(std::string_view text) {
  return {reinterpret_cast<const u8*>(text.data()), text.size()};
}

void add(Digester& to, std::string_view text) {
  to.add(text.size());
  to.add(bytes_of(text));
}

std::vector<u64> row_of(const DmaReport& report) {
  std::vector<u64> row(report.cycles.begin(), report.cycles.end());
  row.insert(row.end(), {report.descriptors, report.bytes_read, report.bytes_written,
                         report.ocm_bytes, report.dram_bytes});
  return row;
}

std::string end_of(const Outcome& outcome) {
  std::string text;
  if (const std::optional<Trap>& trap = outcome.trap)
    text += fmt::format(
        "trap {} in cycle {}, PE {}, pc 0x{:08x}, word 0x{:08x}, address 0x{:08x}: {}\n",
        name(trap->kind), trap->cycle, trap->pe, trap->pc, trap->instruction, trap->address,
        trap->detail);
  if (const std::optional<Deadlock>& deadlock = outcome.deadlock) {
    text += fmt::format("deadlock in cycle {}\n", deadlock->cycle);
    for (const Waiting& one : deadlock->waiting)
      text += fmt::format("{} {} at 0x{:08x} since {}: {}; for {}\n",
                          one.who == Waiting::Who::pe ? "PE" : "DMA engine", one.pe, one.pc,
                          one.since, one.what, one.waits_for);
    text += fmt::format("blame {}\n", deadlock->blame);
  }
  return text;
}

/// Of one shared memory: the pages that do not read as they would if nobody had ever written.
Content content_of(const std::string& name, const Region& region, std::optional<u64> poison,
                   const Simulation& simulation) {
  constexpr u64 page = SparseMemory::page_bytes;
  const SparseMemory fresh(region, poison);
  Content content{name, 0, {}};
  Digester all;
  std::vector<u8> now, before;
  for (u64 at = 0; at < region.bytes; at += page) {
    const u64 length = std::min(page, region.bytes - at);
    const u32 address = region.base + static_cast<u32>(at);
    if (simulation.untouched(address, length)) continue;
    now.resize(length);
    before.resize(length);
    simulation.read(address, now);
    fresh.read(address, before);
    if (now == before) continue;
    all.add(at);
    all.add(now);
    content.bytes += length;
  }
  content.digest = all.finish();
  return content;
}

/// Says how two lists of numbers differ, number by number.
class Differ {
 public:
  explicit Differ(size_t limit) : limit_(limit) {}

  bool full() const { return found_.size() >= limit_; }
  void add(std::optional<PeId> pe, std::string text) {
    // Names and texts may come from a file.
    if (!full()) found_.push_back({pe, profile::printable(text)});
  }
  template <class Value>
  void field(std::optional<PeId> pe, std::string_view what, const Value& golden, const Value& now) {
    if (golden != now) add(pe, fmt::format("{}: {}, now {}", what, golden, now));
  }
  void counters(PeId pe, const std::string& who, const Counters& golden, const Counters& now) {
    if (golden == now) return;
    for (u32 k = 0; k < issue_class_count; ++k)
      field(pe, fmt::format("{}issued {}", who, name(static_cast<IssueClass>(k))), golden.issued[k],
            now.issued[k]);
    for (u32 k = 0; k < stall_count; ++k)
      field(pe, fmt::format("{}stall {}", who, name(static_cast<Stall>(k))), golden.stalls[k],
            now.stalls[k]);
  }
  std::vector<profile::Difference> take() { return std::move(found_); }

 private:
  size_t limit_;
  std::vector<profile::Difference> found_;
};

void compare_counters(Differ& differ, const Golden& golden, const Golden& now) {
  auto a = golden.counters.begin(), b = now.counters.begin();
  const auto before = [](const RegionRow& x, const RegionRow& y) {
    return std::pair(x.pe, x.region) < std::pair(y.pe, y.region);
  };
  while (!differ.full() && (a != golden.counters.end() || b != now.counters.end())) {
    const bool only_a = b == now.counters.end() || (a != golden.counters.end() && before(*a, *b));
    const bool only_b = a == golden.counters.end() || (b != now.counters.end() && before(*b, *a));
    const RegionRow& row = only_b ? *b : *a;
    const std::string who = row.region == 0 ? fmt::format("PE {}: ", row.pe)
                                            : fmt::format("PE {}, region {}: ", row.pe, row.region);
    if (only_a)
      differ.add(row.pe, who + "was there, now nothing");
    else if (only_b)
      differ.add(row.pe, who + "nothing, now there");
    else
      differ.counters(row.pe, who, a->counters, b->counters);
    if (!only_b) ++a;
    if (!only_a) ++b;
  }
}

std::string told(const std::optional<u32>& value) {
  return value ? fmt::format("{}", *value) : "none";
}

std::optional<PeId> pe_of(const Content& content) {
  constexpr std::string_view local = "local ";
  if (!content.name.starts_with(local)) return std::nullopt;
  PeId pe = 0;
  const char* const end = content.name.data() + content.name.size();
  const auto read = std::from_chars(content.name.data() + local.size(), end, pe);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return pe;
}

}  // namespace

std::vector<std::string> dma_columns() {
  std::vector<std::string> columns;
  for (u32 k = 0; k < dma_bin_count; ++k) columns.emplace_back(name(static_cast<DmaBin>(k)));
  columns.insert(columns.end(),
                 {"descriptors", "bytes_read", "bytes_written", "ocm_bytes", "dram_bytes"});
  return columns;
}

std::optional<std::string> name_problem(std::string_view name) {
  if (name.empty() || name.size() > 120) return "a name has 1 to 120 characters";
  if (name.front() == '/' || name.back() == '/' || name.find("//") != std::string_view::npos)
    return "a name has words between its '/'";
  for (const char c : name)
    if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' &&
        c != '.' && c != '-' && c != '/')
      return "a name has A-Z a-z 0-9 _ . - and '/'";
  return std::nullopt;
}

Digest digest(const GoldenCase& one) {
  Digester all;
  add(all, one.text);
  for (const Output& output : one.outputs) {
    add(all, output.name);
    all.add(output.address);
    all.add(output.bytes);
  }
  return all.finish();
}

Digest digest(const Golden& golden) {
  Digester all;
  all.add(golden.timing);
  all.add(static_cast<u64>(golden.kind));
  all.add(golden.cycles);
  add(all, golden.end);
  for (const RegionRow& row : golden.counters) {
    all.add(row.pe);
    all.add(row.region);
    for (const u64 value : row.counters.issued) all.add(value);
    for (const u64 value : row.counters.stalls) all.add(value);
  }
  for (const std::optional<u32>& code : golden.exit_codes) {
    all.add(u64{code.has_value()});
    all.add(code.value_or(0));
  }
  for (const std::vector<u64>& row : golden.dma)
    for (const u64 value : row) all.add(value);
  for (const Checkpoints& one : golden.checkpoints) {
    for (const u64 value : {one.count(), one.digest(), one.stride()}) all.add(value);
    for (const Checkpoint& kept : one.kept()) {
      all.add(kept.cycle);
      all.add(kept.digest);
    }
  }
  for (const Content& content : golden.contents) {
    add(all, content.name);
    all.add(content.bytes);
    all.add(content.digest.high);
    all.add(content.digest.low);
    all.add(u64{content.output});
  }
  return all.finish();
}

u64 Golden::instructions() const {
  u64 sum = 0;
  for (const RegionRow& row : counters) sum += row.counters.instructions();
  return sum;
}

Golden golden_of(const profile::RunCase& run_case, const std::vector<Output>& outputs,
                 const profile::Ran& ran) {
  const Machine& machine = run_case.input.machine;
  const Outcome& outcome = ran.outcome;
  Golden golden;
  golden.timing = timing_version;
  golden.kind = outcome.kind;
  golden.cycles = outcome.cycles;
  golden.end = end_of(outcome);
  for (PeId pe = 0; pe < outcome.pes.size(); ++pe) {
    for (const auto& [region, counters] : outcome.pes[pe].regions)
      golden.counters.push_back({pe, region, counters});
    golden.exit_codes.push_back(outcome.pes[pe].exit_code);
    golden.checkpoints.push_back(outcome.pes[pe].checkpoints);
  }
  for (const DmaReport& report : outcome.dma) golden.dma.push_back(row_of(report));

  std::vector<u8> bytes(machine.map.local.bytes);
  for (PeId pe = 0; pe < machine.pes(); ++pe) {
    ran.simulation->read_local(pe, machine.map.local.base, bytes);
    golden.contents.push_back({fmt::format("local {}", pe), bytes.size(), simfarm::digest(bytes)});
  }
  const auto seed = [&](u64 storage) {
    const std::optional<u64>& poison = run_case.input.poison;
    return poison ? std::optional(poison_seed(*poison, storage)) : std::nullopt;
  };
  golden.contents.push_back(content_of("OCM", machine.map.ocm, seed(ocm_storage), *ran.simulation));
  golden.contents.push_back(
      content_of("DRAM", machine.map.dram, seed(dram_storage), *ran.simulation));
  Digester console;
  std::map<PeId, std::string> texts;
  u64 written = 0;
  for (const ConsoleWrite& write : outcome.console) {
    console.add(write.cycle);
    console.add(write.pe);
    texts[write.pe] += write.text;
    written += write.text.size();
  }
  golden.contents.push_back({"console", written, console.finish()});
  Digester said;
  for (const auto& [pe, text] : texts) {
    said.add(pe);
    add(said, text);
  }
  golden.contents.push_back({std::string(console_text), written, said.finish()});
  for (const Output& output : outputs) {
    bytes.resize(output.bytes);
    ran.simulation->read(output.address, bytes);
    golden.contents.push_back({output.name, output.bytes, simfarm::digest(bytes), true});
  }
  return golden;
}

std::vector<profile::Difference> differences(const Golden& golden, const Golden& now,
                                             size_t limit) {
  Differ differ(limit);
  differ.field({}, "timing version", golden.timing, now.timing);
  differ.field({}, "end", name(golden.kind), name(now.kind));
  differ.field({}, "cycles", golden.cycles, now.cycles);
  differ.field({}, "how it ended", golden.end, now.end);
  compare_counters(differ, golden, now);
  differ.field({}, "PEs", golden.exit_codes.size(), now.exit_codes.size());
  for (PeId pe = 0; pe < std::min(golden.exit_codes.size(), now.exit_codes.size()); ++pe)
    differ.field(pe, fmt::format("PE {}: exit code", pe), told(golden.exit_codes[pe]),
                 told(now.exit_codes[pe]));
  const std::vector<std::string> columns = dma_columns();
  differ.field({}, "DMA engines", golden.dma.size(), now.dma.size());
  for (PeId pe = 0; pe < std::min(golden.dma.size(), now.dma.size()); ++pe)
    for (size_t k = 0; k < columns.size(); ++k)
      differ.field(pe, fmt::format("DMA engine {}: {}", pe, columns[k]), golden.dma[pe][k],
                   now.dma[pe][k]);
  for (PeId pe = 0; pe < std::min(golden.checkpoints.size(), now.checkpoints.size()); ++pe) {
    if (golden.checkpoints[pe] == now.checkpoints[pe]) continue;
    differ.field(pe, fmt::format("PE {}: waits, barriers, gp.dmas and ecalls", pe),
                 golden.checkpoints[pe].count(), now.checkpoints[pe].count());
    differ.add(pe, fmt::format("PE {}: other checkpoints", pe));
  }
  differ.field({}, "memories", golden.contents.size(), now.contents.size());
  for (size_t k = 0; k < std::min(golden.contents.size(), now.contents.size()); ++k) {
    const Content &a = golden.contents[k], &b = now.contents[k];
    if (a == b) continue;
    differ.field(pe_of(a), "memory", a.name, b.name);
    differ.field(pe_of(a), a.name + ", bytes", a.bytes, b.bytes);
    if (a.digest != b.digest) differ.add(pe_of(a), fmt::format("{}: other bytes", a.name));
  }
  return differ.take();
}

u32 checkpoints_for(u64 pes) {
  constexpr u64 all = 512, least = 4, most = 32;
  u32 kept = least;
  while (kept < most && 2 * kept * pes <= all) kept *= 2;
  return kept;
}

std::optional<Interval> first_interval(const Golden& golden, const Golden& now) {
  std::optional<Interval> first;
  const size_t pes = std::min(golden.checkpoints.size(), now.checkpoints.size());
  for (PeId pe = 0; pe < pes; ++pe) {
    const Checkpoints &a = golden.checkpoints[pe], &b = now.checkpoints[pe];
    if (a == b) continue;
    Interval one{pe, 0, std::max(golden.cycles, now.cycles)};
    // Strides are powers of two: those of the wider one are in both.
    const u64 stride = std::max(a.stride(), b.stride());
    for (u64 k = stride; k <= std::min(a.count(), b.count()); k += stride) {
      const Checkpoint &x = a.kept()[k / a.stride() - 1], &y = b.kept()[k / b.stride() - 1];
      if (x != y) {
        one.last = std::max(x.cycle, y.cycle);
        break;
      }
      one.first = x.cycle + 1;
    }
    if (!first || one.last < first->last) first = one;
  }
  return first;
}

Change change(const Golden& before, const Golden& after) {
  // Without outputs of its own, a case's are all of OCM and DRAM.
  const auto outputs = [](const Golden& golden) {
    const bool named = std::any_of(golden.contents.begin(), golden.contents.end(),
                                   [](const Content& content) { return content.output; });
    std::vector<Content> said;
    for (const Content& content : golden.contents)
      if (content.name == console_text ||
          (named ? content.output : content.name == "OCM" || content.name == "DRAM"))
        said.push_back(content);
    return said;
  };
  return {before.cycles != after.cycles,
          outputs(before) != outputs(after) || before.exit_codes != after.exit_codes};
}

}  // namespace simfarm::regress
