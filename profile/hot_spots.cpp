#include "profile/hot_spots.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "isa/decode.h"
#include "isa/disassemble.h"
#include "profile/report.h"
#include "profile/source.h"

namespace simfarm::profile {
namespace {

std::string instruction_at(const Image& image, u32 pc) {
  for (const Segment& segment : image.segments) {
    const u64 offset = u64{pc} - segment.address;
    if (pc < segment.address || offset + 2 > segment.bytes.size()) continue;
    const auto half = [&](u64 at) {
      return at + 2 > segment.bytes.size() ? 0u
                                           : segment.bytes[at] | u32{segment.bytes[at + 1]} << 8;
    };
    const u32 low = half(offset);
    return disassemble_word(is_compressed(low) ? low : low | half(offset + 2) << 16, pc);
  }
  return "";
}

std::string function_of(const HotSpot& spot) {
  return spot.place.function.empty() ? "(unknown)" : printable(spot.place.function);
}

std::string line_of(const HotSpot& spot) {
  return spot.place.file.empty()
             ? "(unknown)"
             : fmt::format("{}:{}", printable(spot.place.file), spot.place.line);
}

u64 issued(const BinCycles& bins) { return bins[profile_issued]; }

/// "load_use 12.0 %, branch 3.1 %": the largest stalls, of `whole`.
std::string largest_stalls(const BinCycles& bins, u64 whole) {
  std::vector<std::pair<u64, u8>> order;
  for (u8 bin = 0; bin < stall_count; ++bin)
    if (bins[bin] != 0) order.emplace_back(bins[bin], bin);
  std::ranges::stable_sort(order, std::greater(), &std::pair<u64, u8>::first);
  std::string text;
  for (size_t k = 0; k < order.size() && k < 3; ++k)
    text += fmt::format("{}{} {} %", k == 0 ? "" : ", ", profile_bin_name(order[k].second),
                        percent(order[k].first, whole));
  return text;
}

template <class NameOf>
std::string table(const std::vector<HotSpot>& spots, const char* title, u32 limit, NameOf name_of) {
  std::map<std::string, BinCycles> sums;
  u64 whole = 0;
  for (const HotSpot& spot : spots) {
    BinCycles& bins = sums[name_of(spot)];
    for (size_t k = 0; k < bins.size(); ++k) bins[k] += spot.bins[k];
    whole += cycles_of(spot.bins);
  }
  std::vector<std::pair<std::string, BinCycles>> order(sums.begin(), sums.end());
  std::ranges::stable_sort(order, std::greater(),
                           [](const auto& one) { return cycles_of(one.second); });
  std::string text = fmt::format("\n{:>12}  {:>6}  {:>12}  {}\n", "cycles", "%", "issued", title);
  for (size_t k = 0; k < order.size() && k < limit; ++k) {
    const auto& [name, bins] = order[k];
    const std::string stalls = largest_stalls(bins, whole);
    text += fmt::format("{:>12}  {:>6}  {:>12}  {}{}{}\n", cycles_of(bins),
                        percent(cycles_of(bins), whole), issued(bins), name,
                        stalls.empty() ? "" : ": ", stalls);
  }
  if (order.size() > limit) text += fmt::format("and {} more\n", order.size() - limit);
  return text;
}

Json bins_json(const BinCycles& bins) {
  Json json = Json::object();
  for (u8 bin = 0; bin <= profile_issued; ++bin)
    if (bins[bin] != 0) json[std::string(profile_bin_name(bin))] = bins[bin];
  return json;
}

}  // namespace

u64 cycles_of(const BinCycles& bins) {
  u64 cycles = 0;
  for (const u64 one : bins) cycles += one;
  return cycles;
}

std::vector<HotSpot> hot_spots(const Machine& machine, const Program& program,
                               const Outcome& outcome) {
  std::map<std::tuple<const Image*, u8, u32>, HotSpot> found;
  for (PeId pe = 0; pe < outcome.pes.size(); ++pe) {
    const Image& image = image_of(program, machine, pe);
    HotSpot* last = nullptr;
    for (const ProfileEntry& entry : outcome.pes[pe].profile) {
      if (last == nullptr || last->region != entry.region || last->pc != entry.pc) {
        last = &found[{&image, entry.region, entry.pc}];
        last->region = entry.region;
        last->pc = entry.pc;
        ++last->pes;
      }
      last->bins[entry.bin] += entry.cycles;
    }
  }
  std::vector<HotSpot> spots;
  for (const auto& image : program.images)
    for (auto at = found.lower_bound({image.get(), 0, 0});
         at != found.end() && std::get<0>(at->first) == image.get(); ++at) {
      HotSpot& spot = spots.emplace_back(std::move(at->second));
      spot.image = image->file;
      spot.place = locate(*image, spot.pc);
      spot.instruction = instruction_at(*image, spot.pc);
    }
  return spots;
}

std::string profile_tables(const std::vector<HotSpot>& spots, u32 limit) {
  std::string text = table(spots, "function", limit, function_of);
  text += table(spots, "line", limit, [](const HotSpot& spot) {
    return fmt::format("{} ({})", line_of(spot), function_of(spot));
  });
  if (std::ranges::any_of(spots, [](const HotSpot& spot) { return spot.region != 0; }))
    text += table(spots, "region", limit,
                  [](const HotSpot& spot) { return fmt::format("{}", spot.region); });
  struct StallAt {
    u64 cycles;
    u8 bin;
    const HotSpot* spot;
  };
  std::vector<StallAt> stalls;
  u64 whole = 0;
  for (const HotSpot& spot : spots) {
    whole += cycles_of(spot.bins);
    for (u8 bin = 0; bin < stall_count; ++bin)
      if (spot.bins[bin] != 0 && bin != static_cast<u8>(Stall::done))
        stalls.push_back({spot.bins[bin], bin, &spot});
  }
  std::ranges::stable_sort(stalls, std::greater(), &StallAt::cycles);
  text += fmt::format("\n{:>12}  {:>6}  {:>5}  stall\n", "cycles", "%", "PEs");
  for (size_t k = 0; k < stalls.size() && k < limit; ++k) {
    const auto& [cycles, bin, spot] = stalls[k];
    text += fmt::format("{:>12}  {:>6}  {:>5}  {} at 0x{:08x}, {} ({}), {}\n", cycles,
                        percent(cycles, whole), spot->pes, profile_bin_name(bin), spot->pc,
                        line_of(*spot), function_of(*spot), spot->instruction);
  }
  return text;
}

std::string folded_stacks(const std::vector<HotSpot>& spots) {
  std::string text;
  const auto frame = [](std::string name) {
    std::ranges::replace(name, ';', ':');
    std::ranges::replace(name, '\n', ' ');
    return name;
  };
  for (const HotSpot& spot : spots)
    for (u8 bin = 0; bin <= profile_issued; ++bin)
      if (spot.bins[bin] != 0)
        text += fmt::format("region {};{};{};0x{:08x} {};{} {}\n", spot.region,
                            frame(function_of(spot)), frame(line_of(spot)), spot.pc,
                            frame(spot.instruction), profile_bin_name(bin), spot.bins[bin]);
  return text;
}

Json profile_document(const Machine& machine, const Outcome& outcome,
                      const std::vector<HotSpot>& spots, const std::string& rerun) {
  Json pes = Json::array();
  for (PeId pe = 0; pe < outcome.pes.size(); ++pe) {
    BinCycles bins{};
    for (const ProfileEntry& entry : outcome.pes[pe].profile) bins[entry.bin] += entry.cycles;
    pes.push_back({{"row", machine.row_of(pe)},
                   {"column", machine.column_of(pe)},
                   {"bins", bins_json(bins)}});
  }
  BinCycles all{};
  Json list = Json::array();
  for (const HotSpot& spot : spots) {
    for (size_t k = 0; k < all.size(); ++k) all[k] += spot.bins[k];
    list.push_back({{"image", printable(spot.image)},
                    {"region", spot.region},
                    {"pc", spot.pc},
                    {"function", printable(spot.place.function)},
                    {"file", printable(spot.place.file)},
                    {"line", spot.place.line},
                    {"instruction", spot.instruction},
                    {"pes", spot.pes},
                    {"bins", bins_json(spot.bins)}});
  }
  return {
      {"schema", "simfarm.profile"},
      {"version", 1},
      {"rerun", rerun},
      {"unit", "cycles"},
      {"outcome", name(outcome.kind)},
      {"cycles", outcome.cycles},
      {"instructions", outcome.instructions()},
      {"machine", {{"name", machine.name}, {"rows", machine.rows}, {"columns", machine.columns}}},
      {"bins", bins_json(all)},
      {"pes", std::move(pes)},
      {"spots", std::move(list)}};
}

}  // namespace simfarm::profile
