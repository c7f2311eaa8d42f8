// docs/timelines.md is the table as readers see it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/timelines/page.h"
#include "tests/timelines/timeline.h"

namespace simfarm::timelines {
namespace {

const std::string path = SIMFARM_SOURCE_DIR "/docs/timelines.md";

TEST(TimelinesPage, IsWhatTheTableSays) {
  if (std::getenv("SIMFARM_WRITE_TIMELINES")) std::ofstream(path) << page();
  std::ifstream file(path);
  const std::string written{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(written == page())
      << "docs/timelines.md differs from the table: run with SIMFARM_WRITE_TIMELINES=1 and look";
}

TEST(TimelinesPage, NamesAreUnique) {
  std::set<std::string> names;
  for (const Part& part : parts())
    for (const Timeline& timeline : part.table)
      EXPECT_TRUE(names.insert(timeline.name).second) << timeline.name;
}

}  // namespace
}  // namespace simfarm::timelines
