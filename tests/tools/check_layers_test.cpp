// tools/check_layers, on small trees of folders that break its rules one at a time.
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

struct CheckLayers : ::testing::Test {
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "simfarm-layers-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root = fs::path(name) / "tree";
    for (const char* file : {"base/a.h", "memory/a.h", "pe/a.h", "engine/a.h",
                             "engine/reference/a.h", "engine/fast/a.h", "farm/a.h"})
      write(file, "#pragma once\n#include <vector>\n");
  }
  void TearDown() override { fs::remove_all(root.parent_path()); }

  void write(const std::string& file, const std::string& text) {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  }
  /// What the script prints when `file` holds that one line; with its exit code in front.
  std::string run(const std::string& file, const std::string& line) {
    write(file, "// A comment.\n" + line + "\n");
    const fs::path out = root.parent_path() / "out";
    const std::string command = "'" SIMFARM_SOURCE_DIR "/tools/check_layers' '" + root.string() +
                                "' > '" + out.string() + "'";
    const int status = std::system(command.c_str());
    fs::remove(root / file);
    std::stringstream text;
    text << (status == 0 ? "passes: " : "fails: ") << std::ifstream(out).rdbuf();
    return text.str();
  }
  fs::path root;
};

TEST_F(CheckLayers, AcceptsTheDirectionOfTheTable) {
  EXPECT_THAT(run("pe/b.cpp", "#include \"memory/a.h\""), HasSubstr("passes: "));
  EXPECT_THAT(run("pe/b.cpp", "#include \"pe/a.h\""), HasSubstr("passes: "));
  EXPECT_THAT(run("base/b.cpp", "#include <xxhash.h>"), HasSubstr("passes: "));
  EXPECT_THAT(run("engine/b.cpp", "#include \"engine/reference/a.h\""), HasSubstr("passes: "));
  EXPECT_THAT(run("tests/unit/b.cpp", "#include \"engine/reference/a.h\""), HasSubstr("passes: "));
}

TEST_F(CheckLayers, RefusesTheOtherDirection) {
  EXPECT_THAT(run("memory/b.cpp", "#include \"pe/a.h\""),
              HasSubstr("fails: memory/b.cpp:2: memory/ may not include pe/"));
  EXPECT_THAT(run("memory/b.cpp", "  #  include \"engine/a.h\""), HasSubstr("fails: "));
  EXPECT_THAT(run("engine/b.h", "#include \"farm/a.h\""), HasSubstr("fails: "));
  EXPECT_THAT(run("memory/b.cpp", "#include \"a.h\""),
              HasSubstr("fails: memory/b.cpp:2: \"a.h\" is no file of the project"));
}

TEST_F(CheckLayers, KeepsTheEnginesApart) {
  EXPECT_THAT(run("engine/fast/b.cpp", "#include \"engine/reference/a.h\""),
              HasSubstr("only engine/ itself and tests may include engine/reference/"));
  EXPECT_THAT(run("engine/reference/b.cpp", "#include \"engine/fast/a.h\""), HasSubstr("fails: "));
  EXPECT_THAT(run("farm/b.cpp", "#include \"engine/reference/a.h\""), HasSubstr("fails: "));
  EXPECT_THAT(run("engine/b.h", "#include \"engine/reference/a.h\""),
              HasSubstr("a front header of engine/ may not show engine/reference/"));
}

TEST_F(CheckLayers, KeepsPackagesInTheirPlace) {
  for (const char* package : {"xxhash.h", "tbb/parallel_for.h", "CLI/CLI.hpp", "mimalloc.h",
                              "elfutils/libdw.h", "hdf5.h", "chrono", "iostream", "random"}) {
    const std::string refused = run("pe/b.cpp", "#include <" + std::string(package) + ">");
    EXPECT_THAT(refused, HasSubstr("fails: pe/b.cpp:2: <" + std::string(package) + "> is for: "));
  }
}

}  // namespace
}  // namespace simfarm
