#include "tests/jit/random_code.h"

#include "isa/decode.h"
#include "isa/traits.h"
#include "pe/bodies/rows.h"
#include "tests/isa/words.h"

namespace simfarm::test {
namespace {

bool wanted(const Row& row) {
  if (row.compressed()) return false;
  return bodies::has_result(row.op) || traits(row.op).memory.bytes != 0 || row.op == Op::GP_XSET;
}

}  // namespace

RandomCode::RandomCode(u64 seed) : random_(seed) {
  const bool hardware_loop = random_.one_in(3);
  entry_.pc = address(0);
  if (hardware_loop && random_.one_in(2)) {
    entry_.loops.start[0] = address(1);
    entry_.loops.end[0] = address(2);
    entry_.loops.count[0] = 2;
    entry_.pc = address(1);
  }
  for (u32 block = 0; block < blocks; ++block) {
    const u32 drawn = block_length - 2;
    for (u32 k = 0; k < drawn; ++k) {
      const Operation operation = draw();
      kernel_.op(operation.op, operation);
    }
    if (hardware_loop && block == 1) {
      for (u32 k = drawn; k < block_length; ++k) {
        Operation operation = draw();
        // A division that ends a body is the stepper's.
        while (row(operation.op).timing == TimingClass::division) operation = draw();
        kernel_.op(operation.op, operation);
      }
    } else if (hardware_loop && block == 0) {
      set_loop();
    } else {
      end_block();
    }
  }
  kernel_.jump(address(0));
}

RandomCode::RandomCode(u64 seed, std::span<const Op> ops) : random_(seed) {
  entry_.pc = code_base;
  for (const Op op : ops) {
    std::optional<Operation> operation;
    while (!operation) operation = draw(op);
    kernel_.op(op, *operation);
  }
  kernel_.exit();
}

std::vector<Op> RandomCode::all_rows() {
  std::vector<Op> ops;
  for (const Row& row : rows())
    if (wanted(row)) ops.push_back(row.op);
  return ops;
}

Operation RandomCode::draw() {
  for (;;) {
    const Row& its = rows()[random_.below(rows().size())];
    if (!wanted(its)) continue;
    const bool memory = traits(its.op).memory.bytes != 0;
    if (!memory && random_.one_in(3)) continue;  // more of what has to do with memory
    if (const std::optional<Operation> operation = draw(its.op)) return *operation;
  }
}

std::optional<Operation> RandomCode::draw(Op op) {
  const Encoding& places = encoding(op);
  const u32 word = (static_cast<u32>(random_.next()) & ~places.mask) | places.match;
  if (owner(word) != op) return std::nullopt;
  std::optional<Operation> operation = decode(word);
  if (!operation) return std::nullopt;
  place_registers(*operation);
  if (!operands_are_legal(*operation) || !encode(*operation)) return std::nullopt;
  return operation;
}

void RandomCode::place_registers(Operation& operation) {
  const MemoryAccess& memory = traits(operation.op).memory;
  const auto set = [&](Field field, u8 value) {
    switch (field) {
      case Field::rd:
        operation.rd = value;
        break;
      case Field::rs1:
        operation.rs1 = value;
        break;
      case Field::rs2:
        operation.rs2 = value;
        break;
      case Field::rs3:
        operation.rs3 = value;
        break;
    }
  };
  for (u32 k = 0; k < field_count; ++k) {
    const Field field = static_cast<Field>(k);
    if (writes(operation.op, field)) set(field, static_cast<u8>(random_.between(5, 23)));
  }
  if (writes(operation.op, Field::rd) && random_.one_in(16)) operation.rd = 0;
  // Lanes that divide by the same number take the same time.
  if (row(operation.op).timing == TimingClass::division && !random_.one_in(4))
    operation.rs2 = counter;
  if (memory.bytes == 0) return;
  set(memory.base, static_cast<u8>(random_.between(1, pointers)));
  if (memory.register_offset) set(memory.offset, small_offset);
  if (!memory.register_offset && !random_.one_in(16))
    operation.imm &= -static_cast<i32>(memory.bytes);
}

/// For block 1.
void RandomCode::set_loop() {
  const i32 count = static_cast<i32>(random_.below(6));
  switch (random_.below(3)) {
    case 0:
      kernel_.nop().op(Op::CV_SETUPI, {.imm2 = block_length + 1, .imm = count});
      break;
    case 1:
      kernel_.nop().op(Op::CV_SETUP, {.rs1 = counter, .imm = block_length + 1});
      break;
    default:
      kernel_.op(Op::CV_ENDI, {.imm = block_length + 2}).op(Op::CV_COUNTI, {.imm = count});
  }
}

void RandomCode::end_block() {
  constexpr Op branches[] = {Op::BEQ,  Op::BNE,  Op::BLT,       Op::BGE,
                             Op::BLTU, Op::BGEU, Op::CV_BEQIMM, Op::CV_BNEIMM};
  const u32 to = address(random_.below(blocks));
  const auto source = [&] { return static_cast<u8>(random_.below(32)); };
  switch (random_.below(6)) {
    case 0:
      kernel_.nop().jump(to);
      break;
    case 1:
      kernel_.nop().op(Op::JALR, {.rd = static_cast<u8>(random_.between(4, 6)), .rs1 = target});
      break;
    case 2: {
      const Op op = branches[random_.below(std::size(branches))];
      const bool immediate = op == Op::CV_BEQIMM || op == Op::CV_BNEIMM;
      kernel_.nop().op(op, {.rs1 = source(),
                            .rs2 = immediate ? u8{0} : source(),
                            .imm2 = immediate ? static_cast<u8>(random_.between(-16, 15)) : u8{0},
                            .imm = static_cast<i32>(to - kernel_.here() - 4)});
      break;
    }
    case 3:
      kernel_.nop(2);
      break;
    default:
      kernel_.addi(counter, counter, -1).branch(Op::BNE, counter, zero, to);
  }
}

u32 RandomCode::any_value() {
  const u32 value = static_cast<u32>(random_.next());
  switch (random_.below(4)) {
    case 0:
      return value & 15;
    case 1:
      return value >> random_.below(32);
    case 2:
      return random_.one_in(2) ? 0x8000'0000 : ~0u;
    default:
      return value;
  }
}

void RandomCode::fill(Tile& tile, fast::jit::Rows& uniform) {
  for (u32& word : tile.x) word = any_value();
  for (u32& word : tile.memory) word = any_value();
  // What lanes load is then mostly the same.
  if (random_.one_in(2))
    for (u64 k = 0; k < tile.memory.size(); ++k)
      if (k % tile.stride != 0 && !random_.one_in(5000)) tile.memory[k] = tile.memory[k - 1];
  uniform = random_.next();
  uniform |= random_.one_in(3) ? 0 : fast::jit::Rows{0x2800'0000};
  const auto in_memory = [&] {
    const u32 offset = static_cast<u32>(random_.between(1 << 12, 3 << 12));
    return Tile::base + (random_.one_in(40) ? offset : offset & ~7u);
  };
  const auto set = [&](u32 row, auto value) {
    for (u32 lane = 0; lane < tile.lanes; ++lane) tile.row(row, lane) = value();
  };
  for (u32 row = 0; row < fast::register_rows; ++row) {
    if (row >= 1 && row <= pointers) set(row, in_memory);
    if (row == target) set(row, [&] { return address(random_.below(blocks)); });
    if (row == counter) set(row, [&] { return static_cast<u32>(random_.between(1, 40)); });
    if (row == small_offset) set(row, [&] { return static_cast<u32>(8 * random_.below(8)); });
    if (row == fast::loop_count_0 && entry_.loops.count[0] != 0)
      set(row, [&] { return static_cast<u32>(random_.between(2, 5)); });
    else if (row >= fast::loop_count_0)
      set(row, [] { return 0u; });
  }
  tile.unite(uniform);
}

}  // namespace simfarm::test
