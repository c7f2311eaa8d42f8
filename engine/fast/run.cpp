#include "engine/fast/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "base/check.h"
#include "base/parallel.h"
#include "engine/fast/planted.h"

namespace simfarm::fast {
namespace {

/// Where a wait is charged that does not end: to what it waits for.
Stall unfinished_wait(Op op) {
  switch (op) {
    case Op::GP_SEND:
      return Stall::link_full;
    case Op::GP_RECV:
      return Stall::link_empty;
    case Op::GP_DMA:
      return Stall::dma_queue_full;
    case Op::GP_BAR:
      return Stall::barrier;
    default:
      return Stall::sem_wait_none;
  }
}

/// Instructions of all workers in one phase: fewer are done before the other threads are there.
constexpr u64 worth_a_crew = 10'000;
/// Of a worker, from one rest to the next: fewer take less time than to be woken does.
constexpr u64 worth_a_rest = 50'000;
constexpr u64 rests_to_see = 16;

}  // namespace

Run::Run(const RunInput& input, const RunOptions& options, Cycle end, u32 granule)
    : input_(input),
      shared_(input.machine, input.poison),
      state_(input, options, end, granule),
      workers_(make_workers(options, granule)),
      fabric_(input, options, state_, workers_[0]->stepper(), shared_, granule) {
  shared_.load(input);
  shuffles_ = options.host.shuffle.has_value();
  if (workers_.size() > 1) crew_.emplace(static_cast<u32>(workers_.size()));
}

/// Each has neighbouring tiles, so that few links are between two of them.
std::vector<std::unique_ptr<Worker>> Run::make_workers(const RunOptions& options, u32 granule) {
  const u32 tiles = state_.storage.tiles();
  const u32 threads = options.host.threads == 0 ? host_threads() : options.host.threads;
  const u32 count = std::min(threads, tiles);
  std::vector<std::unique_ptr<Worker>> workers;
  // Together they generate code after as many instructions as one alone.
  HostOptions host = options.host;
  host.warm_up = (host.warm_up + count - 1) / count;
  for (u32 k = 0; k < count; ++k) {
    std::vector<u32> own(u64{tiles} * (k + 1) / count - u64{tiles} * k / count);
    std::iota(own.begin(), own.end(), static_cast<u32>(u64{tiles} * k / count));
    workers.push_back(
        std::make_unique<Worker>(input_, host, state_, fabric_, std::move(own), k, granule));
  }
  return workers;
}

Worker& Run::worker_of(PeId pe) const {
  const u64 tile = pe / state_.storage.width();
  return *workers_[((tile + 1) * workers_.size() - 1) / state_.storage.tiles()];
}

void Run::go() {
  for (;;) {
    const bool ran = run_pes();
    const bool advanced = fabric_.advance();
    if (fabric_.misjudged() || fabric_.suspects_race()) return;
    if (ran || advanced) continue;
    bool released = false;
    for (const auto& worker : workers_) released |= worker->release_parked();
    if (!released) break;
  }
  fabric_.finish();
}

u64 Run::worked() const {
  u64 instructions = 0;
  for (const auto& worker : workers_) instructions += worker->worked();
  return instructions;
}

/// Until none of the PEs can go on without the fabric or those it waits for at a gate. True: some
/// did.
bool Run::run_pes() {
  if (!crew_) return workers_[0]->run_pes();
  const u64 before = worked();
  bool any = false;
  coupled_ = false;
  const bool together = shuffles_ || (phase_ >= worth_a_crew && in_turn_ == 0);
  if (together) any = run_together();
  if (coupled_) {
    in_turn_ = next_in_turn_;
    next_in_turn_ *= 2;
  }
  if (!together || coupled_) any |= run_in_turn();
  const u64 instructions = worked() - before;
  in_turn_ -= std::min(in_turn_, instructions);
  phase_ = (7 * phase_ + instructions) / 8;
  return any;
}

bool Run::run_in_turn() {
  bool any = false;
  for (bool progress = true; progress;) {
    progress = false;
    bool cut_short = false;
    for (const auto& worker : workers_) {
      progress |= worker->run_pes();
      cut_short |= worker->cut_short();
    }
    any |= progress;
    if (cut_short) break;
  }
  return any;
}

/// When it finds out that the workers are coupled, it may end before the phase is over.
bool Run::run_together() {
  Rest rest(static_cast<u32>(workers_.size()));
  std::atomic<bool> any = false, coupled = false;
  crew_->run([&](u32 member) {
    Worker& worker = *workers_[member];
    const u64 before = worker.worked();
    const auto can_go_on = [&] { return !coupled && worker.can_go_on_at_links(); };
    u64 rests = 0;
    for (;;) {
      if (worker.run_pes()) any = true;
      const bool may = worker.waits_at_links();
      if (may && Rest::soon(can_go_on)) continue;
      rests += may ? 1 : 0;
      const bool often = rests > rests_to_see && worker.worked() - before < rests * worth_a_rest;
      if (may && (shuffles_ ? worker.by_chance(8) : often)) coupled = true;
      if (rest.rest(may, can_go_on)) return;
    }
  });
  coupled_ = coupled;
  return any;
}

std::string Run::trouble() const {
  for (const auto& worker : workers_)
    if (!worker->trouble().empty()) return worker->trouble();
  return {};
}

bool Run::all_ended() const {
  return std::all_of(state_.pes.begin(), state_.pes.end(),
                     [](const Pe& pe) { return pe.block == Block::ended; });
}

/// Of a run in which nothing more will happen: the first cycle in which nothing did; never: it goes
/// on at its end.
Cycle Run::first_standstill() const {
  if (!fabric_.quiet()) return never;
  Cycle cycle = fabric_.last_event();
  for (const Pe& pe : state_.pes) {
    switch (pe.block) {
      case Block::ended:
        cycle = std::max(cycle, pe.ended_in + 1);
        break;
      case Block::stopped:
      case Block::waits_past_end:
        return never;
      default:
        cycle = std::max(cycle, pe.since);
    }
  }
  if (all_ended() && fabric_.drained()) return cycle;
  return std::max({cycle, state_.links.quiet_from(), fabric_.last_barrier()});
}

Outcome Run::outcome() {
  Outcome outcome;
  // Who still waits at a link has not been charged what comes before the wait.
  for (Pe& pe : state_.pes)
    if ((pe.block == Block::link_full || pe.block == Block::link_empty) && pe.node != nullptr)
      if (worker_of(pe.id).stepper().step(pe).what == Stepped::What::stopped)
        pe.block = Block::stopped;
  const Cycle end = state_.end.get();
  const Cycle still = first_standstill();
  const bool finished = all_ended() && fabric_.drained();
  outcome.kind = Outcome::Kind::cycle_limit;
  outcome.cycles = end;
  if (finished ? still <= end : still < end) {
    outcome.kind = finished ? Outcome::Kind::finished : Outcome::Kind::deadlock;
    outcome.cycles = still;
    if (planted(Planted::deadlock_cycle) && !finished && still + 1 < end) ++outcome.cycles;
  }
  std::optional<ExitProfile> exits;  // of the worker whose PEs it is the turn of
  const Worker* whose = nullptr;
  for (Pe& pe : state_.pes) {
    if (const Worker* const worker = &worker_of(pe.id); pe.profile.on() && worker != whose) {
      exits.emplace(worker->graph());
      whose = worker;
    }
    outcome.pes.push_back(report(pe, outcome.cycles, exits ? &*exits : nullptr));
    outcome.dma.push_back(fabric_.report(pe.id, outcome.cycles));
  }
  if (outcome.kind == Outcome::Kind::deadlock) outcome.deadlock = explain(still);
  outcome.console = fabric_.console(outcome.cycles);
  return outcome;
}

PeReport Run::report(Pe& pe, Cycle end, const ExitProfile* exits) {
  if (pe.block == Block::ended) {
    const u64 done = end - (pe.ended_in + 1);
    pe.stepped[pe.entry.region].stalls[static_cast<u32>(Stall::done)] += done;
    pe.profile.add_stall(pe.entry.region, pe.ended_at, Stall::done, done);
  } else if (pe.block != Block::stopped) {
    Stepper::wait_until(pe, end, unfinished_wait(pe.op->op));
  }
  std::map<u8, Counters> regions = pe.stepped;
  const u64* together = state_.storage.tile_counts(pe.id / state_.storage.width(), input_.machine);
  const Graph& graph = worker_of(pe.id).graph();
  for (u32 k = 0; k < graph.exits(); ++k) {
    const u64 times = pe.frame.counts[k] + together[k];
    if (times == 0) continue;
    const ExitCost& cost = graph.cost(k);
    Counters& counters = regions[cost.region];
    for (u32 bin = 0; bin < issue_class_count; ++bin)
      counters.issued[bin] += times * cost.counters.issued[bin];
    for (u32 bin = 0; bin < stall_count; ++bin)
      counters.stalls[bin] += times * cost.counters.stalls[bin];
  }
  PeReport report;
  regions[0];
  for (const auto& [region, counters] : regions) {
    if (region != 0 && counters.cycles() == 0) continue;
    report.regions.emplace(region, counters);
    report.total += counters;
  }
  check(report.total.cycles() == end, "a PE's bins do not sum to the run's cycles");
  if (pe.block == Block::ended && pe.ended_in + (planted(Planted::exit_code_at_end) ? 1 : 0) < end)
    report.exit_code = pe.exit_code;
  report.checkpoints = pe.checkpoints;
  if (exits != nullptr) {
    exits->add(pe.frame.counts, together, pe.profile);
    report.profile = pe.profile.profile();
    check(cycles_of(report.profile) == end, "a PE's profile does not sum to the run's cycles");
  }
  return report;
}

bool Run::read_local(PeId pe, u32 address, std::span<u8> bytes) const {
  if (pe >= state_.pes.size() || !state_.pes[pe].local.contains(address, bytes.size()))
    return false;
  state_.pes[pe].local.read(address, bytes);
  fabric_.unacquired(pe).put_on(address, bytes);
  return true;
}

Deadlock Run::explain(Cycle cycle) const {
  class Situation final : public Standstill {
   public:
    Situation(const Run& run, Cycle cycle) : run_(run), cycle_(cycle) {}
    const Machine& machine() const override { return run_.input_.machine; }
    Cycle cycle() const override { return cycle_; }
    bool ended(PeId pe) const override { return run_.state_.pes[pe].block == Block::ended; }
    u32 pc(PeId pe) const override { return run_.state_.pes[pe].pc(); }
    const Operation& operation(PeId pe) const override { return *run_.state_.pes[pe].op; }
    u32 rs1(PeId pe) const override { return run_.state_.pes[pe].x(operation(pe).rs1); }
    Cycle waiting_since(PeId pe) const override { return run_.state_.pes[pe].since; }
    u32 semaphore(PeId pe, u32 number) const override { return run_.fabric_.semaphore(pe, number); }
    std::optional<PeId> last_poster(PeId pe, u32 number) const override {
      return run_.fabric_.last_poster(pe, number);
    }
    std::vector<WaitingTransfer> waiting_transfers(PeId pe) const override {
      return run_.fabric_.waiting_transfers(pe);
    }
    Cycle acquiring_since(PeId pe) const override { return run_.fabric_.acquiring_since(pe); }

   private:
    const Run& run_;
    Cycle cycle_;
  };
  return explain_deadlock(Situation(*this, cycle));
}

}  // namespace simfarm::fast
