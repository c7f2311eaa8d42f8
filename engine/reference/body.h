// How the reference engine's instruction bodies are written and found. A group file (execute_*.cpp)
// lists {row, body} pairs; a row without a body, or with two, does not compile.
#pragma once
#include <array>
#include <initializer_list>

#include "engine/reference/execute.h"
#include "isa/row.h"

namespace simfarm::reference {

/// One instruction on its way: its operands, and where its results go. A body first finds out
/// whether it can be done, and only then writes.
struct Step {
  Hart& hart;
  const Operation& op;
  const Surroundings& around;
  DataPort& memory;
  Executed& done;
  bool jumped = false;

  u32 rd() const { return hart.x[op.rd]; }
  u32 rs1() const { return hart.x[op.rs1]; }
  u32 rs2() const { return hart.x[op.rs2]; }
  u32 rs3() const { return hart.x[op.rs3]; }
  u32 imm() const { return static_cast<u32>(op.imm); }

  /// Writes a register; x0 stays 0.
  void write(u32 number, u32 value) {
    if (number != 0) hart.x[number] = value;
  }
  void write_rd(u32 value) { write(op.rd, value); }

  /// Continues at `target`. False: a fault, and nothing has changed.
  bool jump(u32 target);

  /// Reads `bytes` bytes, zero-extended. False: a fault.
  bool load(u32 address, u32 bytes, u64& value);
  /// Writes `bytes` bytes. False: a fault.
  bool store(u32 address, u32 bytes, u64 value);

  void fail(TrapKind kind, u32 address, std::string detail) {
    done.fault = Fault{kind, address, std::move(detail)};
  }
};

using Body = void (*)(Step&);
struct Entry {
  Op op;
  Body body;
};

/// Bodies by Op; null where a row is not of the group.
using Bodies = std::array<Body, op_count>;

/// Rows that are not execute()'s: the array's own, and the compressed forms, which are expanded.
constexpr bool executed_elsewhere(const Row& row) {
  return row.timing == TimingClass::sync || row.op == Op::ECALL || row.compressed();
}

/// A word access that is not word aligned, or a halfword across two words.
constexpr bool needs_two_accesses(u32 address, u32 bytes) {
  return bytes <= 4 && address % 4 + bytes > 4;
}

/// The table of a group. Does not compile unless `entries` hold exactly one body for every row of
/// `extensions`, and nothing else.
template <class... Entries>
consteval Bodies bodies(std::initializer_list<Extension> extensions, const Entries&... entries) {
  Bodies table{};
  // Beside the table: sanitizers keep g++ 12 from comparing function pointers here.
  std::array<bool, op_count> there{};
  const auto add = [&](const auto& list) {
    for (const Entry& entry : list) {
      const u32 place = static_cast<u32>(entry.op);
      if (there[place]) throw "a row has two bodies";
      there[place] = true;
      table[place] = entry.body;
    }
  };
  (add(entries), ...);
  for (const Row& row : rows()) {
    bool wanted = false;
    for (Extension extension : extensions) wanted |= row.extension == extension;
    wanted = wanted && !executed_elsewhere(row);
    if (wanted && !there[static_cast<u32>(row.op)]) throw "a row has no body";
    if (!wanted && there[static_cast<u32>(row.op)]) throw "a body in the wrong group";
  }
  return table;
}

extern const Bodies base_bodies;    // execute_base.cpp: I, M, Zifencei
extern const Bodies csr_bodies;     // execute_csr.cpp: Zicsr
extern const Bodies bit_bodies;     // execute_bits.cpp: Zba, Zbb, XCVbitmanip
extern const Bodies scalar_bodies;  // execute_scalar.cpp: XCValu, XCVmac
extern const Bodies simd_bodies;    // execute_simd.cpp: XCVsimd
extern const Bodies memory_bodies;  // execute_memory.cpp: XCVmem
extern const Bodies flow_bodies;    // execute_flow.cpp: XCVbi, XCVhwlp
extern const Bodies xgp_bodies;     // execute_xgp.cpp: Xgp

/// Forms of bodies by what they read; f computes the new rd.
template <auto f>
inline constexpr Body of_imm = [](Step& s) { s.write_rd(f(s.imm())); };
template <auto f>
inline constexpr Body of_rs1 = [](Step& s) { s.write_rd(f(s.rs1())); };
template <auto f>
inline constexpr Body of_rs1_imm = [](Step& s) { s.write_rd(f(s.rs1(), s.imm())); };
template <auto f>
inline constexpr Body of_rs1_imm_imm2 =
    [](Step& s) { s.write_rd(f(s.rs1(), s.imm(), u32{s.op.imm2})); };
template <auto f>
inline constexpr Body of_rs1_rs2 = [](Step& s) { s.write_rd(f(s.rs1(), s.rs2())); };
template <auto f>
inline constexpr Body of_rs1_rs2_imm = [](Step& s) { s.write_rd(f(s.rs1(), s.rs2(), s.imm())); };
template <auto f>
inline constexpr Body of_rd_rs1_imm = [](Step& s) { s.write_rd(f(s.rd(), s.rs1(), s.imm())); };
template <auto f>
inline constexpr Body of_rd_rs1_imm_imm2 =
    [](Step& s) { s.write_rd(f(s.rd(), s.rs1(), s.imm(), u32{s.op.imm2})); };
template <auto f>
inline constexpr Body of_rd_rs1_rs2 = [](Step& s) { s.write_rd(f(s.rd(), s.rs1(), s.rs2())); };
template <auto f>
inline constexpr Body of_rd_rs1_rs2_imm =
    [](Step& s) { s.write_rd(f(s.rd(), s.rs1(), s.rs2(), s.imm())); };

/// The bits of x as a signed number; `bits` 1..32.
constexpr i32 sign_extend(u32 x, u32 bits) {
  const u32 up = 32 - bits;
  return static_cast<i32>(x << up) >> up;
}

}  // namespace simfarm::reference
