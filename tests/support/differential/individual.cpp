// Programs with an image for every PE. Steps are made for all of them in one order, so that what
// one waits for, another does; spoilt, some of it is left out.
#include <array>

#include "isa/csr.h"
#include "tests/support/differential/plan.h"

namespace simfarm::test {
namespace {

class Individual {
 public:
  Individual(const Plan& plan, Random& random)
      : plan_(plan),
        machine_(plan.machine),
        random_(random),
        owed_(machine_.pes()),
        ended_(machine_.pes()) {
    for (PeId pe = 0; pe < machine_.pes(); ++pe)
      makers_.push_back(std::make_unique<ImageMaker>(machine_, random, plan.style, pe));
  }

  Program make() {
    const u64 steps = machine_.pes() * random_.between(3, 14);
    for (u64 k = 0; k < steps; ++k) step();
    Program program;
    for (PeId pe = 0; pe < machine_.pes(); ++pe) {
      if (plan_.endless && random_.one_in(3)) makers_[pe]->blocks.endless();
      if (!ended_[pe]) makers_[pe]->blocks.exit();
      const u32 row = machine_.row_of(pe), column = machine_.column_of(pe);
      program.images.push_back(makers_[pe]->image());
      program.placements.push_back({pe, row, column, row, column});
    }
    return program;
  }

 private:
  bool left_out() { return plan_.spoil != 0 && random_.one_in(plan_.spoil); }
  Code& code(PeId pe) { return makers_[pe]->code; }
  /// Enough of this PE's own work is there already.
  bool full(PeId pe) const { return makers_[pe]->blocks.finished(); }

  void step() {
    const PeId pe = static_cast<PeId>(random_.below(machine_.pes()));
    if (ended_[pe]) return;
    if (plan_.traps != 0 && random_.one_in(u64{plan_.traps} * machine_.pes()))
      makers_[pe]->blocks.trap();
    switch (random_.below(14)) {
      case 0:
      case 1:
        return links(pe);
      case 2:
        return post(pe);
      case 3:
        if (random_.one_in(machine_.pes())) barrier();
        return;
      case 4:
      case 5:
        return transfer(pe);
      case 6:
        return wait(pe);
      case 7:
        if (!plan_.tidy) makers_[pe]->touch_data();
        return;
      case 8:
        if (random_.one_in(12)) {
          makers_[pe]->blocks.exit();
          ended_[pe] = true;
        }
        return;
      default:
        if (!full(pe)) makers_[pe]->blocks.block(1);
    }
  }

  std::optional<PeId> neighbour(PeId pe, i32 direction) const {
    const u32 rows = machine_.rows, columns = machine_.columns;
    const u32 row = machine_.row_of(pe) + rows + (direction == south) - (direction == north);
    const u32 column = machine_.column_of(pe) + columns + (direction == east) - (direction == west);
    const auto inside = [](u32 shifted, u32 extent) {
      return shifted >= extent && shifted < 2 * extent;
    };
    if (!machine_.torus_rows && !inside(row, rows)) return std::nullopt;
    if (!machine_.torus_columns && !inside(column, columns)) return std::nullopt;
    return row % rows * columns + column % columns;
  }

  void links(PeId pe) {
    const i32 direction = static_cast<i32>(random_.below(4));
    const std::optional<PeId> to = neighbour(pe, direction);
    if (!to || ended_[*to]) return;
    const i64 most = *to == pe ? machine_.link.depth : machine_.link.depth + 3;
    const u32 words = static_cast<u32>(random_.between(1, most));
    for (u32 k = 0; k < words; ++k)
      if (!left_out())
        code(pe).emit(Op::GP_SEND,
                      {.rs1 = makers_[pe]->blocks.operations().source(), .imm = direction});
    for (u32 k = 0; k < words; ++k)
      if (!left_out())
        code(*to).emit(Op::GP_RECV, {.rd = makers_[*to]->blocks.operations().destination(),
                                     .imm = (direction + 2) % 4});
  }

  void post(PeId pe) {
    const PeId to = static_cast<PeId>(random_.below(machine_.pes()));
    const u32 semaphore = static_cast<u32>(random_.between(8, 15));
    code(pe).li(role::temporary, to);
    if (!left_out())
      code(pe).emit(Op::GP_POST, {.rs1 = role::temporary, .imm = static_cast<i32>(semaphore)});
    ++owed_[to][semaphore];
    if (random_.one_in(2)) take(to, semaphore);
  }

  void take(PeId pe, u32 semaphore) {
    if (ended_[pe] || owed_[pe][semaphore] == 0) return;
    const u32 amount = static_cast<u32>(random_.between(1, owed_[pe][semaphore]));
    owed_[pe][semaphore] -= amount;
    if (!left_out()) makers_[pe]->wait(semaphore, amount);
  }

