// tools/check_levels, on what an nm of ours lists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace simfarm {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct CheckLevels : ::testing::Test {
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "simfarm-levels-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root = name;
  }
  void TearDown() override { fs::remove_all(root); }

  /// What the script says, its exit code in front, of a library that nm lists as `listing`.
  std::string run(const std::string& listing) {
    const fs::path nm = root / "nm", out = root / "out";
    std::ofstream(nm) << "#!/bin/sh\ncat <<'END'\n" << listing << "END\n";
    fs::permissions(nm, fs::perms::owner_all);
    const std::string command = "'" SIMFARM_SOURCE_DIR "/tools/check_levels' '" + nm.string() +
                                "' library.a > '" + out.string() + "' 2>&1";
    const int status = std::system(command.c_str());
    std::stringstream text;
    text << (status == 0 ? "passes: " : "fails: ") << std::ifstream(out).rdbuf();
    return text.str();
  }
  fs::path root;
};

TEST_F(CheckLevels, AcceptsSymbolsThatNameTheirLevelOrStayInside) {
  EXPECT_EQ(run("gang_avx2.cpp.o:\n"
                "0000 W void gang_result<1, GangOf<Avx2> >()\n"
                "0000 D avx2_bodies\n"
                "0000 t helper(int)\n"
                "\n"
                "scalar.cpp.o:\n"
                "0000 W std::min(int)\n"),
            "passes: ");
}

TEST_F(CheckLevels, RefusesThoseOfAllLevels) {
  EXPECT_THAT(run("gang_avx2.cpp.o:\n0000 W std::min(int)\n"),
              HasSubstr("fails: check_levels: gang_avx2.cpp.o: std::min(int)"));
  EXPECT_THAT(run("gang_avx512.cpp.o:\n0000 u help<Avx2>()::table\n"), HasSubstr("fails: "));
  EXPECT_THAT(run("gang_avx512.cpp.o:\n0000 T help()\n"), HasSubstr("fails: "));
}

}  // namespace
}  // namespace simfarm
