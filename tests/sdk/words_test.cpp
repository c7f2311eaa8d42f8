// Every instruction of the SDK, used in a function of its own: the word that comes out is the one
// intended, with the operands where they belong, at every optimisation level and in both languages.
#include <fmt/format.h>

#include "tests/support/compiled.h"

namespace simfarm::test {
namespace {

struct Case {
  const char* body;  ///< of a function of uint32_t a, b, c that returns uint32_t
  const char* text;  ///< its instructions at -O2, the return left out
};

constexpr Case cases[] = {
    // Synchronising instructions.
    {"sf_send(SF_NORTH, a); return a;", "gp.send 0x0, a0"},
    {"sf_send(SF_WEST, b); return a;", "gp.send 0x3, a1"},
    {"return sf_recv(SF_EAST);", "gp.recv a0, 0x1"},
    {"return sf_recv(SF_SOUTH);", "gp.recv a0, 0x2"},
    {"sf_wait(15, b); return a;", "gp.wait 0xf, a1"},
    {"sf_wait(0, c); return a;", "gp.wait 0x0, a2"},
    {"sf_post(b, 8); return a;", "gp.post a1, 0x8"},
    {"sf_post(a, 15); return a;", "gp.post a0, 0xf"},
    {"sf_barrier(SF_ALL); return a;", "gp.bar 0x0"},
    {"sf_barrier(SF_ROW); return a;", "gp.bar 0x1"},
    {"sf_barrier(SF_COLUMN); return a;", "gp.bar 0x2"},
    {"sf_dma((const void*)b); return a;", "gp.dma a1"},
    // Identity and regions.
    {"return sf_pe();", "csrrs a0, mhartid, zero"},
    {"return sf_row();", "csrrs a0, 0xfc0, zero"},
    {"return sf_column();", "csrrs a0, 0xfc1, zero"},
    {"return sf_rows();", "csrrs a0, 0xfc2, zero"},
    {"return sf_columns();", "csrrs a0, 0xfc3, zero"},
    {"return sf_pes();", "csrrs a0, 0xfc4, zero"},
    {"return sf_local_bytes();", "csrrs a0, 0xfc5, zero"},
    {"return sf_cycles();", "csrrs a0, mcycle, zero"},
    {"sf_region(7); return a;", "csrrwi zero, 0x7c0, 0x7"},
    {"sf_region(b); return a;", "csrrw zero, 0x7c0, a1"},
    // 64-bit accesses.
    {"uint32_t lo, hi; sf_ld2(lo, hi, (const char*)a, 248); return lo ^ hi;",
     "gp.ld2 a0, a1, 0xf8(a0); xor a0, a0, a1"},
    {"uint32_t lo, hi; const char* p = (const char*)a; sf_ld2_step(lo, hi, p, -128);"
     " return lo ^ hi ^ (uint32_t)p;",
     "gp.ld2 a1, a2, (a0), -0x80; xor a1, a1, a2; xor a0, a0, a1"},
    {"uint32_t lo, hi; const char* p = (const char*)a; sf_ld2_step(lo, hi, p, 120);"
     " return lo ^ hi ^ (uint32_t)p;",
     "gp.ld2 a1, a2, (a0), 0x78; xor a1, a1, a2; xor a0, a0, a1"},
    {"sf_sd2(b, c, (char*)a, 8); return a;", "gp.sd2 a1, a2, 0x8(a0)"},
    {"char* p = (char*)a; sf_sd2_step(b, c, p, -8); return (uint32_t)p;",
     "gp.sd2 a1, a2, (a0), -0x8"},
    // The operand buffer.
    {"sf_xset(a, b); return a;", "gp.xset a0, a1"},
    {"const int8_t* p = (const int8_t*)a; sf_xld(p); return (uint32_t)p;", "gp.xld (a0)"},
    {"sf_xsdot8(a, b, c); return a;", "gp.xsdot8 a0, a1, a2"},
    {"sf_xudot8(a, b, c); return a;", "gp.xudot8 a0, a1, a2"},
    {"sf_xusdot8(a, b, c); return a;", "gp.xusdot8 a0, a1, a2"},
    {"const char* p = (const char*)c; sf_xsdot8_ld(a, b, 5, p); return a ^ (uint32_t)p;",
     "addi a3, zero, 0x5; gp.xsdot8.ld a0, a1, a3, (a2); xor a0, a0, a2"},
    {"const char* p = (const char*)c; sf_xudot8_ld(a, b, b, p); return a ^ (uint32_t)p;",
     "gp.xudot8.ld a0, a1, a1, (a2); xor a0, a0, a2"},
    {"const char* p = (const char*)c; sf_xusdot8_ld(a, b, b, p); return a ^ (uint32_t)p;",
     "gp.xusdot8.ld a0, a1, a1, (a2); xor a0, a0, a2"},
    // Requantisation and look-up.
    {"return (uint32_t)sf_rqmul((int32_t)a, (int32_t)b);", "gp.rqmul a0, a0, a1"},
    {"return (uint32_t)sf_rshr((int32_t)a, b);", "gp.rshr a0, a0, a1"},
    {"return sf_lut8((const void*)a, b);", "gp.lut8 a0, a0, a1"},
    // XCV.
    {"return sf_mac(a, b, c);", "cv.mac a0, a1, a2"},
    {"return sf_msu(a, b, c);", "cv.msu a0, a1, a2"},
    {"return sf_dotup_h(a, b);", "cv.dotup.h a0, a0, a1"},
    {"return sf_dotusp_b(a, b);", "cv.dotusp.b a0, a0, a1"},
    {"return sf_dotsp_sc_h(a, b);", "cv.dotsp.sc.h a0, a0, a1"},
    {"return sf_sdotup_b(a, b, c);", "cv.sdotup.b a0, a1, a2"},
    {"return sf_sdotusp_h(a, b, c);", "cv.sdotusp.h a0, a1, a2"},
    {"return sf_sdotsp_b(a, b, c);", "cv.sdotsp.b a0, a1, a2"},
    {"return sf_sdotsp_sc_b(a, b, c);", "cv.sdotsp.sc.b a0, a1, a2"},
    {"return sf_add_h(a, b);", "cv.add.h a0, a0, a1"},
    {"return sf_sub_b(a, b);", "cv.sub.b a0, a0, a1"},
    {"return sf_avg_h(a, b);", "cv.avg.h a0, a0, a1"},
    {"return sf_avgu_b(a, b);", "cv.avgu.b a0, a0, a1"},
    {"return sf_min_b(a, b);", "cv.min.b a0, a0, a1"},
    {"return sf_minu_h(a, b);", "cv.minu.h a0, a0, a1"},
    {"return sf_max_sc_h(a, b);", "cv.max.sc.h a0, a0, a1"},
    {"return sf_maxu_b(a, b);", "cv.maxu.b a0, a0, a1"},
    {"return sf_srl_b(a, b);", "cv.srl.b a0, a0, a1"},
    {"return sf_sra_sc_h(a, b);", "cv.sra.sc.h a0, a0, a1"},
    {"return sf_sll_h(a, b);", "cv.sll.h a0, a0, a1"},
    {"return sf_cmpeq_b(a, b);", "cv.cmpeq.b a0, a0, a1"},
    {"return sf_cmpgt_h(a, b);", "cv.cmpgt.h a0, a0, a1"},
    {"return sf_cmpge_h(a, b);", "cv.cmpge.h a0, a0, a1"},
    {"return sf_cmplt_sc_b(a, b);", "cv.cmplt.sc.b a0, a0, a1"},
    {"return sf_cmple_b(a, b);", "cv.cmple.b a0, a0, a1"},
    {"return sf_abs_h(a);", "cv.abs.h a0, a0"},
    {"return sf_abs_b(a);", "cv.abs.b a0, a0"},
    {"return sf_shuffle_h(a, b);", "cv.shuffle.h a0, a0, a1"},
    {"return sf_shuffle_b(a, b);", "cv.shuffle.b a0, a0, a1"},
    {"return sf_shuffle2_h(a, b, c);", "cv.shuffle2.h a0, a1, a2"},
    {"return sf_shuffle2_b(a, b, c);", "cv.shuffle2.b a0, a1, a2"},
    {"return sf_pack(a, b);", "cv.pack a0, a0, a1"},
    {"return sf_pack_h(a, b);", "cv.pack.h a0, a0, a1"},
    {"return sf_packhi_b(a, b, c);", "cv.packhi.b a0, a1, a2"},
    {"return sf_packlo_b(a, b, c);", "cv.packlo.b a0, a1, a2"},
    {"return sf_clipr(a, b);", "cv.clipr a0, a0, a1"},
    {"return sf_clipur(a, b);", "cv.clipur a0, a0, a1"},
    {"return (uint32_t)sf_clip(a, 8);", "cv.clip a0, a0, 0x8"},
    {"return sf_mulsn(a, b, 3);", "cv.mulsn a0, a0, a1, 0x3"},
    {"return sf_mulhhsn(a, b, 31);", "cv.mulhhsn a0, a0, a1, 0x1f"},
    {"return sf_mulsrn(a, b, 15);", "cv.mulsrn a0, a0, a1, 0xf"},
    {"return sf_mulhhsrn(a, b, 1);", "cv.mulhhsrn a0, a0, a1, 0x1"},
    {"return sf_macsn(a, b, c, 2);", "cv.macsn a0, a1, a2, 0x2"},
    {"return sf_macsrn(a, b, c, 7);", "cv.macsrn a0, a1, a2, 0x7"},
    {"return sf_addn(a, b, 4);", "cv.addn a0, a0, a1, 0x4"},
    {"return sf_addrn(a, b, 4);", "cv.addrn a0, a0, a1, 0x4"},
    {"return sf_subn(a, b, 4);", "cv.subn a0, a0, a1, 0x4"},
    {"return sf_subrn(a, b, 4);", "cv.subrn a0, a0, a1, 0x4"},
};

std::string source() {
  std::string text = "#include <simfarm.h>\n";
  for (u32 k = 0; k < std::size(cases); ++k)
    text += fmt::format(
        "SF_EXTERN_C_BEGIN uint32_t t{0}(uint32_t, uint32_t, uint32_t); SF_EXTERN_C_END\n"
        "__attribute__((used, retain, noinline)) uint32_t t{0}(uint32_t a, uint32_t b, uint32_t c) "
        "{{ (void)a; (void)b; (void)c; {1} }}\n",
        k, cases[k].body);
  return text + "SF_MAIN(arguments) { return (int)arguments->version; }\n";
}

std::string joined(std::vector<std::string> lines) {
  EXPECT_EQ(lines.back(), "jalr zero, 0x0(ra)");
  lines.pop_back();
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text;
}

TEST(SdkWords, EveryInstructionIsTheIntendedOne) {
  for (const char* file : {"words.c", "words.cc"}) {
    const Image image = build(file, source(), "-O2 -Wall -Wextra");
    for (u32 k = 0; k < std::size(cases); ++k)
      EXPECT_EQ(joined(listing(image, fmt::format("t{}", k))), cases[k].text)
          << file << ": " << cases[k].body;
  }
}

/// "gp.send 0x1, a0" without its registers: what must not depend on the optimiser.
std::string without_registers(const std::string& line) {
  const u64 blank = line.find(' ');
  std::string text = line.substr(0, blank);
  if (blank == std::string::npos) return text;
  std::string word;
  for (const char c : line.substr(blank) + ",") {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-') {
      word += c;
      continue;
    }
    if (word.find("0x") != std::string::npos) text += " " + word;
    word.clear();
  }
  return text;
}

TEST(SdkWords, EveryLevelGivesTheSameInstructions) {
  for (const char* options : {"-O0", "-O1", "-O3"}) {
    for (const char* file : {"words.c", "words.cc"}) {
      const Image image = build(file, source(), std::string(options) + " -Wall -Wextra");
      for (u32 k = 0; k < std::size(cases); ++k) {
        const std::string text = cases[k].text;
        const u64 at = std::min(text.find("gp."), text.find("cv."));
        if (at == std::string::npos) continue;
        const std::string wanted = without_registers(text.substr(at, text.find(';', at) - at));
        u32 found = 0;
        for (const std::string& line : listing(image, fmt::format("t{}", k)))
          found += without_registers(line) == wanted ? 1 : 0;
        EXPECT_EQ(found, 1u) << file << " " << options << ": " << cases[k].body;
      }
    }
  }
}

TEST(SdkWords, OldestStandardsTakeTheHeader) {
  build("words.c", source(), "-O1 -std=c99 -Wall -Wextra -Wpedantic");
  build("words.cc", source(), "-O1 -std=c++17 -Wall -Wextra -Wpedantic");
}

TEST(SdkWords, GccTakesTheHeader) {
  Folder folder;
  folder.write("words.c", source());
  folder.write("words.cc", source());
  std::string output;
  if (run_in(folder, "command -v riscv64-unknown-elf-gcc", output) != 0)
    GTEST_SKIP() << "riscv64-unknown-elf-gcc is not installed";
  const std::string command =
      "riscv64-unknown-elf-gcc -march=rv32imc_zicsr_zba_zbb -mabi=ilp32 -ffreestanding -Wall "
      "-Werror"
      " -isystem '" SIMFARM_SOURCE_DIR "/sdk/include' -c -o out.o ";
  for (const char* options : {"-O0 -std=c99 words.c", "-O2 words.c", "-O3 -std=c++17 words.cc"})
    EXPECT_EQ(run_in(folder, command + options, output), 0) << options << "\n" << output;
}

TEST(SdkWords, FieldsOutOfRangeDoNotCompile) {
  const std::pair<const char*, const char*> wrong[] = {
      {"sf_send(4, a)", "SF_NORTH"},
      {"sf_wait(16, a)", "semaphores 0..15"},
      {"sf_post(a, 7)", "semaphores 8..15"},
      {"sf_barrier(3)", "SF_ALL"},
      {"sf_ld2(a, b, p, 256)", "0..248"},
      {"sf_ld2(a, b, p, 4)", "0..248"},
      {"sf_sd2_step(a, b, p, 128)", "-128..120"},
      {"a = sf_clip(a, 32)", "1..31"},
      {"a = sf_mulsn(a, b, 32)", "0..31"},
  };
  for (const auto& [statement, message] : wrong) {
    Folder folder;
    folder.write(
        "k.c", fmt::format("#include <simfarm.h>\nvoid f(uint32_t a, uint32_t b, char* p);\n"
                           "void f(uint32_t a, uint32_t b, char* p) {{ (void)p; (void)b; {}; }}\n",
                           statement));
    std::string output;
    EXPECT_NE(simfarm_cc(folder, "-c k.c -o k.o", output), 0) << statement;
    EXPECT_NE(output.find(message), std::string::npos) << statement << "\n" << output;
  }
}

}  // namespace
}  // namespace simfarm::test
