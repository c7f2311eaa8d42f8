// Line tables as clang writes them, against what LLVM's own reader says of them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "memory/program.h"

namespace simfarm {
namespace {

namespace fs = std::filesystem;

constexpr const char* source = R"(static inline int square(int x) {
  return x * x;
}
int table[4] = {1, 2, 3, 4};

__attribute__((noinline)) int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += square(table[i & 3]);
  return sum;
}

int unused(int n) {
  return n + 1;
}

__attribute__((section(".text.start"))) void _start(void) {
  register int code asm("a0") = work(9);
  register int call asm("a7") = 93;
  asm volatile("ecall" : : "r"(code), "r"(call));
}
)";

struct LinesOfClang : ::testing::TestWithParam<const char*> {
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "simfarm-lines-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    std::ofstream(folder / "k.c") << source;
  }
  void TearDown() override { fs::remove_all(folder); }

  void run(const std::string& command) {
    const std::string whole =
        fmt::format("cd '{}' && {{ {}; }} > out 2> log", folder.string(), command);
    std::ifstream log(folder / "log");
    ASSERT_EQ(std::system(whole.c_str()), 0) << log.rdbuf();
  }

  fs::path folder;
};

TEST_P(LinesOfClang, AreThoseOfLlvm) {
  run(
      fmt::format("clang-19 --target=riscv32 -march=rv32imc -mabi=ilp32 -O2 {} -ffreestanding "
                  "-ffunction-sections -nostdlib -static -fuse-ld=lld -Wl,--gc-sections "
                  "-Wl,-Ttext=0x400000,-Tdata=0x10000000 k.c -o k.elf",
                  GetParam()));
  const auto image = load_elf((folder / "k.elf").string());
  ASSERT_TRUE(image) << image.error().message;
  ASSERT_NE(image->lines, nullptr);
  std::vector<u32> pcs;
  for (const Segment& segment : image->segments)
    for (u32 at = 0; segment.executable && at < segment.memory_bytes; at += 2)
      pcs.push_back(segment.address + at);
  std::string addresses;
  for (const u32 pc : pcs) addresses += fmt::format(" {:#x}", pc);
  // Two lines for each address, then an empty one: function, file:line:column. Lines of the row,
  // not of inlined callers.
  run("llvm-symbolizer-19 --obj=k.elf --no-inlines --basenames" + addresses);
  std::ifstream answers(folder / "out");
  u32 compared = 0;
  std::string function, place, empty;
  for (const u32 pc : pcs) {
    ASSERT_TRUE(std::getline(answers, function) && std::getline(answers, place) &&
                std::getline(answers, empty));
    const SourceLine found = locate(*image, pc);
    EXPECT_EQ(found.function, function) << fmt::format("{:#x}", pc);
    const auto colon = place.find(':');
    const u32 line = static_cast<u32>(std::stoul(place.substr(colon + 1)));
    if (line == 0) continue;  // code that no line asked for: we keep the line before
    EXPECT_EQ(fs::path(found.file).filename().string(), place.substr(0, colon));
    EXPECT_EQ(found.line, line) << fmt::format("{:#x}", pc);
    ++compared;
  }
  EXPECT_GT(compared, 20u);
}

INSTANTIATE_TEST_SUITE_P(Versions, LinesOfClang,
                         ::testing::Values("-gdwarf-2", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5"));

}  // namespace
}  // namespace simfarm
