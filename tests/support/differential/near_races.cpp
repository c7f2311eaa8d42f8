// Programs in which all PEs do the same with buffers that lie close together: they fetch them,
// work on them, send them away and push them to each other, and wait in time, or nearly so.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tests/support/differential/generator.h"
#include "tests/support/kernel.h"
#include "tests/support/random.h"
#include "tests/support/transfers.h"

namespace simfarm::test {
namespace {

constexpr u32 near_race_piece = 1u << 12;  // bytes of shared memory that are one PE's

class NearRaces {
 public:
  explicit NearRaces(u64 seed) : random_(seed), wrong_(static_cast<Wrong>(random_.below(8))) {}

  Kernel make() {
    u32 at = buffers;
    for (Buffer& buffer : buffers_) {
      buffer.begin = at;
      buffer.bytes = static_cast<u32>(random_.between(1, 30) * 4);
      at += buffer.bytes + static_cast<u32>(random_.below(8) * 4);
    }
    kernel_.op(Op::CSRRS, {.rd = s2, .imm = 0xf14}).op(Op::SLLI, {.rd = s3, .rs1 = s2, .imm = 12});
    kernel_.li(t1, 1);
    constexpr u32 routines = 3, most_instructions = 9;
    const u32 start = kernel_.here() + 4 * (routines * most_instructions + 1);
    kernel_.jump(start);
    for (u32 k = 0; k < routines; ++k) add_routine();
    kernel_.nop((start - kernel_.here()) / 4);
    // So often that there is code for them afterwards.
    for (const Routine& routine : routines_) call(routine, idle, idle + 12 * routine.stride);
    const u64 steps = 4 + random_.below(14);
    for (u64 k = 0; k < steps; ++k) step();
    while (!moving_.empty()) finish(0);
    return kernel_.exit(0);
  }

 private:
  static constexpr u32 descriptors = local_base + 0x100;
  static constexpr u32 buffers = local_base + 0x2000;
  static constexpr u32 idle = local_base + 0x4000;
  static constexpr u32 buffer_count = 4;

  struct Buffer {
    u32 begin = 0;
    u32 bytes = 0;
    bool read = false;     ///< by a transfer that is not waited for
    bool written = false;  ///< the same
  };
  struct Moving {
    Buffer* buffer = nullptr;
    u32 semaphore = 0;
  };

  /// What a program does wrong, if anything: what is missed of it nothing else gives away.
  enum class Wrong : u8 { work, transfer, piece, barrier, wait };
  bool wrong(Wrong what) { return what == wrong_ && random_.one_in(3); }
  Buffer& any() { return buffers_[random_.below(buffer_count)]; }

  void step() {
    switch (random_.below(8)) {
      case 0:
        return fetch(any());
      case 1:
        return send(any());
      case 2:
        return push(any());
      case 3:
        if (!moving_.empty()) finish(random_.below(moving_.size()));
        return;
      case 4:
        kernel_.bar(static_cast<i32>(random_.below(3)));
        return;
      case 5:
        return skew();
      default:
        work(any());
    }
  }

  /// Goes over [t3, t4) in steps.
  struct Routine {
    u32 address = 0;
    u32 stride = 0;
    bool stores = false;
  };
  void add_routine() {
    static constexpr Op loads[] = {Op::LB, Op::LHU, Op::LW}, stored[] = {Op::SB, Op::SH, Op::SW};
    const u32 log2_bytes = static_cast<u32>(random_.below(3)), bytes = 1u << log2_bytes;
    const u32 accesses = static_cast<u32>(random_.between(1, 6));
    const Routine routine{kernel_.here(), bytes * accesses, random_.one_in(2)};
    for (u32 k = 0; k < accesses; ++k) {
      const i32 offset = static_cast<i32>(k * bytes);
      if (routine.stores && random_.below(4) != 0)
        kernel_.op(stored[log2_bytes], {.rs1 = t3, .rs2 = s2, .imm = offset});
      else
        kernel_.op(loads[log2_bytes], {.rd = t5, .rs1 = t3, .imm = offset});
    }
    kernel_.addi(t3, t3, static_cast<i32>(routine.stride));
    kernel_.branch(Op::BLTU, t3, t4, routine.address).op(Op::JALR, {.rs1 = ra});
    routines_.push_back(routine);
  }

  /// A loop over a buffer, or over a part of it.
  void work(const Buffer& buffer) {
    const Routine& routine = routines_[random_.below(routines_.size())];
    if ((buffer.written || (routine.stores && buffer.read)) && !wrong(Wrong::work)) return;
    if (routine.stride > buffer.bytes) return;
    u32 rounds = buffer.bytes / routine.stride;
    // Over the end, into the next buffer perhaps.
    if (wrong(Wrong::work)) rounds += static_cast<u32>(random_.between(1, 8));
    const u32 skipped = static_cast<u32>(random_.below(rounds));
    call(routine, buffer.begin + skipped * routine.stride, buffer.begin + rounds * routine.stride);
  }
  void call(const Routine& routine, u32 begin, u32 end) {
    kernel_.li(t3, begin).li(t4, end);
    kernel_.op(Op::JAL, {.rd = ra, .imm = static_cast<i32>(routine.address - kernel_.here())});
  }

