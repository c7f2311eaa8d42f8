#include "engine/reference/dma.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "engine/reference/races.h"

namespace simfarm::reference {

/// A completion: at one receiver, or at the initiator.
struct Dma::Event {
  std::shared_ptr<Transfer> transfer;
  bool at_initiator = false;
  PeId receiver = 0;

  std::tuple<PeId, u64, bool, PeId> order() const {
    const Request& request = transfer->request();
    return {request.pe, request.sequence, at_initiator, receiver};
  }
};

Dma::Dma(World& world)
    : world_(world),
      arbiter_(world.machine),
      engines_(world.machine.pes(), DmaEngine(world.machine)),
      bins_(world.machine.pes()) {}

std::vector<Dma::Event> Dma::events() {
  const Cycle now = world_.now;
  std::vector<Event> events;
  for (const std::shared_ptr<Transfer>& transfer : active_) {
    DmaEngine& engine = engines_[transfer->request().pe];
    transfer->retire(now, engine.free_slots(), engine.report());
    for (const PeId receiver : transfer->receivers_completed(now))
      events.push_back({transfer, false, receiver});
    if (transfer->completion() == now) events.push_back({transfer, true, 0});
  }
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return a.order() < b.order(); });
  return events;
}

void Dma::complete() {
  if (active_.empty()) return;
  for (const Event& event : events()) {
    if (event.at_initiator)
      complete_at_initiator(*event.transfer);
    else
      complete_at_receiver(*event.transfer, event.receiver);
  }
  std::erase_if(active_,
                [&](const auto& transfer) { return transfer->completion() == world_.now; });
}

void Dma::complete_at_receiver(const Transfer& transfer, PeId receiver) {
  const dma::SemaphoreUse& use = transfer.request().descriptor.release_receivers;
  arrive(transfer, receiver, use);
  if (world_.races) world_.races->completed_at(transfer.request(), receiver);
  release(transfer, receiver, use);
}

void Dma::complete_at_initiator(const Transfer& transfer) {
  const Request& request = transfer.request();
  const dma::SemaphoreUse& use = request.descriptor.release_own;
  switch (request.destination_space) {
    case AddressMap::Space::local:
      if (!request.descriptor.multicast)
        arrive(transfer, request.pe, use);
      else if (request.to_self() && use.amount != 0)
        world_.locals[request.pe].release(request.id(), use.semaphore);
      break;
    case AddressMap::Space::ocm:
      transfer.payload()->apply(world_.shared.ocm);
      break;
    case AddressMap::Space::dram:
      transfer.payload()->apply(world_.shared.dram);
      break;
    default:
      break;  // nothing was moved
  }
  if (world_.races) world_.races->completed(request);
  ++engines_[request.pe].report().descriptors;
  world_.watch.transfer(world_.now, request.pe, request.descriptor.address, request.sequence,
                        "complete");
  release(transfer, request.pe, use);
}

/// The bytes have come to a local memory: for DMA to see, and to be acquired by its PE.
void Dma::arrive(const Transfer& transfer, PeId pe, const dma::SemaphoreUse& release) {
  const std::shared_ptr<const Payload>& payload = transfer.payload();
  if (payload->empty()) return;
  const u32 releases = release.amount != 0 ? 1u << release.semaphore : 0;
  const Request& request = transfer.request();
  world_.locals[pe].complete(request.id(), payload, releases);
  engines_[pe].for_each_waiting(
      [&](Request& waiting) { payload->apply(waiting.source.base, waiting.source.bytes); });
}

void Dma::release(const Transfer& transfer, PeId pe, const dma::SemaphoreUse& use) {
  if (use.amount == 0) return;
  const Request& request = transfer.request();
  const u32 descriptor = request.descriptor.address;
  world_.watch.released(world_.now, request.pe, request.sequence, pe, use.semaphore, use.amount);
  const bool own = pe == request.pe;
  if (world_.semaphores.raise(
          pe, use.semaphore, use.amount,
          own ? Raiser{Stall::sem_wait_dma, descriptor} : Raiser{Stall::sem_wait_push, request.pe}))
    return;
  world_.traps.raise({TrapKind::semaphore_overflow, world_.now, pe, request.pc, 0, use.semaphore,
                      fmt::format("semaphore {} of PE {}, by the descriptor at 0x{:08x} of PE {}",
                                  use.semaphore, pe, descriptor, request.pe)});
}

void Dma::queue(PeId pe, std::deque<Request> chain) {
  waiting_ += chain.size();
  engines_[pe].number(chain);
  if (world_.races)
    for (const Request& request : chain) world_.races->queued(request);
  engines_[pe].queue(std::move(chain));
}

void Dma::start() {
  for (const PeId pe : busy_) bins_[pe] = DmaBin::idle;
  busy_.clear();
  if (waiting_ == 0) return;
  for (PeId pe = 0; pe < engines_.size(); ++pe) {
    if (!engines_[pe].waiting()) continue;
    start(pe);
    if (!engines_[pe].waiting()) continue;
    bins_[pe] = DmaBin::acquire_wait;  // unless move() finds it at work
    busy_.push_back(pe);
  }
}

void Dma::start(PeId pe) {
  DmaEngine& engine = engines_[pe];
  if (!engine.head_may_start(world_.now)) return;
  const dma::SemaphoreUse acquire = engine.head()->descriptor.acquire;
  if (acquire.amount != 0 && !world_.semaphores.take(pe, acquire.semaphore, acquire.amount))
    return engine.acquire_failed(world_.now);
  Request request = engine.take_head();
  --waiting_;
  world_.watch.transfer(world_.now, pe, request.descriptor.address, request.sequence, "start");
  if (world_.races)
    if (auto trap = world_.races->started(request, world_.now)) world_.traps.raise(*trap);
  const SparseMemory* shared = request.source_space == AddressMap::Space::ocm ? &world_.shared.ocm
                               : request.source_space == AddressMap::Space::dram
                                   ? &world_.shared.dram
                                   : nullptr;
  auto payload = std::make_shared<const Payload>(request, shared);
  auto transfer = std::make_shared<Transfer>(std::move(request), std::move(payload), world_.now,
                                             world_.machine);
  active_.push_back(transfer);
  engine.started(std::move(transfer));
}

void Dma::move() {
  if (active_.empty()) return;
  const Cycle now = world_.now;
  arbiter_.begin(now);
  for (const std::shared_ptr<Transfer>& transfer : active_)
    transfer->issue(now, engines_[transfer->request().pe].free_slots());
  for (const std::shared_ptr<Transfer>& transfer : active_) {
    transfer->ask(now, arbiter_, world_.watch);
    // The oldest transfer with a burst that has not ended decides; then set-up; then the rest.
    DmaBin& bin = bins_[transfer->request().pe];
    if (bin >= DmaBin::transfer) continue;
    if (bin == DmaBin::idle) busy_.push_back(transfer->request().pe);
    bin = transfer->bin(now).value_or(DmaBin::setup);
  }
}

void Dma::charge() {
  for (const PeId pe : busy_) ++engines_[pe].report().cycles[static_cast<u32>(bins_[pe])];
}

DmaReport Dma::report(PeId pe, Cycle end) const {
  DmaReport report = engines_[pe].report();
  u64 busy = 0;
  for (const u64 cycles : report.cycles) busy += cycles;
  check(busy <= end && report.cycles[static_cast<u32>(DmaBin::idle)] == 0,
        "a DMA engine's bins do not sum to the run's cycles");
  report.cycles[static_cast<u32>(DmaBin::idle)] = end - busy;
  return report;
}

}  // namespace simfarm::reference
