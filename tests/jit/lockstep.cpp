#include "tests/jit/lockstep.h"

#include "engine/reference/execute.h"

namespace simfarm::test {
namespace {

/// One lane's local memory; remembers whether an access was not naturally aligned.
class LanePort final : public reference::DataPort {
 public:
  LanePort(Tile& tile, u32 lane) : tile_(tile), lane_(lane) {}

  std::optional<reference::Fault> load(u32 address, u32 count, u64& value) override {
    if (!inside(address, count)) return reference::Fault{TrapKind::load_fault, address, "outside"};
    value = 0;
    for (u32 k = 0; k < count; ++k)
      value |= u64{tile_.byte(address - Tile::base + k, lane_)} << (8 * k);
    return std::nullopt;
  }
  std::optional<reference::Fault> store(u32 address, u32 count, u64 value) override {
    if (!inside(address, count) || address - Tile::base < tile_.code_bytes)
      return reference::Fault{TrapKind::store_fault, address, "outside"};
    for (u32 k = 0; k < count; ++k)
      tile_.set_byte(address - Tile::base + k, lane_, static_cast<u8>(value >> (8 * k)));
    return std::nullopt;
  }
  bool aligned() const { return aligned_; }

 private:
  bool inside(u32 address, u32 count) {
    if (address % count != 0) aligned_ = false;
    return address >= Tile::base && address - Tile::base <= Tile::bytes - count;
  }

  Tile& tile_;
  u32 lane_;
  bool aligned_ = true;
};

}  // namespace

Tile::Tile(u32 its_stride, u32 its_first, u32 its_lanes)
    : stride(its_stride),
      first(its_first),
      lanes(its_lanes),
      x(fast::register_rows * stride),
      memory(bytes / 4 * stride),
      counts(1 << 12) {}

void Tile::set_byte(u32 offset, u32 lane, u8 value) {
  u32& its = memory[offset / 4 * stride + first + lane];
  const u32 shift = offset % 4 * 8;
  its = (its & ~(0xffu << shift)) | u32{value} << shift;
}

void Tile::unite(fast::jit::Rows rows) {
  for (u32 number = 0; number < fast::register_rows; ++number)
    for (u32 lane = 1; (rows >> number & 1) != 0 && lane < lanes; ++lane)
      row(number, lane) = row(number, 0);
}

fast::Frame Tile::frame() {
  return {x.data() + first, memory.data() + first, counts.data(), clock, stop, retired};
}

void Tile::take(const fast::Frame& frame) {
  clock = frame.clock;
  retired = frame.retired;
}

bool Lockstep::execute(u32 instruction, u32 lane) {
  reference::Hart hart;
  for (u32 k = 1; k < 32; ++k) hart.x[k] = tile_.row(k, lane);
  hart.pc = node_->pcs[instruction];
  hart.operand =
      u64{tile_.row(fast::operand_high, lane)} << 32 | tile_.row(fast::operand_low, lane);
  for (u32 k = 0; k < 2; ++k) {
    const fast::LoopContext& loops = node_->entry.loops;
    hart.loops[k] = {loops.start[k], loops.end[k], tile_.row(fast::loop_count_0 + k, lane)};
  }
  LanePort port(tile_, lane);
  const Operation& operation = node_->body[instruction];
  divisor_[lane] = hart.x[operation.rs2];
  const reference::Executed done = reference::execute(hart, operation, {}, port);
  if (done.fault || !port.aligned()) return false;
  next_pc_[lane] = done.next_pc;
  taken_[lane] = done.facts.taken;
  for (u32 k = 1; k < 32; ++k) tile_.row(k, lane) = hart.x[k];
  tile_.row(fast::operand_low, lane) = static_cast<u32>(hart.operand);
  tile_.row(fast::operand_high, lane) = static_cast<u32>(hart.operand >> 32);
  for (u32 k = 0; k < 2; ++k) tile_.row(fast::loop_count_0 + k, lane) = hart.loops[k].count;
  return true;
}

bool Lockstep::run(u32 from, u32 to) {
  for (u32 k = from; k < to; ++k)
    for (u32 lane = 0; lane < tile_.lanes; ++lane)
      if (!execute(k, lane)) return false;
  return true;
}

fast::Exit* Lockstep::exit() {
  std::deque<fast::Exit>& exits = node_->exits;
  fast::Exit* all = nullptr;
  for (u32 lane = 0; lane < tile_.lanes; ++lane) {
    fast::Exit* its = nullptr;
    switch (node_->ending) {
      case fast::Ending::next:
      case fast::Ending::link:
      case fast::Ending::single:
        its = &exits[0];
        break;
      case fast::Ending::branch:
        its = &exits[taken_[lane] ? 1 : 0];
        break;
      case fast::Ending::indirect:
        its = graph_.towards(*node_, next_pc_[lane]);
        break;
      case fast::Ending::loop:
      case fast::Ending::set_loop: {
        const u32 left = tile_.row(fast::loop_count_0 + node_->loop, lane);
        its = &exits[left > 1 ? 0 : left == 1 ? 1 : 2];
        break;
      }
      case fast::Ending::division:
        its = graph_.after_division(*node_, divisor_[lane]);
        break;
    }
    if (its == nullptr || (all != nullptr && all != its)) return nullptr;
    all = its;
  }
  return all;
}

fast::Exit* Lockstep::step() {
  if (node_->ending == fast::Ending::single || node_->ending == fast::Ending::link) return nullptr;
  if (!run(0, static_cast<u32>(node_->body.size()))) return nullptr;
  last_ = exit();
  if (last_ == nullptr) return nullptr;
  ++tile_.counts[last_->counter];
  tile_.clock += last_->cycles;
  tile_.retired += last_->instructions;
  node_ = &graph_.follow(*last_);
  return last_;
}

}  // namespace simfarm::test
