#include "engine/deadlock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "engine/grid.h"

namespace simfarm {
namespace {

using Who = Waiting::Who;

/// A party that waits, and who of those that wait is to blame first.
struct Entry {
  Waiting waiting;
  std::optional<std::pair<PeId, Who>> blamed;
};

class Explanation {
 public:
  explicit Explanation(const Standstill& still) : still_(still), machine_(still.machine()) {}

  Deadlock make() {
    std::vector<Entry> entries;
    for (PeId pe = 0; pe < machine_.pes(); ++pe) {
      if (!still_.ended(pe)) entries.push_back(of_pe(pe));
      if (!still_.waiting_transfers(pe).empty()) entries.push_back(of_engine(pe));
    }
    Deadlock deadlock;
    deadlock.cycle = still_.cycle();
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

  Entry of_pe(PeId pe) {
    const Operation& op = still_.operation(pe);
    Entry entry;
    entry.waiting.who = Who::pe;
    entry.waiting.pe = pe;
    entry.waiting.pc = still_.pc(pe);
    entry.waiting.since = still_.waiting_since(pe);
    const i32 imm = op.imm;
    switch (op.op) {
      case Op::GP_SEND:
        link(pe, static_cast<Direction>(imm), true, entry);
        break;
      case Op::GP_RECV:
        link(pe, static_cast<Direction>(imm), false, entry);
        break;
      case Op::GP_DMA:
        entry.waiting.what =
            fmt::format("gp.dma: the queue is full ({} descriptors)", machine_.dma.queue);
        entry.waiting.waits_for = {pe};
        entry.blamed = {pe, Who::dma};
        break;
      case Op::GP_WAIT: {
        const u32 semaphore = static_cast<u32>(imm);
        const u32 amount = still_.rs1(pe);
        entry.waiting.what = fmt::format("gp.wait {}, {}: semaphore {} holds {}", semaphore, amount,
                                         semaphore, still_.semaphore(pe, semaphore));
        this->semaphore(pe, semaphore, false, entry);
        break;
      }
      default:
        barrier(pe, static_cast<BarrierGroup>(imm), entry);
    }
    return entry;
  }

  Entry of_engine(PeId pe) {
    const WaitingTransfer head = still_.waiting_transfers(pe).front();
    const dma::SemaphoreUse& acquire = head.descriptor->acquire;
    Entry entry;
    entry.waiting.who = Who::dma;
    entry.waiting.pe = pe;
    entry.waiting.pc = head.pc;
    entry.waiting.since = still_.acquiring_since(pe);
    entry.waiting.what =
        fmt::format("the descriptor at 0x{:08x} acquires {} of semaphore {}, which holds {}",
                    head.descriptor->address, acquire.amount, acquire.semaphore,
                    still_.semaphore(pe, acquire.semaphore));
    semaphore(pe, acquire.semaphore, true, entry);
    return entry;
  }

  void link(PeId pe, Direction direction, bool sends, Entry& entry) {
    const PeId other = *neighbour(machine_, pe, direction);
    entry.waiting.what =
        sends ? fmt::format("gp.send {}: the link to PE {} is full ({} words)", name(direction),
                            other, machine_.link.depth)
              : fmt::format("gp.recv {}: the link from PE {} is empty", name(direction), other);
    if (still_.ended(other)) {
      entry.waiting.what += fmt::format("; PE {} has ended", other);
      return;
    }
    entry.waiting.waits_for = {other};
    if (other != pe) entry.blamed = {other, Who::pe};
  }

  void barrier(PeId pe, BarrierGroup group, Entry& entry) {
    for (PeId other = 0; other < machine_.pes(); ++other) {
      const bool member =
          group == BarrierGroup::all ||
          (group == BarrierGroup::row && machine_.row_of(other) == machine_.row_of(pe)) ||
          (group == BarrierGroup::column && machine_.column_of(other) == machine_.column_of(pe));
      if (!member || still_.ended(other) || at_barrier(other, group)) continue;
      entry.waiting.waits_for.push_back(other);
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

  bool at_barrier(PeId pe, BarrierGroup group) const {
    const Operation& op = still_.operation(pe);
    return op.op == Op::GP_BAR && static_cast<BarrierGroup>(op.imm) == group;
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
    for (PeId other = 0; other < machine_.pes(); ++other)
      if (releases(other, pe, semaphore) && !(for_engine && other == pe)) add(other, Who::dma);
    if (semaphore < first_remote_semaphore) return;
    const auto can_post = [&](PeId other) {
      return !still_.ended(other) && (for_engine || other != pe);
    };
    if (const auto last = still_.last_poster(pe, semaphore); last && can_post(*last))
      add(*last, Who::pe);
    for (PeId other = 0; other < machine_.pes(); ++other)
      if (can_post(other)) add(other, Who::pe);
  }

  /// A descriptor that waits in the engine of `by` raises this semaphore of `pe`.
  bool releases(PeId by, PeId pe, u32 semaphore) const {
    bool found = false;
    for (const WaitingTransfer& one : still_.waiting_transfers(by)) {
      const dma::Descriptor& d = *one.descriptor;
      if (by == pe && d.release_own.amount != 0 && d.release_own.semaphore == semaphore)
        found = true;
      if (d.release_receivers.amount != 0 && d.release_receivers.semaphore == semaphore &&
          std::find(one.receivers->begin(), one.receivers->end(), pe) != one.receivers->end())
        found = true;
    }
    return found;
  }

  const Standstill& still_;
  const Machine& machine_;
};

}  // namespace

Deadlock explain_deadlock(const Standstill& still) { return Explanation(still).make(); }

}  // namespace simfarm
