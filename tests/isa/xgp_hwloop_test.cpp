// What LLVM cannot judge: hardware loops against the tables of the CV32E40P user manual, Xgp
// against words worked out by hand from docs/machine.md. Each word is written by fields as
// published.
#include <gtest/gtest.h>

#include "isa/decode.h"
#include "isa/disassemble.h"
#include "isa/encode.h"
#include "llvm.h"

namespace simfarm {
namespace {

struct Known {
  u32 word;
  const char* text;
  Operation operation;
};

Operation make(Op op, u8 rd, u8 rs1, u8 rs2, u8 rs3, i32 imm, u8 imm2 = 0) {
  Operation operation;
  operation.op = op;
  operation.rd = rd;
  operation.rs1 = rs1;
  operation.rs2 = rs2;
  operation.rs3 = rs3;
  operation.imm = imm;
  operation.imm2 = imm2;
  return operation;
}

void expect_known(std::initializer_list<Known> table) {
  std::vector<u32> words;
  for (const Known& one : table) {
    const std::optional<Operation> decoded = decode(one.word);
    ASSERT_TRUE(decoded) << one.text;
    EXPECT_EQ(*decoded, one.operation) << one.text;
    EXPECT_EQ(disassemble(*decoded), one.text);
    const Result<u32> word = encode(one.operation);
    ASSERT_TRUE(word) << one.text;
    EXPECT_EQ(*word, one.word) << one.text;
    words.push_back(one.word);
  }
  for (const test::Disassembled& judged : test::llvm_disassemble(words))
    EXPECT_EQ(judged.text, "<unknown>") << std::hex << judged.word;
}

TEST(HardwareLoops, AsThePublishedTables) {
  // uimmL[31:20] rs1 or uimmS[19:15] 100 funct4[11:8] L[7] 0101011
  expect_known({
      {0x0070402b, "cv.starti 0, 0x7", make(Op::CV_STARTI, 0, 0, 0, 0, 7)},
      {0xfff040ab, "cv.starti 1, 0xfff", make(Op::CV_STARTI, 1, 0, 0, 0, 0xfff)},
      {0x0002c12b, "cv.start 0, t0", make(Op::CV_START, 0, 5, 0, 0, 0)},
      {0x000fc1ab, "cv.start 1, t6", make(Op::CV_START, 1, 31, 0, 0, 0)},
      {0x0080422b, "cv.endi 0, 0x8", make(Op::CV_ENDI, 0, 0, 0, 0, 8)},
      {0x800042ab, "cv.endi 1, 0x800", make(Op::CV_ENDI, 1, 0, 0, 0, 0x800)},
      {0x0003432b, "cv.end 0, t1", make(Op::CV_END, 0, 6, 0, 0, 0)},
      {0x000543ab, "cv.end 1, a0", make(Op::CV_END, 1, 10, 0, 0, 0)},
      {0x0640442b, "cv.counti 0, 0x64", make(Op::CV_COUNTI, 0, 0, 0, 0, 100)},
      {0x003044ab, "cv.counti 1, 0x3", make(Op::CV_COUNTI, 1, 0, 0, 0, 3)},
      {0x0005c52b, "cv.count 0, a1", make(Op::CV_COUNT, 0, 11, 0, 0, 0)},
      {0x000145ab, "cv.count 1, sp", make(Op::CV_COUNT, 1, 2, 0, 0, 0)},
      {0x00a2462b, "cv.setupi 0, 0xa, 0x4", make(Op::CV_SETUPI, 0, 0, 0, 0, 10, 4)},
      {0xffffc6ab, "cv.setupi 1, 0xfff, 0x1f", make(Op::CV_SETUPI, 1, 0, 0, 0, 0xfff, 31)},
      {0x0056472b, "cv.setup 0, a2, 0x5", make(Op::CV_SETUP, 0, 12, 0, 0, 5)},
      {0x7ff647ab, "cv.setup 1, a2, 0x7ff", make(Op::CV_SETUP, 1, 12, 0, 0, 0x7ff)},
  });
}

TEST(HardwareLoops, UnusedFieldsAndFunctionsAreIllegal) {
  for (u32 word : {
           0x0070c02bu,                                         // cv.starti with rs1 = 1
           0x0010c12bu,                                         // cv.start with an immediate
           0x0080c22bu,                                         // cv.endi with rs1 = 1
           0x8003432bu,                                         // cv.end with an immediate
           0x0640c42bu,                                         // cv.counti with rs1 = 1
           0x0015c52bu,                                         // cv.count with an immediate
           0x0000482bu, 0x0000492bu, 0x00004c2bu, 0x00004fabu,  // funct4 8, 9, 12, 15
       })
    EXPECT_FALSE(decode(word)) << std::hex << word;
}

TEST(Xgp, AsWorkedOutByHand) {
  expect_known({
      // imm12 = op << 5 | parameter, rs1, 101, rd, 0101011
      {0x0005502b, "gp.dma a0", make(Op::GP_DMA, 0, 10, 0, 0, 0)},
      {0x0205d02b, "gp.wait 0x0, a1", make(Op::GP_WAIT, 0, 11, 0, 0, 0)},
      {0x02f5d02b, "gp.wait 0xf, a1", make(Op::GP_WAIT, 0, 11, 0, 0, 15)},
      {0x0486502b, "gp.post a2, 0x8", make(Op::GP_POST, 0, 12, 0, 0, 8)},
      {0x04f6502b, "gp.post a2, 0xf", make(Op::GP_POST, 0, 12, 0, 0, 15)},
      {0x0600502b, "gp.bar 0x0", make(Op::GP_BAR, 0, 0, 0, 0, 0)},
      {0x0610502b, "gp.bar 0x1", make(Op::GP_BAR, 0, 0, 0, 0, 1)},
      {0x0620502b, "gp.bar 0x2", make(Op::GP_BAR, 0, 0, 0, 0, 2)},
      {0x0806d02b, "gp.send 0x0, a3", make(Op::GP_SEND, 0, 13, 0, 0, 0)},
      {0x0836d02b, "gp.send 0x3, a3", make(Op::GP_SEND, 0, 13, 0, 0, 3)},
      {0x0a00572b, "gp.recv a4, 0x0", make(Op::GP_RECV, 14, 0, 0, 0, 0)},
      {0x0a30572b, "gp.recv a4, 0x3", make(Op::GP_RECV, 14, 0, 0, 0, 3)},
      // op[31:30] imm5[29:25] rs2 rs1 110 rd 0101011
      {0x00b6652b, "gp.ld2 a0, a1, 0x0(a2)", make(Op::GP_LD2, 10, 12, 11, 0, 0)},
      {0x3eb6652b, "gp.ld2 a0, a1, 0xf8(a2)", make(Op::GP_LD2, 10, 12, 11, 0, 248)},
      {0x42a665ab, "gp.sd2 a0, a1, 0x8(a2)", make(Op::GP_SD2, 0, 12, 10, 11, 8)},
      {0x82b6652b, "gp.ld2 a0, a1, (a2), 0x8", make(Op::GP_LD2_PI, 10, 12, 11, 0, 8)},
      {0xa0b6652b, "gp.ld2 a0, a1, (a2), -0x80", make(Op::GP_LD2_PI, 10, 12, 11, 0, -128)},
      {0xdea665ab, "gp.sd2 a0, a1, (a2), 0x78", make(Op::GP_SD2_PI, 0, 12, 10, 11, 120)},
      {0xfea665ab, "gp.sd2 a0, a1, (a2), -0x8", make(Op::GP_SD2_PI, 0, 12, 10, 11, -8)},
      // funct7 = op << 2, rs2 rs1 111 rd 0101011
      {0x00b5752b, "gp.xsdot8 a0, a0, a1", make(Op::GP_XSDOT8, 10, 10, 11, 0, 0)},
      {0x08c5f52b, "gp.xudot8 a0, a1, a2", make(Op::GP_XUDOT8, 10, 11, 12, 0, 0)},
      {0x10c5f52b, "gp.xusdot8 a0, a1, a2", make(Op::GP_XUSDOT8, 10, 11, 12, 0, 0)},
      {0x18b5702b, "gp.xset a0, a1", make(Op::GP_XSET, 0, 10, 11, 0, 0)},
      {0x2005702b, "gp.xld (a0)", make(Op::GP_XLD, 0, 10, 0, 0, 0)},
      {0x40c5f52b, "gp.rqmul a0, a1, a2", make(Op::GP_RQMUL, 10, 11, 12, 0, 0)},
      {0x48c5f52b, "gp.lut8 a0, a1, a2", make(Op::GP_LUT8, 10, 11, 12, 0, 0)},
      {0x50c5f52b, "gp.rshr a0, a1, a2", make(Op::GP_RSHR, 10, 11, 12, 0, 0)},
      // rs3[31:27] funct2[26:25] rs2 rs1 111 rd 0101011
      {0x6ac5f52b, "gp.xsdot8.ld a0, a1, a2, (a3)", make(Op::GP_XSDOT8_LD, 10, 11, 12, 13, 0)},
      {0x6cc5f52b, "gp.xudot8.ld a0, a1, a2, (a3)", make(Op::GP_XUDOT8_LD, 10, 11, 12, 13, 0)},
      {0x6ec5f52b, "gp.xusdot8.ld a0, a1, a2, (a3)", make(Op::GP_XUSDOT8_LD, 10, 11, 12, 13, 0)},
  });
}

TEST(Xgp, WhatIsNotAnInstructionIsIllegal) {
  for (u32 word : {
           0x0015502bu,  // gp.dma with a parameter
           0x000550abu,  // gp.dma with rd
           0x0305d02bu,  // gp.wait 16
           0x0205d0abu,  // gp.wait with rd
           0x0476502bu,  // gp.post to semaphore 7
           0x0506502bu,  // gp.post to semaphore 16
           0x0630502bu,  // gp.bar 3
           0x0605502bu,  // gp.bar with rs1
           0x0846d02bu,  // gp.send to direction 4
           0x0a40572bu,  // gp.recv from direction 4
           0x0a05572bu,  // gp.recv with rs1
           0x0c00502bu,  // op 6
           0x00a6652bu,  // gp.ld2 a0, a0
           0x0006602bu,  // gp.ld2 zero, zero
           0x82b5652bu,  // gp.ld2 a0, a1, (a0), 8
           0x82b5e52bu,  // gp.ld2 a0, a1, (a1), 8
           0x82a6652bu,  // gp.ld2 a0, a0, (a2), 8
           0x18b570abu,  // gp.xset with rd
           0x2015702bu,  // gp.xld with rs2
           0x200570abu,  // gp.xld with rd
           0x28b5752bu,  // funct7 op 5
           0x58c5f52bu,  // funct7 op 11
           0x6ac5f6abu,  // gp.xsdot8.ld a3, a1, a2, (a3)
           0x02c5f02bu,  // gp.xsdot8.ld zero, a1, a2, (zero)
       })
    EXPECT_FALSE(decode(word)) << std::hex << word;
}

TEST(Xgp, SourcesMayRepeat) {
  EXPECT_TRUE(decode(0x42a6652b));  // gp.sd2 a0, a0, 8(a2)
  EXPECT_TRUE(decode(0xdeb6e5ab));  // gp.sd2 a1, a1, (a3), 120
  EXPECT_TRUE(decode(0x00a5752b));  // gp.xsdot8 a0, a0, a0
  EXPECT_TRUE(decode(0x00b5652b));  // gp.ld2 a0, a1, 0(a0): nothing is incremented
}

}  // namespace
}  // namespace simfarm
