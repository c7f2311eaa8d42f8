#include "isa/manual.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "isa/row.h"

namespace simfarm {
namespace {

TEST(Manual, DocsAreUpToDate) {
  std::ifstream in(SIMFARM_SOURCE_DIR "/docs/isa.md");
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_TRUE(text.str() == manual()) << "docs/isa.md is old: run `simfarm isa > docs/isa.md`";
}

TEST(Manual, HoldsEveryRow) {
  const std::string text = manual();
  for (const Row& one : rows())
    EXPECT_NE(text.find("`" + std::string(one.pattern) + "`"), std::string::npos) << one.name;
}

TEST(Manual, FindsByName) {
  EXPECT_NE(manual_matching("sdotsp.b").find("cv.sdotsp.b rd, rs1, rs2"), std::string::npos);
  EXPECT_EQ(manual_matching("sdotsp.b").find("cv.sdotsp.h"), std::string::npos);
  EXPECT_EQ(manual_matching("no such instruction"), "");
}

}  // namespace
}  // namespace simfarm
