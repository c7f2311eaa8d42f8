#include "profile/trace.h"

#include <fmt/format.h>

#include <utility>

#include "isa/disassemble.h"
#include "isa/registers.h"
#include "isa/traits.h"
#include "profile/json.h"
#include "profile/source.h"

namespace simfarm::profile {

Tracer::Tracer(const Machine& machine, const Program& program, TraceWindow window, bool json,
               std::function<void(const std::string&)> write)
    : machine_(machine),
      program_(program),
      window_(std::move(window)),
      json_(json),
      write_(std::move(write)) {}

bool Tracer::wants(Cycle first, Cycle last, PeId pe) const {
  return first <= window_.last && last >= window_.first &&
         (window_.pes.empty() || window_.pes.contains(pe));
}

void Tracer::issued(Cycle cycle, PeId pe, u32 pc, const Operation& op, std::span<const u32, 32> x) {
  if (!window_.instructions || !wants(cycle, cycle, pe)) return;
  const std::string text = disassemble(op, pc);
  if (json_) {
    Json line{{"cycle", cycle}, {"pe", pe}, {"event", "issue"}, {"pc", pc}, {"text", text}};
    Json written = Json::object();
    for (u32 k = 1; k < 32; ++k)
      if (registers_written(op) >> k & 1) written[std::string(register_name(k))] = x[k];
    line["written"] = std::move(written);
    return write_(line.dump());
  }
  std::string written;
  for (u32 k = 1; k < 32; ++k)
    if (registers_written(op) >> k & 1)
      written += fmt::format(" {}={:08x}", register_name(k), x[k]);
  const std::string place = source_place(program_, machine_, pe, pc);
  write_(fmt::format("{:>9} PE {:<4} {:08x}  {:<40}{}{}{}", cycle, pe, pc, text, written,
                     place.empty() ? "" : "  ; ", place));
}

void Tracer::stalled(Cycle cycle, PeId pe, u32 pc, Stall bin, u64 cycles, u32 culprit) {
  if (!window_.stalls || cycles == 0 || !wants(cycle, cycle + cycles - 1, pe)) return;
  if (json_)
    return write_(Json{
        {"cycle", cycle},
        {"pe", pe},
        {"event", "stall"},
        {"pc", pc},
        {"bin", name(bin)},
        {"cycles", cycles},
        {"culprit",
         culprit}}.dump());
  write_(fmt::format("{:>9} PE {:<4} {:08x}  stall {} x {}, culprit 0x{:x}", cycle, pe, pc,
                     name(bin), cycles, culprit));
}

void Tracer::transfer(Cycle cycle, PeId pe, u32 descriptor, u64 sequence, std::string_view event) {
  if (!window_.transfers || !wants(cycle, cycle, pe)) return;
  if (json_)
    return write_(Json{
        {"cycle", cycle},
        {"pe", pe},
        {"event", std::string("transfer ") + std::string(event)},
        {"descriptor", descriptor},
        {"sequence",
         sequence}}.dump());
  write_(fmt::format("{:>9} DMA {:<3} 0x{:08x}  transfer {} {}", cycle, pe, descriptor, sequence,
                     event));
}

void Tracer::released(Cycle cycle, PeId initiator, u64 sequence, PeId at, u32 semaphore,
                      u32 amount) {
  if (!window_.transfers || !(wants(cycle, cycle, initiator) || wants(cycle, cycle, at))) return;
  if (json_)
    return write_(Json{
        {"cycle", cycle},
        {"pe", initiator},
        {"event", "transfer release"},
        {"sequence", sequence},
        {"at", at},
        {"semaphore", semaphore},
        {"amount",
         amount}}.dump());
  write_(fmt::format("{:>9} DMA {:<3} transfer {} adds {} to semaphore {} of PE {}", cycle,
                     initiator, sequence, amount, semaphore, at));
}

void Tracer::beat(Cycle cycle, PeId initiator, u64 sequence, u32 burst, std::string_view resource) {
  if (!window_.transfers || !wants(cycle, cycle, initiator)) return;
  if (json_)
    return write_(Json{
        {"cycle", cycle},
        {"pe", initiator},
        {"event", "beat"},
        {"sequence", sequence},
        {"burst", burst},
        {"resource",
         resource}}.dump());
  write_(fmt::format("{:>9} DMA {:<3} transfer {} burst {}: beat of {}", cycle, initiator, sequence,
                     burst, resource));
}

void Tracer::link(Cycle cycle, PeId from, PeId to, u32 word, std::string_view event) {
  if (!window_.links || !(wants(cycle, cycle, from) || wants(cycle, cycle, to))) return;
  if (json_)
    return write_(Json{
        {"cycle", cycle},
        {"from", from},
        {"to", to},
        {"event", std::string("link ") + std::string(event)},
        {"word",
         word}}.dump());
  write_(fmt::format("{:>9} link {} -> {}: {} 0x{:08x}", cycle, from, to, event, word));
}

}  // namespace simfarm::profile
