#include "engine/reference/deadlock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "engine/reference/dma.h"

namespace simfarm::reference {
namespace {

using Who = Waiting::Who;

/// A party that waits, and who of those that wait is to blame first.
struct Entry {
  Waiting waiting;
  std::optional<std::pair<PeId, Who>> blamed;
};

class Explanation {
 public:
  Explanation(const std::vector<Pe>& pes, const World& world) : pes_(pes), world_(world) {}

  Deadlock make() {
    std::vector<Entry> entries;
    for (const Pe& pe : pes_) {
      if (!pe.ended()) entries.push_back(of_pe(pe));
      if (world_.dma->engine(pe.id()).waiting()) entries.push_back(of_engine(pe.id()));
    }
    Deadlock deadlock;
    deadlock.cycle = world_.now;
    for (const Entry& entry : entries) deadlock.waiting.push_back(entry.waiting);
    deadlock.blame = blame(entries);
    return deadlock;
  }

 private:
  /// From the first party to one that was there before, or to one that nobody can help.
  static std::vector<u32> blame(const std::vector<Entry>& entries) {
    const u64 none = entries.size();
    const auto index_of = [&](std::pair<PeId, Who> party) {
      const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
        return std::pair(entry.waiting.pe, entry.waiting.who) == party;
      });
      return static_cast<u64>(found - entries.begin());
    };
    std::vector<u32> chain;
    u64 at = 0;
    while (at != none && std::find(chain.begin(), chain.end(), at) == chain.end()) {
      chain.push_back(static_cast<u32>(at));
      at = entries[at].blamed ? index_of(*entries[at].blamed) : none;
    }
    return chain;
  }

  Entry of_pe(const Pe& pe) {
    Entry entry;
    entry.waiting.who = Who::pe;
    entry.waiting.pe = pe.id();
    entry.waiting.pc = pe.hart().pc;
    entry.waiting.since = pe.waiting_since();
    const i32 imm = pe.operation().imm;
    switch (pe.operation().op) {
      case Op::GP_SEND:
        link(pe.id(), static_cast<Direction>(imm), true, entry);
        break;
      case Op::GP_RECV:
        link(pe.id(), static_cast<Direction>(imm), false, entry);
        break;
      case Op::GP_DMA:
        entry.waiting.what =
            fmt::format("gp.dma: the queue is full ({} descriptors)", world_.machine.dma.queue);
        entry.waiting.waits_for = {pe.id()};
        entry.blamed = {pe.id(), Who::dma};
        break;
      case Op::GP_WAIT: {
        const u32 semaphore = static_cast<u32>(imm);
        const u32 amount = pe.hart().x[pe.operation().rs1];
        entry.waiting.what = fmt::format("gp.wait {}, {}: semaphore {} holds {}", semaphore, amount,
                                         semaphore, world_.semaphores.value(pe.id(), semaphore));
        this->semaphore(pe.id(), semaphore, false, entry);
        break;
      }
      default:
        barrier(pe.id(), static_cast<BarrierGroup>(imm), entry);
    }
    return entry;
  }

  Entry of_engine(PeId pe) {
    const DmaEngine& engine = world_.dma->engine(pe);
    const Request& head = *engine.head();
    const dma::SemaphoreUse& acquire = head.descriptor.acquire;
    Entry entry;
    entry.waiting.who = Who::dma;
    entry.waiting.pe = pe;
    entry.waiting.pc = head.pc;
    entry.waiting.since = engine.acquiring_since();
    entry.waiting.what =
        fmt::format("the descriptor at 0x{:08x} acquires {} of semaphore {}, which holds {}",
                    head.descriptor.address, acquire.amount, acquire.semaphore,
                    world_.semaphores.value(pe, acquire.semaphore));
    semaphore(pe, acquire.semaphore, true, entry);
    return entry;
  }