  void wait(PeId pe) {
    const u32 first = static_cast<u32>(random_.below(16));
    for (u32 k = 0; k < 16; ++k)
      if (owed_[pe][(first + k) % 16] != 0) return take(pe, (first + k) % 16);
  }

  void barrier() {
    const i32 group = static_cast<i32>(random_.below(3));
    const PeId of = static_cast<PeId>(random_.below(machine_.pes()));
    for (PeId pe = 0; pe < machine_.pes(); ++pe) {
      const bool member = group == 0 ||
                          (group == 1 && machine_.row_of(pe) == machine_.row_of(of)) ||
                          (group == 2 && machine_.column_of(pe) == machine_.column_of(of));
      if (member && !ended_[pe] && !left_out()) code(pe).emit(Op::GP_BAR, {.imm = group});
    }
  }

  void transfer(PeId pe) {
    ImageMaker& maker = *makers_[pe];
    std::optional<dma::Descriptor> d;
    if (plan_.tidy) {
      const Region& region = random_.one_in(2) ? machine_.map.ocm : machine_.map.dram;
      d = maker.private_copy(region.base + 1024 * pe + 128 * u32(random_.below(8)),
                             random_.one_in(2));
    } else {
      d = maker.random_descriptor(false);
    }
    if (!d) return;
    const u32 acquired = static_cast<u32>(random_.below(16));
    if (!plan_.tidy && random_.one_in(4) && owed_[pe][acquired] != 0) {
      d->acquire = {static_cast<u8>(acquired), 1};
      --owed_[pe][acquired];
    }
    // Chains: the one before runs this one too.
    maker.put(*d);
    if (plan_.traps != 0 && random_.one_in(4u * plan_.traps)) maker.spoil_descriptor(d->address);
    if (!left_out()) maker.queue(d->address);
    owed_[pe][d->release_own.semaphore] += d->release_own.amount;
    for (u32 y = d->rectangle[1]; d->multicast && y <= d->rectangle[3]; ++y)
      for (u32 x = d->rectangle[0]; x <= d->rectangle[2]; ++x) {
        const PeId receiver = y * machine_.columns + x;
        if (receiver != pe || d->include_self)
          owed_[receiver][d->release_receivers.semaphore] += d->release_receivers.amount;
      }
    if (plan_.tidy || random_.one_in(2)) take(pe, d->release_own.semaphore);
  }

  const Plan& plan_;
  const Machine& machine_;
  Random& random_;
  std::vector<std::unique_ptr<ImageMaker>> makers_;
  std::vector<std::array<u32, 16>> owed_;  ///< released and not yet taken, by PE and semaphore
  std::vector<bool> ended_;
};

}  // namespace

Program make_individual(const Plan& plan, Random& random) {
  return Individual(plan, random).make();
}

/// 32768 releases of 65535 and one of 32767 fill a semaphore to the brim; then one more, or a post.
Program make_overflow(const Plan& plan, Random& random) {
  constexpr u32 chain = 16, runs = 32768 / chain;
  const Machine& machine = plan.machine;
  ImageMaker maker(machine, random, plan.style, 0);
  const bool push = machine.pes() > 1 && random.one_in(2);
  const auto empty_transfer = [&](u16 amount) {
    dma::Descriptor d;
    d.address = *maker.descriptor_room();
    d.operation = dma::Operation::fill;
    d.destination = push ? 0 : maker.layout.data;
    d.multicast = push;
    if (push)
      d.rectangle = {0, 0, static_cast<u8>(machine.columns - 1), static_cast<u8>(machine.rows - 1)};
    (push ? d.release_receivers : d.release_own) = {static_cast<u8>(push ? 12 : 3), amount};
    return d;
  };
  std::vector<dma::Descriptor> descriptors;
  for (u32 k = 0; k < chain; ++k) descriptors.push_back(empty_transfer(0xffff));
  for (u32 k = 0; k < chain; ++k) {
    if (k + 1 < chain) descriptors[k].next = descriptors[k + 1].address;
    maker.put(descriptors[k]);
  }
  dma::Descriptor last = empty_transfer(32767);
  maker.put(last);
  // Only PE 0 does it: with several the sum would come sooner.
  const Code::Label over = maker.code.label();
  maker.code.csr_read(role::temporary, csr::mhartid);
  maker.code.go({.op = Op::BNE, .rs1 = role::temporary}, over);
  maker.blocks.repeat(runs, [&] { maker.queue(descriptors[0].address); });
  maker.queue(last.address);
  maker.code.bind(over);
  if (push && random.one_in(2)) {
    maker.code.li(role::temporary, machine.pes() - 1);
    maker.blocks.repeat(300, [&] {
      maker.code.emit(Op::GP_POST, {.rs1 = role::temporary, .imm = 12});
      maker.code.nops(40);
    });
  } else {
    maker.queue(last.address);
  }
  maker.blocks.exit();
  return {{maker.image()}, {}};
}

}  // namespace simfarm::test
