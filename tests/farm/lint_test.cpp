#include "farm/lint.h"

#include <gmock/gmock.h>

namespace simfarm::farm {
namespace {

using testing::HasSubstr;

Image good_image() {
  Image image;
  image.entry = 0x0040'0000;
  image.segments = {{0x0040'0000, {1, 2, 3, 4}, 4, true, false},
                    {0x1000'0000, {1, 2}, 100, false, true},
                    {0x1000'0100, {}, 28, false, true}};
  return image;
}

Task small_task() {
  Task task;
  task.name = "small";
  task.limits.local_segment_bytes = 128;
  return task;
}

TEST(Lint, CountsLocalBytesWithTheZeroedOnes) {
  const Linted linted = lint(good_image(), small_task());
  EXPECT_EQ(linted.verdict, Verdict::accepted) << linted.why;
  EXPECT_EQ(linted.local_bytes, 128u);
  Task tight = small_task();
  tight.limits.local_segment_bytes = 127;
  EXPECT_EQ(lint(good_image(), tight).verdict, Verdict::memory_limit);
  EXPECT_THAT(lint(good_image(), tight).why,
              HasSubstr("128 bytes of .rodata, .data and .bss in each PE, task small allows 127"));
}

TEST(Lint, RejectsWhatWouldBeFree) {
  const auto why = [](u32 address, u32 bytes, bool executable, u32 entry = 0x0040'0000) {
    Image image = good_image();
    image.entry = entry;
    image.segments.push_back({address, {}, bytes, executable, true});
    const Linted linted = lint(image, small_task());
    EXPECT_EQ(linted.verdict, Verdict::rejected);
    return linted.why;
  };
  EXPECT_THAT(why(0x4000'0000, 8, false),
              HasSubstr("segment at 0x40000000, 8 bytes: preloads OCM"));
  EXPECT_THAT(why(0x8000'0000, 8, false), HasSubstr("preloads DRAM"));
  EXPECT_THAT(why(0x2000'0000, 8, false), HasSubstr("outside the memories"));
  EXPECT_THAT(why(0x1000'7ffc, 8, true), HasSubstr("outside the memories"));
  EXPECT_THAT(why(0x0040'0100, 8, false), HasSubstr("data in instruction memory"));
  EXPECT_THAT(why(0x1000'1000, 8, true), HasSubstr("code in local memory"));
  EXPECT_THAT(why(0x0040'0100, 8, true, 0x0040'0004),
              HasSubstr("entry 0x00400004 is in no code segment"));
}

TEST(Lint, DataEndWhereLocalMemoryDoes) {
  Image image = good_image();
  image.segments.push_back({0x1000'7ffc, {}, 4, false, true});
  Task task = small_task();
  task.limits.local_segment_bytes = 256;
  EXPECT_EQ(lint(image, task).verdict, Verdict::accepted);
  task.machine.map.local.bytes = 0x7fc0;
  EXPECT_EQ(lint(image, task).verdict, Verdict::rejected) << "all of it is beyond";
  image.segments.back() = {0x1000'7fbc, {}, 8, false, true};
  EXPECT_EQ(lint(image, task).verdict, Verdict::memory_limit);
  EXPECT_THAT(lint(image, task).why,
              HasSubstr("segment at 0x10007fbc, 8 bytes: reaches past the end of local memory, "
                        "32704 bytes"));
}

TEST(Lint, BootCostIsEightBytesACycleRoundedUp) {
  EXPECT_EQ(boot_cycles(0, 0), 0u);
  EXPECT_EQ(boot_cycles(1, 0), 1u);
  EXPECT_EQ(boot_cycles(128, 64), 24u);
  EXPECT_EQ(boot_cycles(129, 64), 25u);
}

}  // namespace
}  // namespace simfarm::farm
