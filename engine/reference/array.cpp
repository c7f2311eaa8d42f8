#include "engine/reference/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/deadlock.h"
#include "engine/reference/dma.h"
#include "engine/start.h"

namespace simfarm::reference {

Result<std::unique_ptr<Simulation>> Array::make(RunInput input, const RunOptions& options) {
  if (auto result = check_input(input); !result) return result.error();
  return std::unique_ptr<Simulation>(new Array(input, options));
}

Array::Array(const RunInput& input, const RunOptions& options)
    : world_(input.machine, options, input.poison), due_(input.machine.pes()) {
  const std::vector<u32> image_of = place_images(input);
  world_.shared.load(input);
  std::map<u32, std::shared_ptr<const DecodedImage>> codes;
  pes_.reserve(input.machine.pes());
  for (PeId pe = 0; pe < input.machine.pes(); ++pe) {
    const Image& image = *input.program.images[image_of[pe]];
    std::shared_ptr<const DecodedImage>& code = codes[image_of[pe]];
    if (code == nullptr) code = std::make_shared<DecodedImage>(image);
    std::ranges::copy(local_memory_at_start(input, pe, image), world_.locals[pe].view().begin());
    const StartRegisters start = registers_at_start(input, pe, image);
    Hart hart;
    hart.x = start.x;
    hart.pc = start.pc;
    hart.operand = start.operand;
    pes_.emplace_back(pe, code, image, hart, world_);
  }
}

Outcome Array::run() {
  for (;; ++world_.now) {
    world_.dma->complete();
    deliver_posts();
    if (!world_.traps.any() && finished()) {
      // The completions that ended the run happened in a cycle that is no longer counted.
      if (world_.watch.on()) world_.watch.flush();
      return outcome(Outcome::Kind::finished);
    }
    if (world_.now >= world_.options.cycle_limit) return outcome(Outcome::Kind::cycle_limit);
    world_.dma->start();
    world_.dma->move();
    const bool moved = step_pes();
    if (world_.traps.any()) return outcome(Outcome::Kind::trap);
    if (!moved && stuck()) return outcome(Outcome::Kind::deadlock);
    world_.dma->charge();
    if (world_.watch.on()) world_.watch.flush();
  }
}

void Array::deliver_posts() {
  for (const Post& post : world_.posts.arrive(world_.now)) {
    world_.semaphores.note_poster(post.to, post.semaphore, post.from);
    if (world_.semaphores.raise(post.to, post.semaphore, 1, {Stall::sem_wait_post, post.from}))
      continue;
    world_.traps.raise({TrapKind::semaphore_overflow, world_.now, post.to, post.pc, 0,
                        post.semaphore,
                        fmt::format("semaphore {} of PE {} by a gp.post of PE {}", post.semaphore,
                                    post.to, post.from)});
  }
}

bool Array::step_pes() {
  bool moved = false;
  for (PeId id = 0; id < pes_.size() && !world_.traps.decided(id); ++id) {
    if (due_[id] > world_.now) {
      moved |= due_[id] != never;
      continue;
    }
    due_[id] = pes_[id].step();
    moved |= !pes_[id].waiting();
  }
  return moved;
}

bool Array::finished() const {
  return world_.posts.quiet() && world_.dma->drained() &&
         std::all_of(pes_.begin(), pes_.end(), [](const Pe& pe) { return pe.ended(); });
}

bool Array::stuck() const {
  return world_.dma->quiet() && world_.posts.quiet() && world_.links.quiet(world_.now) &&
         world_.barriers.quiet(world_.now);
}

Outcome Array::outcome(Outcome::Kind kind) {
  Outcome outcome;
  outcome.kind = kind;
  outcome.cycles = world_.now;
  for (Pe& pe : pes_) {
    outcome.pes.push_back(pe.report(world_.now));
    outcome.dma.push_back(world_.dma->report(pe.id(), world_.now));
  }
  if (kind == Outcome::Kind::trap) {
    outcome.trap = world_.traps.first();
    for (Pe& pe : pes_) {
      pe.take_back_store();
      world_.locals[pe.id()].take_back_acquire(world_.now);
    }
  }
  if (kind == Outcome::Kind::deadlock) outcome.deadlock = explain();
  outcome.console = world_.console.take(world_.now);
  return outcome;
}

Deadlock Array::explain() const {
  class Situation final : public Standstill {
   public:
    Situation(const std::vector<Pe>& pes, const World& world) : pes_(pes), world_(world) {}
    const Machine& machine() const override { return world_.machine; }
    Cycle cycle() const override { return world_.now; }
    bool ended(PeId pe) const override { return pes_[pe].ended(); }
    u32 pc(PeId pe) const override { return pes_[pe].hart().pc; }
    const Operation& operation(PeId pe) const override { return pes_[pe].operation(); }
    u32 rs1(PeId pe) const override { return pes_[pe].hart().x[operation(pe).rs1]; }
    Cycle waiting_since(PeId pe) const override { return pes_[pe].waiting_since(); }
    u32 semaphore(PeId pe, u32 semaphore) const override {
      return world_.semaphores.value(pe, semaphore);
    }
    std::optional<PeId> last_poster(PeId pe, u32 semaphore) const override {
      return world_.semaphores.last_poster(pe, semaphore);
    }
    std::vector<WaitingTransfer> waiting_transfers(PeId pe) const override {
      std::vector<WaitingTransfer> transfers;
      world_.dma->engine(pe).for_each_waiting([&](const Request& request) {
        transfers.push_back({&request.descriptor, &request.receivers, request.pc});
      });
      return transfers;
    }
    Cycle acquiring_since(PeId pe) const override {
      return world_.dma->engine(pe).acquiring_since();
    }

   private:
    const std::vector<Pe>& pes_;
    const World& world_;
  };
  return explain_deadlock(Situation(pes_, world_));
}

bool Array::read(u32 address, std::span<u8> bytes) const {
  return world_.shared.read(address, bytes);
}

bool Array::untouched(u32 address, u64 length) const {
  return world_.shared.untouched(address, length);
}

bool Array::read_local(PeId pe, u32 address, std::span<u8> bytes) const {
  if (pe >= pes_.size() || !world_.machine.map.local.contains(address, bytes.size())) return false;
  const std::vector<u8> view = world_.locals[pe].dma_view(address, bytes.size());
  std::copy(view.begin(), view.end(), bytes.begin());
  return true;
}

}  // namespace simfarm::reference
