// Programs of one image on many PEs. What only some of them do stands behind a branch on where the
// PE is.
#include <array>

#include "isa/csr.h"
#include "tests/support/differential/plan.h"

namespace simfarm::test {
namespace {

constexpr u32 whole = ~0u;

class Spmd {
 public:
  Spmd(const Plan& plan, Random& random, u32 row0, u32 row1)
      : plan_(plan),
        machine_(plan.machine),
        random_(random),
        maker_(plan.machine, random, plan.style, row0 * plan.machine.columns),
        row0_(row0),
        row1_(row1) {}

  /// `phases`: barriers of all PEs between parts that keep to themselves; `whole`: no phases, the
  /// image runs everywhere.
  std::shared_ptr<const Image> make(u32 phases) {
    everywhere_ = phases == whole;
    if (everywhere_) {
      while (!maker_.blocks.finished()) step();
    } else {
      for (u32 k = 0; k < phases; ++k) {
        for (u64 steps = random_.between(1, 4); steps > 0; --steps) step();
        synchronise([&] { maker_.code.emit(Op::GP_BAR, {.imm = 0}); });
      }
    }
    for (u32 k = 0; k < owed_.size(); ++k)
      if (owed_[k] != 0 && random_.one_in(2)) take(k);
    if (plan_.endless) maker_.blocks.endless();
    maker_.blocks.exit();
    return maker_.image();
  }

 private:
  void step() {
    if (plan_.traps != 0 && random_.one_in(plan_.traps)) trap();
    switch (random_.below(everywhere_ ? 15 : 8)) {
      case 0:
        return transfer();
      case 1:
        return row_or_column_barrier();
      case 2:
        if (!plan_.tidy) maker_.touch_data();
        return;
      case 3:
        if (random_.one_in(8)) return leave_early();
        return transfer();
      case 8:
        return barrier();
      case 9:
        return shift();
      case 10:
        return post();
      case 11:
        return broadcast();
      case 12:
        return gather_posts();
      case 13:
        return single_out();
      default:
        return maker_.blocks.block();
    }
  }

  /// Runs `body` on the PEs for which csr `number` compares to `value` as `skip` does not.
  template <class Body>
  void unless(Op skip, u32 number, u32 value, Body body) {
    Code& code = maker_.code;
    const Code::Label over = code.label();
    code.csr_read(role::temporary, number);
    code.li(role::other_temporary, value);
    code.go({.op = skip, .rs1 = role::temporary, .rs2 = role::other_temporary}, over);
    body();
    code.bind(over);
  }
  /// A synchronising instruction; spoilt, one PE or all do without it.
  template <class Body>
  void synchronise(Body body) {
    if (plan_.spoil == 0 || !random_.one_in(plan_.spoil)) return body();
    if (random_.one_in(2))
      unless(Op::BEQ, csr::mhartid, static_cast<u32>(random_.below(machine_.pes())), body);
  }

  void trap() {
    if (random_.one_in(3)) return maker_.blocks.trap();
    // Only on some: who is first?
    const u32 pe = static_cast<u32>(random_.below(machine_.pes()));
    unless(random_.one_in(2) ? Op::BNE : Op::BLT, csr::mhartid, pe, [&] { maker_.blocks.trap(); });
  }

  /// A register that was equal on all PEs, perhaps, is not on one; often the last of a tile.
  void single_out() {
    const u32 pes = machine_.pes();
    const u32 pe = random_.one_in(2) ? (pes - 1) | 15 : static_cast<u32>(random_.below(pes));
    const u8 changed = maker_.blocks.operations().destination();
    unless(Op::BNE, csr::mhartid, std::min(pe, pes - 1), [&] {
      maker_.code.emit(Op::ADDI, {.rd = changed, .rs1 = changed, .imm = 1 + i32(random_.below(4))});
    });
    maker_.blocks.block(2);
  }

  void leave_early() {
    const u32 pe = static_cast<u32>(random_.below(machine_.pes()));
    unless(Op::BNE, csr::mhartid, pe, [&] { maker_.blocks.exit(); });
  }

  void barrier() {
    synchronise([&] { maker_.code.emit(Op::GP_BAR, {.imm = i32(random_.below(3))}); });
  }
  void row_or_column_barrier() {
    const bool bands = row0_ != 0 || row1_ + 1 != machine_.rows;
    synchronise(
        [&] { maker_.code.emit(Op::GP_BAR, {.imm = bands ? 1 : 1 + i32(random_.below(2))}); });
  }

  void take(u32 semaphore) {
    const u32 amount = std::min(owed_[semaphore], 0xffffu);
    owed_[semaphore] = 0;
    synchronise([&] { maker_.wait(semaphore, amount); });
  }

