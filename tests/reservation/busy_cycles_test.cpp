// Free cycles are found as by a search of a plain set.
#include "engine/fast/busy_cycles.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/random.h"

namespace simfarm::test {
namespace {

TEST(BusyCycles, AsASetOfCycles) {
  for (u64 seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Cycle floor = random.below(1000);
    fast::BusyCycles busy(floor);
    fast::Journal journal;
    std::set<Cycle> taken, on_trial;
    fast::Grants grants;
    const u64 spread = 1 + random.below(2000), most = 1 + random.below(16);
    for (u32 step = 0; step < 600; ++step) {
      if (random.one_in(20)) {  // a trial does not last beyond the floor
        journal.keep();
        on_trial.clear();
        floor += random.below(400);
      }
      if (random.one_in(30)) {
        journal.undo();
        for (const Cycle cycle : on_trial) taken.erase(cycle);
        on_trial.clear();
      } else if (random.one_in(30)) {
        journal.keep();
        on_trial.clear();
      }
      const Cycle ready = floor + random.below(spread);
      const u32 beats = static_cast<u32>(random.one_in(50) ? 128 : 1 + random.below(most));
      std::vector<Cycle> expected;
      for (Cycle cycle = ready; expected.size() < beats; ++cycle)
        if (taken.insert(cycle).second) expected.push_back(cycle);
      std::vector<Cycle> actual;
      if (beats == 1 && random.one_in(2)) {
        actual.push_back(busy.take_one(ready));
        journal.add_one(busy, actual[0]);
      } else if (beats <= 64 && expected.back() == ready + beats - 1 &&
                 busy.take_at_once(ready, beats)) {
        actual = expected;
        journal.add_one(busy, ready);
        for (u32 beat = 1; beat < beats; ++beat) journal.add_one(busy, ready + beat);
      } else {
        if (beats <= 64 && expected.back() != ready + beats - 1) {
          ASSERT_FALSE(busy.take_at_once(ready, beats));
        }
        ASSERT_EQ(busy.take(ready, beats, grants), expected.back());
        journal.add(busy, grants);
        for (u32 k = 0; k < grants.count; ++k)
          for (u32 beat = 0; beat < grants.runs[k].beats; ++beat)
            actual.push_back(grants.runs[k].first + beat);
      }
      ASSERT_EQ(actual, expected);
      on_trial.insert(expected.begin(), expected.end());
    }
  }
}

}  // namespace
}  // namespace simfarm::test