  void link(PeId pe, Direction direction, bool sends, Entry& entry) {
    const PeId other = *world_.links.neighbour(pe, direction);
    entry.waiting.what =
        sends ? fmt::format("gp.send {}: the link to PE {} is full ({} words)", name(direction),
                            other, world_.machine.link.depth)
              : fmt::format("gp.recv {}: the link from PE {} is empty", name(direction), other);
    if (pes_[other].ended()) {
      entry.waiting.what += fmt::format("; PE {} has ended", other);
      return;
    }
    entry.waiting.waits_for = {other};
    if (other != pe) entry.blamed = {other, Who::pe};
  }

  void barrier(PeId pe, BarrierGroup group, Entry& entry) {
    const Machine& machine = world_.machine;
    for (const Pe& other : pes_) {
      const bool member =
          group == BarrierGroup::all ||
          (group == BarrierGroup::row && machine.row_of(other.id()) == machine.row_of(pe)) ||
          (group == BarrierGroup::column && machine.column_of(other.id()) == machine.column_of(pe));
      if (!member || other.ended() || at_barrier(other, group)) continue;
      entry.waiting.waits_for.push_back(other.id());
    }
    check(!entry.waiting.waits_for.empty(), "a barrier at which nobody is missing");
    static constexpr const char* names[] = {"all", "row", "column"};
    const std::vector<PeId>& missing = entry.waiting.waits_for;
    constexpr u64 told = 8;
    entry.waiting.what = fmt::format(
        "gp.bar {}: not there: PE {}{}", names[static_cast<u32>(group)],
        fmt::join(missing.begin(), missing.begin() + std::min(told, missing.size()), ", "),
        missing.size() > told ? fmt::format(" and {} more", missing.size() - told) : "");
    entry.blamed = {missing.front(), Who::pe};
  }

  static bool at_barrier(const Pe& pe, BarrierGroup group) {
    return pe.operation().op == Op::GP_BAR &&
           static_cast<BarrierGroup>(pe.operation().imm) == group;
  }

  /// Who could raise a semaphore of `pe`: engines that hold a descriptor which releases it; then,
  /// for those that can be posted to, the PE that did so last, and every other one.
  void semaphore(PeId pe, u32 semaphore, bool for_engine, Entry& entry) {
    std::vector<PeId>& helpers = entry.waiting.waits_for;
    const auto add = [&](PeId helper, Who who) {
      if (!entry.blamed) entry.blamed = {helper, who};
      if (std::find(helpers.begin(), helpers.end(), helper) == helpers.end())
        helpers.push_back(helper);
    };
    for (const Pe& other : pes_)
      if (releases(other.id(), pe, semaphore) && !(for_engine && other.id() == pe))
        add(other.id(), Who::dma);
    if (semaphore < first_remote_semaphore) return;
    const auto can_post = [&](PeId other) {
      return !pes_[other].ended() && (for_engine || other != pe);
    };
    if (const auto last = world_.semaphores.last_poster(pe, semaphore); last && can_post(*last))
      add(*last, Who::pe);
    for (const Pe& other : pes_)
      if (can_post(other.id())) add(other.id(), Who::pe);
  }

  /// A descriptor that waits in the engine of `by` raises this semaphore of `pe`.
  bool releases(PeId by, PeId pe, u32 semaphore) const {
    bool found = false;
    world_.dma->engine(by).for_each_waiting([&](const Request& request) {
      const dma::Descriptor& d = request.descriptor;
      if (by == pe && d.release_own.amount != 0 && d.release_own.semaphore == semaphore)
        found = true;
      if (d.release_receivers.amount != 0 && d.release_receivers.semaphore == semaphore &&
          std::find(request.receivers.begin(), request.receivers.end(), pe) !=
              request.receivers.end())
        found = true;
    });
    return found;
  }

  const std::vector<Pe>& pes_;
  const World& world_;
};

}  // namespace

Deadlock explain_deadlock(const std::vector<Pe>& pes, const World& world) {
  return Explanation(pes, world).make();
}

}  // namespace simfarm::reference
