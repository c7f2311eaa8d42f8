// Builds: the same bytes wherever they are made, limits told by their cause, and a broken toolchain
// blamed on nobody.
#include "farm/build.h"

#include <gmock/gmock.h>

#include "base/file.h"
#include "farm/digest.h"
#include "tests/farm/small_task.h"

namespace simfarm::farm {
namespace {

using test::Folder;
using testing::HasSubstr;

Task task_in(const std::string& folder) {
  Task task;
  task.folder = folder;
  task.name = "small";
  return task;
}

Submission submission(const std::string& source, const std::string& name = "src/kernel.c") {
  Submission result;
  result.sources = {name};
  result.files = {{name, {source.begin(), source.end()}}};
  return result;
}

constexpr const char* header_user =
    "#include <simfarm.h>\n#include \"table.h\"\nSF_MAIN(a) { return a->version == VERSION ? 0 : "
    "sizeof __FILE__ + sizeof __DATE__; }\n";

TEST(Build, GivesTheSameBytesInEveryFolder) {
  const Folder one, two;
  one.write("include/table.h", "#define VERSION 1\n");
  two.write("deeper/down/include/table.h", "#define VERSION 1\n");
  const Toolchain toolchain = test::real_toolchain();
  const Built first = build(toolchain, task_in(one.path()), submission(header_user));
  const Built second = build(toolchain, task_in(two.path("deeper/down")), submission(header_user));
  ASSERT_EQ(first.verdict, Verdict::accepted) << first.log;
  ASSERT_EQ(second.verdict, Verdict::accepted) << second.log;
  EXPECT_EQ(sha256(first.elf), sha256(second.elf));
  const std::string bytes(first.elf.begin(), first.elf.end());
  EXPECT_THAT(bytes, testing::Not(HasSubstr("/simfarm-")));
}

TEST(Build, DefinesAndOptimisationReachTheCompiler) {
  const Toolchain toolchain = test::real_toolchain();
  Submission with = submission(
      "#include <simfarm.h>\n#if TILE != 8 || !defined(__OPTIMIZE_SIZE__)\n#error "
      "missing\n#endif\nSF_MAIN(a) { return a == 0; }\n");
  with.defines = {{"TILE", "8"}};
  with.optimise = Optimise::Os;
  EXPECT_EQ(build(toolchain, task_in("/none"), with).verdict, Verdict::accepted);
  with.optimise = Optimise::O2;
  const Built without = build(toolchain, task_in("/none"), with);
  EXPECT_EQ(without.verdict, Verdict::compile_error);
  EXPECT_THAT(without.log, HasSubstr("src/kernel.c:3:2: error: missing"));
  EXPECT_TRUE(without.elf.empty());
}

TEST(Build, CompileBombsHitTheirOwnLimit) {
  const Toolchain toolchain = test::real_toolchain();
  ProcessLimits limits = compile_limits;
  limits.file_bytes = 1u << 20;
  limits.address_bytes = 768u << 20;
  const std::pair<const char*, std::string> bombs[] = {
      {"processor time", test::macro_bomb()},
      {"file size", "__asm__(\".fill 3000000\");\n"},
      {"memory", "__asm__(\".fill 1000000000\");\n"},
  };
  for (const auto& [what, source] : bombs) {
    SCOPED_TRACE(what);
    limits.cpu_seconds = std::string(what) == "processor time" ? 1 : 20;
    const Built built = build(toolchain, task_in("/none"), submission(source), limits);
    EXPECT_EQ(name(built.verdict), "COMPILE_LIMIT") << built.log;
    EXPECT_THAT(built.log, HasSubstr("limit on the compiler"));
    EXPECT_LT(built.log.size(), 200'000u);
  }
  const Built self =
      build(toolchain, task_in("/none"), submission("#include \"kernel.c\"\n"), limits);
  EXPECT_EQ(self.verdict, Verdict::compile_error);
  EXPECT_THAT(self.log, HasSubstr("nested too deeply"));
}

TEST(Build, AToolchainThatBreaksIsNobodysFault) {
  const Folder folder;
  Toolchain toolchain = test::real_toolchain();
  // Gone after it was found: an upgrade in the middle of a batch.
  toolchain.clang = folder.path("clang-19");
  Built built = build(toolchain, task_in("/none"), submission("int x;\n"));
  EXPECT_EQ(name(built.verdict), "SYSTEM_ERROR") << built.log;
  toolchain = test::real_toolchain();
  toolchain.driver = folder.path("simfarm-cc");
  built = build(toolchain, task_in("/none"), submission("int x;\n"));
  EXPECT_EQ(name(built.verdict), "SYSTEM_ERROR") << built.log;
  EXPECT_THAT(built.log, HasSubstr("simfarm-cc: cannot be started"));
}

TEST(Toolchain, SaysWhatToInstall) {
  const auto none = find_toolchain({SIMFARM_SOURCE_DIR, "/nowhere", "", ""});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, Error::Kind::input);
  EXPECT_THAT(none.error().message,
              HasSubstr("clang-19 is not installed; on Debian 12: apt-get install clang-19"));
  EXPECT_THAT(find_toolchain({SIMFARM_SOURCE_DIR, "/usr/bin", "", "/no/lld"}).error().message,
              HasSubstr("/no/lld: no such program"));
  EXPECT_THAT(find_toolchain({"/nowhere", "/usr/bin", "", ""}).error().message,
              HasSubstr("/nowhere/sdk/bin/simfarm-cc is missing"));
}

TEST(Digest, ChangesWithAnyByteAndAnyName) {
  const std::vector<u8> abc = {'a', 'b', 'c'};
  EXPECT_EQ(sha256(abc), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const std::vector<PackageFile> files = {{"a", {1, 2}}, {"b", {3}}};
  const std::string digest = sha256(files);
  EXPECT_NE(sha256(std::vector<PackageFile>{{"a", {1, 2}}, {"c", {3}}}), digest);
  EXPECT_NE(sha256(std::vector<PackageFile>{{"a", {1}}, {"b", {2, 3}}}), digest);
  EXPECT_NE(sha256(std::vector<PackageFile>{{"a", {1, 2}}, {"b", {4}}}), digest);
}

}  // namespace
}  // namespace simfarm::farm
