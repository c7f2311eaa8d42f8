// simfarm-cc: what it makes is reproducible, legal on the machine and free of what is switched off;
// what it cannot do it says.
#include <algorithm>

#include "tests/support/compiled.h"

namespace simfarm::test {
namespace {

bool has(const Image& image, const std::string& symbol) {
  return std::any_of(image.symbols.begin(), image.symbols.end(),
                     [&](const Symbol& one) { return one.name == symbol; });
}

std::string talkative(const char* extra) {
  return std::string("#include <simfarm.h>\n") + R"(
__attribute__((used, retain, noinline)) int work(int a, int b) {
)" + extra +
         R"(
  return a * b + 3;
}
SF_MAIN(args) { return work((int)args->version, (int)args->tensors); }
)";
}

TEST(SimfarmCc, PrintfAndAssertAreFreeWhenOff) {
  const char* statements =
      "  sf_printf(\"a %d of %s\\n\", a * 2, \"b\");\n  sf_assert(a != b && a > -5);\n";
  for (const char* level : {"-O0", "-O2"}) {
    const std::string options = std::string(level) + " -DNDEBUG";
    const Image silent = build("k.c", talkative(statements), options);
    const Image empty = build("k.c", talkative(""), options);
    EXPECT_EQ(listing(silent, "work"), listing(empty, "work")) << level;
    EXPECT_EQ(silent.segments.size(), empty.segments.size()) << "no data for the text either";
    EXPECT_FALSE(has(silent, "sf_console_printf"));

    const Image loud = build("k.c", talkative(statements), std::string(level) + " --console");
    EXPECT_TRUE(has(loud, "sf_console_printf"));
    const auto lines = listing(loud, "work");
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "ebreak"), 1) << level;
  }
}

// What clang makes of plain loops uses post-increment and other XCV instructions: all of it must be
// legal here.
constexpr const char* plain = R"(
#include <simfarm.h>
__attribute__((used, retain, noinline)) int sum(const int* p, int n) { int s = 0; for (int i = 0; i < n; ++i) s += p[i]; return s; }
__attribute__((used, retain, noinline)) void copy(short* d, const signed char* s, int n) { while (n--) *d++ = *s++; }
__attribute__((used, retain, noinline)) int* list(int** p) { int* last = 0; while (*p) last = *p++; return last; }
struct node { struct node* next; int value; };
__attribute__((used, retain, noinline)) int walk(struct node* n) { int s = 0; for (; n; n = n->next) s += n->value; return s; }
__attribute__((used, retain, noinline)) int clamp(int a) { return a < -128 ? -128 : a > 127 ? 127 : a; }
__attribute__((used, retain, noinline)) unsigned pick(unsigned a) { switch (a) { case 0: return 3; case 1: return a * 7; case 2: return a << 5; case 3: return ~a; case 4: return a / 3; case 5: return a % 7; } return 0; }
static struct __attribute__((packed)) { char c; int i; short s; } odd;
__attribute__((used, retain, noinline)) int unaligned(void) { return odd.i + odd.s; }
__attribute__((used, retain, noinline)) uint64_t wide(uint64_t a, uint64_t b, int n) { return a / b + a % b + (a << n) + (a >> n) + a * b; }
SF_MAIN(a) { return (int)a->version; }
)";

TEST(SimfarmCc, EverythingThatClangEmitsIsLegal) {
  for (const char* level : {"-O0", "-O2", "-O3"}) {
    const Image image = build("k.c", plain, level);
    u32 functions = 0;
    u32 post_increments = 0;
    for (const Symbol& symbol : image.symbols) {
      if (!symbol.function || symbol.size == 0) continue;
      ++functions;
      for (const std::string& line : listing(image, symbol.name)) {
        EXPECT_NE(line, "<unknown>") << symbol.name << " at " << level;
        post_increments += line.starts_with("cv.l") && line.find("), ") != std::string::npos;
      }
    }
    EXPECT_GE(functions, 10u) << level;
    if (std::string(level) == "-O2") {
      EXPECT_GE(post_increments, 2u);
    }
  }
}

TEST(SimfarmCc, SameBytesFromTwoFoldersAndTwoSdks) {
  const std::string kernel = talkative("  sf_printf(\"%s\\n\", __FILE__);\n");
  Folder here, there;
  here.write("src/k.c", kernel);
  there.write("a/much/deeper/src/k.c", kernel);
  std::string output;
  ASSERT_EQ(simfarm_cc(here, "-g --console src/k.c -o k.elf", output), 0) << output;
  std::filesystem::copy(SIMFARM_SOURCE_DIR "/sdk", there.path() + "/sdk",
                        std::filesystem::copy_options::recursive);
  ASSERT_EQ(run_in(there, "sdk/bin/simfarm-cc --root a/much/deeper -g --console src/k.c -o k.elf",
                   output),
            0)
      << output;
  const std::string bytes = read_file(here.path() + "/k.elf");
  EXPECT_GT(bytes.size(), 1000u);
  EXPECT_TRUE(bytes == read_file(there.path() + "/k.elf"));
  EXPECT_EQ(bytes.find(here.path()), std::string::npos);
}

