#include "profile/json.h"

#include "profile/source.h"

namespace simfarm::profile {
namespace {

u64 stall(const Counters& counters, Stall bin) { return counters.stalls[static_cast<u32>(bin)]; }

// Reports name sem_wait as one bin, so that the bins stay exclusive; its split has a key of its
// own.
bool is_sem_wait(u32 bin) {
  return bin >= static_cast<u32>(Stall::sem_wait_dma) &&
         bin <= static_cast<u32>(Stall::sem_wait_none);
}

Json trap_json(const Trap& trap, const Machine& machine, const Program& program) {
  Json json{{"kind", name(trap.kind)},
            {"cycle", trap.cycle},
            {"pe", trap.pe},
            {"row", machine.row_of(trap.pe)},
            {"column", machine.column_of(trap.pe)},
            {"pc", trap.pc},
            {"instruction", trap.instruction},
            {"address", trap.address},
            {"detail", trap.detail}};
  if (const std::string place = source_place(program, machine, trap.pe, trap.pc); !place.empty())
    json["source"] = place;
  return json;
}

Json deadlock_json(const Deadlock& deadlock, const Machine& machine, const Program& program) {
  Json waiting = Json::array();
  for (const Waiting& party : deadlock.waiting) {
    Json entry{{"who", party.who == Waiting::Who::pe ? "pe" : "dma"},
               {"pe", party.pe},
               {"pc", party.pc},
               {"since", party.since},
               {"what", party.what},
               {"waits_for", party.waits_for}};
    if (const std::string place = source_place(program, machine, party.pe, party.pc);
        !place.empty())
      entry["source"] = place;
    waiting.push_back(std::move(entry));
  }
  return {{"cycle", deadlock.cycle}, {"waiting", std::move(waiting)}, {"blame", deadlock.blame}};
}

}  // namespace

Json to_json(const Counters& counters) {
  Json issued = Json::object();
  for (u32 k = 0; k < issue_class_count; ++k)
    issued[std::string(name(static_cast<IssueClass>(k)))] = counters.issued[k];
  Json stalls = Json::object();
  for (u32 k = 0; k < stall_count; ++k) {
    if (k == static_cast<u32>(Stall::sem_wait_dma)) {
      u64 sum = 0;
      for (u32 bin = 0; bin < stall_count; ++bin)
        if (is_sem_wait(bin)) sum += counters.stalls[bin];
      stalls["sem_wait"] = sum;
    }
    if (!is_sem_wait(k)) stalls[std::string(name(static_cast<Stall>(k)))] = counters.stalls[k];
  }
  return {{"issued", std::move(issued)},
          {"stalls", std::move(stalls)},
          {"sem_wait_by",
           {{"dma", stall(counters, Stall::sem_wait_dma)},
            {"post", stall(counters, Stall::sem_wait_post)},
            {"push", stall(counters, Stall::sem_wait_push)},
            {"none", stall(counters, Stall::sem_wait_none)}}}};
}

Json run_document(const Machine& machine, const Program& program, const Outcome& outcome,
                  const HostFacts& host) {
  Json exit_codes = Json::array();
  Json pes = Json::array();
  for (PeId pe = 0; pe < outcome.pes.size(); ++pe) {
    const PeReport& report = outcome.pes[pe];
    exit_codes.push_back(report.exit_code ? Json(*report.exit_code) : Json(nullptr));
    Json entry{{"row", machine.row_of(pe)}, {"column", machine.column_of(pe)}};
    entry.update(to_json(report.total));
    if (report.regions.size() > 1) {
      Json regions = Json::object();
      for (const auto& [region, counters] : report.regions)
        regions[std::to_string(region)] = to_json(counters);
      entry["regions"] = std::move(regions);
    }
    pes.push_back(std::move(entry));
  }
  Json dma = Json::array();
  for (PeId pe = 0; pe < outcome.dma.size(); ++pe) {
    const DmaReport& report = outcome.dma[pe];
    Json cycles = Json::object();
    for (u32 k = 0; k < dma_bin_count; ++k)
      cycles[std::string(name(static_cast<DmaBin>(k)))] = report.cycles[k];
    dma.push_back({{"row", machine.row_of(pe)},
                   {"column", machine.column_of(pe)},
                   {"cycles", std::move(cycles)},
                   {"descriptors", report.descriptors},
                   {"bytes_read", report.bytes_read},
                   {"bytes_written", report.bytes_written},
                   {"ocm_bytes", report.ocm_bytes},
                   {"dram_bytes", report.dram_bytes}});
  }
  Json console = Json::array();
  for (const ConsoleWrite& write : outcome.console)
    console.push_back({{"cycle", write.cycle}, {"pe", write.pe}, {"text", printable(write.text)}});
  Json document{
      {"schema", "simfarm.run"},
      {"version", 1},
      {"outcome", name(outcome.kind)},
      {"cycles", outcome.cycles},
      {"instructions", outcome.instructions()},
      {"exit_codes", std::move(exit_codes)},
      {"machine", {{"name", machine.name}, {"rows", machine.rows}, {"columns", machine.columns}}},
      {"pes", std::move(pes)},
      {"dma", std::move(dma)},
      {"console", std::move(console)}};
  if (outcome.trap) document["trap"] = trap_json(*outcome.trap, machine, program);
  if (outcome.deadlock) document["deadlock"] = deadlock_json(*outcome.deadlock, machine, program);
  document["host"] = {{"engine", host.engine}, {"seconds", host.seconds}};
  if (!host.trouble.empty()) document["host"]["trouble"] = host.trouble;
  return document;
}

}  // namespace simfarm::profile