  void queue(const dma::Descriptor& d, u32 shared_field) {
    put_descriptors(kernel_, next_, {d});
    kernel_.li(t0, next_);
    next_ += 128;
    if (shared_field != 0 && !wrong(Wrong::piece)) {
      // Every PE its own piece.
      const i32 offset = static_cast<i32>(shared_field);
      kernel_.lw(t2, t0, offset).add(t2, t2, s3).sw(t2, t0, offset);
    }
    kernel_.dma(t0);
  }

  dma::Descriptor copy(const Buffer& buffer, u32 source, u32 destination) {
    const u8 bytes = random_.one_in(2) ? 4 : 1;
    dma::Descriptor d =
        linear_copy(source, destination, static_cast<u16>(buffer.bytes / bytes), bytes);
    d.release_own = {static_cast<u8>(random_.below(3)), 1};
    return d;
  }

  void fetch(Buffer& buffer) {
    if ((buffer.read || buffer.written) && !wrong(Wrong::transfer)) return;
    const dma::Descriptor d = copy(buffer, ocm_base, buffer.begin);
    queue(d, 4);
    buffer.written = true;
    moving_.push_back({&buffer, d.release_own.semaphore});
  }

  void send(Buffer& buffer) {
    if (buffer.written && !wrong(Wrong::transfer)) return;
    const dma::Descriptor d = copy(buffer, buffer.begin, dram_base);
    queue(d, 8);
    buffer.read = true;
    moving_.push_back({&buffer, d.release_own.semaphore});
  }

  /// PEs come to what follows at different times.
  void skew() {
    kernel_.op(Op::XORI, {.rd = t2, .rs1 = s2, .imm = static_cast<i32>(random_.below(16))});
    kernel_.op(Op::SLLI, {.rd = t2, .rs1 = t2, .imm = static_cast<i32>(random_.below(4))});
    const u32 top = kernel_.addi(t2, t2, 1).here();
    kernel_.addi(t2, t2, -1).branch(Op::BNE, t2, zero, top);
  }

  /// From one PE to all others; a barrier makes sure that they are done with what is there.
  void push(Buffer& buffer) {
    if ((buffer.read || buffer.written) && !wrong(Wrong::transfer)) return;
    if (wrong(Wrong::barrier)) {
      // Receivers may be later than the sender, and have met others since they were at the bytes.
      skew();
      work(buffer);
      kernel_.post(s2, 10);
    } else {
      kernel_.bar(0);
    }
    dma::Descriptor d = copy(buffer, buffer.begin, buffer.begin - local_base);
    d.multicast = true;
    d.rectangle = {0, 0, 3, 3};
    d.release_receivers = {9, 1};
    d.release_own = {3, 1};
    put_descriptors(kernel_, next_, {d});
    kernel_.li(t0, next_).li(t3, static_cast<u32>(random_.below(16)));
    next_ += 128;
    // The sender waits for its own semaphore, the others for theirs, after something else.
    const u32 skip = 4 * 2;
    kernel_.branch(Op::BNE, s2, t3, kernel_.here() + skip).dma(t0);
    buffer.written = true;
    if (random_.one_in(2)) work(any());
    buffer.written = false;
    kernel_.branch(Op::BNE, s2, t3, kernel_.here() + 3 * 4).wait(3, t1);
    kernel_.branch(Op::BEQ, s2, t3, kernel_.here() + skip).wait(9, t1);
  }

  void finish(u64 which) {
    const Moving done = moving_[which];
    moving_.erase(moving_.begin() + static_cast<std::ptrdiff_t>(which));
    // The transfers of one semaphore: as many as there are, so that all of them are complete.
    u32 amount = 1;
    const auto same = [&](const Moving& one) { return one.semaphore == done.semaphore; };
    const auto free = [](Buffer& buffer) { buffer.read = buffer.written = false; };
    for (const Moving& one : moving_)
      if (same(one)) {
        ++amount;
        free(*one.buffer);
      }
    std::erase_if(moving_, same);
    free(*done.buffer);
    kernel_.li(t2, wrong(Wrong::wait) ? 1 : amount).wait(static_cast<i32>(done.semaphore), t2);
  }

  Random random_;
  Wrong wrong_;
  Kernel kernel_;
  u32 next_ = descriptors;
  std::array<Buffer, buffer_count> buffers_;
  std::vector<Moving> moving_;
  std::vector<Routine> routines_;
};

}  // namespace

profile::RunCase near_race_case(u64 seed) {
  profile::RunCase run_case;
  run_case.note = fmt::format("near_race_case({})", seed);
  RunInput& input = run_case.input;
  input.machine.name = "random";
  input.machine.rows = input.machine.columns = 4;
  input.machine.map.ocm.bytes = input.machine.map.dram.bytes = 16 * near_race_piece;
  input.program = program_of(NearRaces(seed).make());
  run_case.options.cycle_limit = 30'000;
  run_case.options.check_races = true;
  return run_case;
}

}  // namespace simfarm::test
