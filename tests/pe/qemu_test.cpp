// I, M, Zba and Zbb against qemu-riscv32: one straight piece of code that both execute over random
// operands, storing every result. Assembled by LLVM from the disassembler's text.
#include <fmt/format.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "isa/disassemble.h"
#include "tests/pe/core.h"

namespace simfarm::reference::qemu {
namespace {

/// Where arithmetic changes its mind.
constexpr u32 edges[] = {0,           1,           2,           ~0u,         0x7fff'ffff,
                         0x8000'0000, 0x8000'0001, 0x7fff'8000, 0xffff'8000, 0x0000'8000,
                         0x0000'ffff, 0x0000'0080, 0x00ff'00ff, 31,          32};
constexpr u32 random_pairs = 400;
constexpr u32 pairs = std::size(edges) * std::size(edges) + random_pairs;
constexpr u32 immediates = 12;    // of each instruction with an immediate
constexpr u32 buffer_bytes = 64;  // for loads and stores
constexpr u8 s0 = 8, s2 = 18, a0 = 10, a1 = 11, a2 = 12, a3 = 13, a4 = 14;

/// The code under test: a0 is the result, a1 and a2 the operands, s2 points into the buffer, s0 at
/// the results.
class Code {
 public:
  std::vector<Operation> operations;
  std::vector<std::string> stored;  ///< what each result is of

  void result_of(const Operation& op) {
    operations.push_back(op);
    store(disassemble(op));
  }
  void store(std::string what) {
    operations.push_back(
        {.op = Op::SW, .rs1 = s0, .rs2 = a0, .imm = static_cast<i32>(4 * stored.size())});
    stored.push_back(std::move(what));
  }
  u32 result_bytes() const { return static_cast<u32>(4 * stored.size()); }
};

class Generator {
 public:
  Code make() {
    for (const Row& row : rows()) {
      const bool wanted = row.extension == Extension::i || row.extension == Extension::m ||
                          row.extension == Extension::zba || row.extension == Extension::zbb;
      if (wanted) add(row);
    }
    return std::move(code_);
  }
  /// Every pair of edges, then random ones, a fifth of them short.
  std::vector<u32> make_operands() {
    std::vector<u32> operands;
    for (u32 a : edges) {
      for (u32 b : edges) operands.insert(operands.end(), {a, b});
    }
    for (u32 k = 0; k < 2 * random_pairs; ++k)
      operands.push_back(random() >> (random() % 5 == 0 ? random() % 32 : 0));
    return operands;
  }

 private:
  u32 random() { return static_cast<u32>(random_()); }

  void add(const Row& row) {
    const Operation op{.op = row.op};
    switch (row.timing) {
      case TimingClass::single:
      case TimingClass::mulh:
      case TimingClass::division:
        return add_arithmetic(row);
      case TimingClass::load:
        for (u32 k = 0; k < immediates; ++k) code_.result_of(memory_operation(op, a0, 0));
        return;
      case TimingClass::store:
        for (u32 k = 0; k < immediates / 4; ++k) {
          code_.operations.push_back(memory_operation(op, 0, a2));
          code_.result_of({.op = Op::LW, .rd = a0, .rs1 = s2, .imm = 0});
          code_.result_of({.op = Op::LW, .rd = a0, .rs1 = s2, .imm = 4});
        }
        return;
      case TimingClass::branch:
        code_.operations.push_back({.op = Op::ADDI, .rd = a0, .imm = 1});
        code_.operations.push_back({.op = row.op, .rs1 = a1, .rs2 = a2, .imm = 8});
        code_.operations.push_back({.op = Op::ADDI, .rd = a0, .imm = 2});
        return code_.store(disassemble({.op = row.op, .rs1 = a1, .rs2 = a2, .imm = 8}));
      case TimingClass::jal:
        return add_jump({.op = row.op, .rd = a0, .imm = 8});
      case TimingClass::jalr:
        return add_jump({.op = row.op, .rd = a0, .rs1 = a3, .imm = 13});
      default:
        return;  // fences and what traps
    }
  }

  void add_arithmetic(const Row& row) {
    if (row.op == Op::AUIPC) return;  // within add_jump
    if (row.syntax == "rd, rs1, rs2")
      return code_.result_of({.op = row.op, .rd = a0, .rs1 = a1, .rs2 = a2});
    if (row.syntax == "rd, rs1") return code_.result_of({.op = row.op, .rd = a0, .rs1 = a1});
    for (u32 k = 0; k < immediates; ++k) {
      Operation op{.op = row.op, .rd = a0};
      if (row.immediate == Immediate::u_type) {
        op.imm = static_cast<i32>(random() & 0xffff'f000);
      } else {
        EXPECT_EQ(row.syntax, "rd, rs1, imm") << row.name;
        op.rs1 = a1;
        op.imm = static_cast<i32>(row.immediate == Immediate::uimm5 ? random() % 32
                                                                    : random() % 4096 - 2048);
      }
      code_.result_of(op);
    }
  }

  Operation memory_operation(Operation op, u8 rd, u8 rs2) {
    op.rd = rd, op.rs2 = rs2, op.rs1 = s2;
    op.imm = static_cast<i32>(random() % 8);
    return op;
  }

  /// The link, relative to the jump's own place; a2 instead when the jump lands short.
  void add_jump(const Operation& jump) {
    code_.operations.push_back({.op = Op::AUIPC, .rd = a3, .imm = 0});
    code_.operations.push_back(jump);
    code_.operations.push_back({.op = Op::ADDI, .rd = a0, .rs1 = a2, .imm = 0});
    code_.operations.push_back({.op = Op::SUB, .rd = a0, .rs1 = a0, .rs2 = a3});
    code_.store(disassemble(jump));
  }

  Code code_;
  std::mt19937 random_{20240607};
};

/// Assembles, links and runs the code over all pairs; gives what it wrote.
std::vector<u8> run_in_qemu(const Code& code, const std::vector<u32>& operands) {
  std::string text = fmt::format(
      ".globl _start\n.option norvc\n.option norelax\n_start:\n la s0, results\n la s1, operands\n"
      " la s3, operands_end\nloop:\n lw a1, 0(s1)\n lw a2, 4(s1)\n andi a4, a1, 15\n"
      " la s2, buffer\n add s2, s2, a4\n");
  for (const Operation& op : code.operations) text += ' ' + disassemble(op) + '\n';
  text += fmt::format(
      " addi s0, s0, {0}\n addi s1, s1, 8\n beq s1, s3, done\n j loop\ndone:\n"
      " li a7, 64\n li a0, 1\n la a1, results\n li a2, {1}\n ecall\n"
      " li a7, 93\n li a0, 0\n ecall\n.data\n.balign 16\nbuffer: .zero {2}\noperands:\n",
      code.result_bytes(), code.result_bytes() * pairs, buffer_bytes);
  for (u32 operand : operands) text += fmt::format(" .word 0x{:08x}\n", operand);
  text += fmt::format("operands_end:\n.bss\n.balign 4\nresults: .zero {}\n",
                      code.result_bytes() * pairs);

  std::string name = (std::filesystem::temp_directory_path() / "simfarm-qemu-XXXXXX").string();
  if (!mkdtemp(name.data())) return {};
  const std::filesystem::path folder = name;
  std::ofstream(folder / "a.s") << text;
  const std::string command = fmt::format(
      "cd '{}' && llvm-mc-19 -triple=riscv32 -mattr=+m,+zba,+zbb -filetype=obj a.s -o a.o && "
      "ld.lld-19 --no-relax -e _start a.o -o a.elf && "
      "qemu-riscv32 -cpu rv32,zba=true,zbb=true a.elf >out",
      folder.string());
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ifstream out(folder / "out", std::ios::binary);
  std::vector<u8> bytes{std::istreambuf_iterator<char>(out), {}};
  std::filesystem::remove_all(folder);
  return bytes;
}

TEST(Qemu, IMZbaZbbAgreeOnRandomOperands) {
  Generator generator;
  const Code code = generator.make();
  ASSERT_LT(code.result_bytes(), 2048u);  // the stores' reach
  const std::vector<u32> operands = generator.make_operands();

  const std::vector<u8> expected = run_in_qemu(code, operands);
  ASSERT_EQ(expected.size(), u64{code.result_bytes()} * pairs);

  TestCore core;
  constexpr u32 buffer = TestMemory::base, results = TestMemory::base + 1024;
  u32 differences = 0;
  for (u32 pair = 0; pair < pairs && differences < 20; ++pair) {
    core.hart.x[s0] = results;
    core.hart.x[a1] = operands[2 * pair];
    core.hart.x[a2] = operands[2 * pair + 1];
    core.hart.x[a4] = operands[2 * pair] & 15;
    core.hart.x[s2] = buffer + core.hart.x[a4];
    ASSERT_FALSE(core.run_program(code.operations));
    for (u32 k = 0; k < code.stored.size(); ++k) {
      const u8* bytes = &expected[pair * code.result_bytes() + 4 * k];
      const u32 word = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | u32{bytes[3]} << 24;
      const u32 ours = static_cast<u32>(core.memory.word(results + 4 * k));
      EXPECT_EQ(ours, word) << fmt::format("{} with a1 = 0x{:08x}, a2 = 0x{:08x}", code.stored[k],
                                           operands[2 * pair], operands[2 * pair + 1]);
      differences += ours != word;
    }
  }
}

}  // namespace
}  // namespace simfarm::reference::qemu