  /// Words go one PE further in one direction, off the edge or around.
  void shift() {
    const i32 direction = static_cast<i32>(random_.below(4));
    const bool vertical = direction == north || direction == south;
    const bool around = vertical ? machine_.torus_rows : machine_.torus_columns;
    const u32 number = vertical ? csr::pe_row : csr::pe_column;
    const u32 last = (vertical ? machine_.rows : machine_.columns) - 1;
    const bool up = direction == south || direction == east;  // towards larger numbers
    const u32 words = static_cast<u32>(random_.between(1, machine_.link.depth + (around ? 0 : 3)));
    Code& code = maker_.code;
    const u8 word = maker_.blocks.operations().source();
    const u8 into = maker_.blocks.operations().destination();
    const auto send = [&] {
      for (u32 k = 0; k < words; ++k)
        synchronise([&] { code.emit(Op::GP_SEND, {.rs1 = word, .imm = direction}); });
    };
    const auto receive = [&] {
      for (u32 k = 0; k < words; ++k)
        synchronise([&] { code.emit(Op::GP_RECV, {.rd = into, .imm = (direction + 2) % 4}); });
    };
    if (around) return send(), maker_.blocks.straight(random_.below(4)), receive();
    unless(Op::BEQ, number, up ? last : 0, send);
    if (random_.one_in(2)) maker_.blocks.straight(static_cast<u32>(random_.below(6)));
    unless(Op::BEQ, number, up ? 0 : last, receive);
  }

  /// Everyone posts to the PE so many further on, and waits for its own.
  void post() {
    Code& code = maker_.code;
    const i32 semaphore = static_cast<i32>(random_.between(8, 15));
    const u8 to = role::temporary;
    code.csr_read(to, csr::mhartid);
    code.emit(Op::ADDI, {.rd = to, .rs1 = to, .imm = i32(random_.below(machine_.pes()))});
    code.li(role::other_temporary, machine_.pes());
    code.emit(Op::REMU, {.rd = to, .rs1 = to, .rs2 = role::other_temporary});
    synchronise([&] { code.emit(Op::GP_POST, {.rs1 = to, .imm = semaphore}); });
    if (random_.one_in(2)) maker_.blocks.block(2);
    synchronise([&] { maker_.wait(static_cast<u32>(semaphore), 1); });
  }

  /// Everyone posts to one PE, which waits for all of them.
  void gather_posts() {
    const u32 pe = static_cast<u32>(random_.below(machine_.pes()));
    const i32 semaphore = static_cast<i32>(random_.between(8, 15));
    Code& code = maker_.code;
    code.li(role::temporary, pe);
    synchronise([&] { code.emit(Op::GP_POST, {.rs1 = role::temporary, .imm = semaphore}); });
    unless(Op::BNE, csr::mhartid, pe,
           [&] { synchronise([&] { maker_.wait(static_cast<u32>(semaphore), machine_.pes()); }); });
  }

  void transfer() {
    if (plan_.tidy) return private_transfer();
    const u64 chain = random_.one_in(4) ? random_.between(2, 4) : 1;
    std::vector<dma::Descriptor> descriptors;
    for (u64 k = 0; k < chain; ++k)
      if (auto d = maker_.random_descriptor(true)) descriptors.push_back(*d);
    if (descriptors.empty()) return maker_.blocks.block();
    for (u64 k = 0; k < descriptors.size(); ++k) {
      dma::Descriptor& d = descriptors[k];
      if (k + 1 < descriptors.size()) d.next = descriptors[k + 1].address;
      const u8 semaphore = static_cast<u8>(random_.below(8));
      if (random_.one_in(4) && owed_[semaphore] != 0) {
        d.acquire = {semaphore, 1};
        --owed_[semaphore];
      }
      maker_.put(d);
      if (d.release_own.amount != 0) owed_[d.release_own.semaphore] += d.release_own.amount;
      const bool to_all = d.multicast && d.rectangle[2] + 1u == machine_.columns &&
                          d.rectangle[3] + 1u == machine_.rows && d.rectangle[0] == 0 &&
                          d.rectangle[1] == 0;
      if (to_all && everywhere_ && d.release_receivers.amount != 0)
        owed_[d.release_receivers.semaphore] +=
            d.release_receivers.amount * (machine_.pes() - (d.include_self ? 0 : 1));
    }
    if (plan_.traps != 0 && random_.one_in(plan_.traps))
      maker_.spoil_descriptor(descriptors.back().address);
    synchronise([&] { maker_.queue(descriptors[0].address); });
    if (random_.one_in(2)) maker_.blocks.block(2);
    if (random_.one_in(3)) maker_.touch_data();
    // More of it while the first is under way.
    if (machine_.pes() < 16 && random_.one_in(3))
      synchronise([&] { maker_.queue(descriptors.back().address); });
    for (u32 k = 0; k < owed_.size(); ++k)
      if (owed_[k] != 0 && random_.one_in(2)) take(k);
  }

