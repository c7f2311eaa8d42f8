#include "base/crew.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace simfarm {
namespace {

TEST(Crew, EveryPartRunsOnceInEveryPhase) {
  for (const u32 members : {1u, 2u, 5u}) {
    Crew crew(members);
    std::vector<u32> calls(members);
    for (u32 phase = 1; phase <= 200; ++phase) {
      crew.run([&](u32 member) { ++calls[member]; });
      for (const u32 count : calls) ASSERT_EQ(count, phase);
    }
  }
}

TEST(Crew, PartsRunAtTheSameTime) {
  Crew crew(3);
  for (u32 phase = 0; phase < 50; ++phase) {
    std::atomic<u32> here = 0;
    crew.run([&](u32) {
      ++here;
      while (here != 3) std::this_thread::yield();
    });
  }
}

TEST(Crew, AThrownErrorReachesTheCallerWhenAllAreDone) {
  Crew crew(3);
  std::atomic<u32> done = 0;
  EXPECT_THROW(crew.run([&](u32 member) {
    if (member == 1) throw std::runtime_error("one");
    ++done;
  }),
               std::runtime_error);
  EXPECT_EQ(done, 2u);
  crew.run([&](u32) { ++done; });
  EXPECT_EQ(done, 5u);
}

TEST(Crew, WithoutAPhaseItJustEnds) { Crew crew(4); }

/// Words go around a ring of members; whoever has one passes it on until it has gone far enough.
TEST(Rest, NobodyRestsForGoodWhileThereIsSomethingToDo) {
  for (const u32 members : {1u, 2u, 3u, 8u}) {
    Crew crew(members);
    for (u32 round = 0; round < 20; ++round) {
      constexpr u32 far = 50;
      std::vector<std::atomic<u32>> words(members);
      words[round % members] = 1;
      u32 arrived = 0;
      Rest rest(members);
      crew.run([&](u32 member) {
        std::atomic<u32>& mine = words[member];
        do {
          if (const u32 word = mine.exchange(0, std::memory_order_acquire); word == far)
            ++arrived;  // one at a time: there is one word
          else if (word != 0)
            words[(member + 1) % members].store(word + 1, std::memory_order_release);
        } while (!rest.rest(true, [&] { return mine.load(std::memory_order_acquire) != 0; }));
      });
      ASSERT_EQ(arrived, 1u);
      for (const auto& word : words) ASSERT_EQ(word, 0u);
    }
  }
}

TEST(Rest, WhoCannotGoOnIsNotAsked) {
  Crew crew(2);
  Rest rest(2);
  crew.run([&](u32) {
    EXPECT_TRUE(rest.rest(false, [] {
      ADD_FAILURE() << "asked";
      return true;
    }));
  });
}

}  // namespace
}  // namespace simfarm