TEST(SimfarmCc, DebugInformationChangesNoInstruction) {
  const Image with = build("k.c", plain, "-O2 -g");
  const Image without = build("k.c", plain, "-O2");
  ASSERT_EQ(with.segments.size(), without.segments.size());
  for (u32 k = 0; k < with.segments.size(); ++k)
    EXPECT_EQ(with.segments[k].bytes, without.segments[k].bytes);
  ASSERT_NE(with.lines, nullptr);
  for (const Symbol& symbol : with.symbols)
    if (symbol.name == "sum") {
      EXPECT_EQ(with.lines->find(symbol.address).file, "k.c");
    }
}

TEST(SimfarmCc, CppConstructorsAreCalledAndNothingIsExported) {
  const Image image = build("k.cc", R"(
#include <simfarm.h>
struct Table { int value[4]; Table() { for (int k = 0; k < 4; ++k) value[k] = (int)sf_pe() * k; } ~Table() { value[0] = 0; } };
static Table table;
SF_MAIN(args) { return table.value[args->version]; }
)",
                            "-Wall -Wextra");
  EXPECT_TRUE(has(image, "main")) << "not mangled";
  u32 start = 0, end = 0;
  for (const Symbol& symbol : image.symbols) {
    if (symbol.name == "__init_array_start") start = symbol.address;
    if (symbol.name == "__init_array_end") end = symbol.address;
  }
  EXPECT_EQ(end - start, 4u);
}

TEST(SimfarmCc, ScratchIsInNoSegment) {
  const Image image = build("k.c", R"(
#include <simfarm.h>
SF_SCRATCH static char buffer[4096];
static int zeroed[10];
SF_MAIN(args) { zeroed[args->version] = 1; return buffer[args->tensors] + zeroed[args->params]; }
)",
                            "-Wall");
  u32 local = 0, end = 0;
  for (const Segment& segment : image.segments)
    if (segment.address >= 0x1000'0000) {
      local += segment.memory_bytes;
      end = segment.address + segment.memory_bytes;
    }
  EXPECT_EQ(local, 40u);
  for (const Symbol& symbol : image.symbols)
    if (symbol.name == "buffer") {
      EXPECT_GE(symbol.address, end);
      EXPECT_LE(symbol.address + symbol.size, 0x1000'8000u);
    }
}

TEST(SimfarmCc, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "usage: simfarm-cc"},
      {"nothing.c", "nothing.c: no such file"},
      {"k.txt", "not a C, C++ or assembly source"},
      {"-fplugin=x.so k.c", "unknown option -fplugin=x.so"},
      {"-Wl,-Tx k.c", "unknown option -Wl,-Tx"},
      {"-o", "-o needs a value"},
      {"--local-bytes 3k k.c", "3k: not a number of bytes"},
      {"--root nowhere k.c", "nowhere: no such folder"},
      {"k.c -o k.elf --local-bytes 4096", "leave less than __stack_bytes"},
      {"k.c -I missing -DX=undeclared -o k.elf", "undeclared"},
  };
  for (const auto& [arguments, message] : wrong) {
    Folder folder;
    folder.write("k.txt", "");
    folder.write("k.c",
                 "#include <simfarm.h>\n#ifndef X\n#define X 0\n#endif\nstatic char big[4000];\n"
                 "SF_MAIN(a) { big[a->tensors] = 1; return X + big[a->version]; }\n");
    std::string output;
    EXPECT_NE(simfarm_cc(folder, arguments, output), 0) << arguments;
    EXPECT_NE(output.find(message), std::string::npos) << arguments << "\n" << output;
  }
}

TEST(SimfarmCc, NamesTheToolThatIsMissing) {
  Folder folder;
  folder.write("k.c", "int main(void) { return 0; }\n");
  std::string output;
  EXPECT_NE(
      run_in(
          folder,
          "mkdir bin && for t in sh readlink mktemp rm; do ln -s \"$(command -v $t)\" bin/; done;"
          " PATH=$PWD/bin '" SIMFARM_SOURCE_DIR "/sdk/bin/simfarm-cc' k.c",
          output),
      0);
  EXPECT_NE(output.find("clang-19 not found"), std::string::npos) << output;
  EXPECT_NE(
      run_in(folder, "SIMFARM_LLD=no-such-linker '" SIMFARM_SOURCE_DIR "/sdk/bin/simfarm-cc' k.c",
             output),
      0);
  EXPECT_NE(output.find("SIMFARM_LLD=no-such-linker: no such program"), std::string::npos)
      << output;
}

TEST(SimfarmCc, ObjectsAndSeveralSourcesLink) {
  Folder folder;
  folder.write("a b/one.c", "int one(void); int one(void) { return 1; }\n");
  folder.write("two.cc", "extern \"C\" int two() { return 2; }\n");
  folder.write("three.S", "  .globl three\nthree:\n  li a0, 3\n  ret\n");
  folder.write("main.c",
               "int one(void), two(void), three(void);\n"
               "int main(void) { return one() + two() + three(); }\n");
  std::string output;
  ASSERT_EQ(simfarm_cc(folder, "-O1 -c 'a b/one.c' -o one.o", output), 0) << output;
  ASSERT_EQ(simfarm_cc(folder, "one.o two.cc three.S main.c -o all.elf", output), 0) << output;
  EXPECT_EQ(output, "");
  EXPECT_TRUE(load_elf(folder.path() + "/all.elf"));
}

}  // namespace
}  // namespace simfarm::test