  void private_transfer() {
    const Region& region = random_.one_in(2) ? machine_.map.ocm : machine_.map.dram;
    const bool into_local = random_.one_in(2);
    const auto d = maker_.private_copy(region.base + 128 * u32(random_.below(8)), into_local);
    if (!d) return maker_.blocks.block();
    // A part of the shared memory for every PE: the address is patched.
    Code& code = maker_.code;
    const i32 field = into_local ? 4 : 8;
    code.csr_read(role::other_temporary, csr::mhartid);
    code.emit(Op::SLLI, {.rd = role::other_temporary, .rs1 = role::other_temporary, .imm = 10});
    code.li(role::temporary, d->address);
    code.emit(Op::LW, {.rd = t1, .rs1 = role::temporary, .imm = field});
    code.emit(Op::ADD, {.rd = t1, .rs1 = t1, .rs2 = role::other_temporary});
    code.emit(Op::SW, {.rs1 = role::temporary, .rs2 = t1, .imm = field});
    synchronise([&] { maker_.queue(d->address); });
    if (random_.one_in(2)) maker_.blocks.block(2);
    synchronise([&] { maker_.wait(d->release_own.semaphore, 1); });
    if (into_local) {
      code.li(role::temporary, d->destination);
      code.emit(Op::LW, {.rd = t1, .rs1 = role::temporary});
    }
  }

  /// One PE pushes into all others, or all into all.
  void broadcast() {
    const auto room = maker_.descriptor_room();
    if (!room || machine_.pes() == 1) return maker_.blocks.block();
    dma::Descriptor d;
    d.address = *room;
    d.element_bytes = static_cast<u8>(1u << random_.below(4));
    d.operation = random_.one_in(3) ? dma::Operation::add_i32 : dma::Operation::copy;
    if (d.operation == dma::Operation::add_i32) d.element_bytes = 4;
    d.sizes[0] = static_cast<u16>(random_.below(20));
    d.source_strides[0] = d.destination_strides[0] = d.element_bytes;
    const u32 source = maker_.layout.data + 8 * u32(random_.below(40));
    d.source = random_.one_in(2) ? source : machine_.map.ocm.base + 8 * u32(random_.below(40));
    d.destination = maker_.layout.data - maker_.layout.base + 8 * u32(random_.below(60));
    d.multicast = true;
    d.rectangle = {0, 0, static_cast<u8>(machine_.columns - 1), static_cast<u8>(machine_.rows - 1)};
    d.include_self = random_.one_in(2);
    d.release_receivers = {static_cast<u8>(random_.between(8, 15)), 1};
    d.release_own = {static_cast<u8>(random_.below(8)), 1};
    maker_.put(d);
    if (random_.one_in(machine_.pes() > 16 ? 12 : 2)) {
      synchronise([&] { maker_.queue(d.address); });
      owed_[d.release_own.semaphore] += 1;
      owed_[d.release_receivers.semaphore] += machine_.pes() - (d.include_self ? 0 : 1);
      return;
    }
    const u32 pe = static_cast<u32>(random_.below(machine_.pes()));
    unless(Op::BNE, csr::mhartid, pe, [&] {
      synchronise([&] { maker_.queue(d.address); });
      synchronise([&] { maker_.wait(d.release_own.semaphore, 1); });
    });
    const auto receive = [&] {
      synchronise([&] { maker_.wait(d.release_receivers.semaphore, 1); });
    };
    if (d.include_self) return receive();
    unless(Op::BEQ, csr::mhartid, pe, receive);
  }

  const Plan& plan_;
  const Machine& machine_;
  Random& random_;
  ImageMaker maker_;
  u32 row0_, row1_;
  bool everywhere_ = true;
  std::array<u32, 16> owed_{};  ///< of every PE's semaphores: released and not yet taken
};

}  // namespace

Program make_spmd(const Plan& plan, Random& random) {
  return {{Spmd(plan, random, 0, plan.machine.rows - 1).make(whole)}, {}};
}

Program make_bands(const Plan& plan, Random& random) {
  Program program;
  const u32 phases = static_cast<u32>(random.between(1, 6));
  for (u32 row = 0; row < plan.machine.rows;) {
    const u32 last = static_cast<u32>(random.between(row, plan.machine.rows - 1));
    program.placements.push_back(
        {static_cast<u32>(program.images.size()), row, 0, last, plan.machine.columns - 1});
    program.images.push_back(Spmd(plan, random, row, last).make(phases));
    row = last + 1;
  }
  return program;
}

}  // namespace simfarm::test
