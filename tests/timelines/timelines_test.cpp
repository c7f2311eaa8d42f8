// Every timeline of the table, first added up on its own and then run.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/timelines/assemble.h"
#include "tests/timelines/notation.h"
#include "tests/timelines/run.h"
#include "tests/timelines/timeline.h"

namespace simfarm::timelines {
namespace {

/// PE `id` of a timeline, the ones beyond its list included.
Pe pe_of(const Timeline& timeline, PeId id) {
  return id < timeline.pes.size() ? timeline.pes[id] : Pe{};
}

/// The bins of a PE that the table expects, `done` worked out from the cycles.
std::map<std::string, u64> expected_bins(const Timeline& timeline, const Pe& pe) {
  std::map<std::string, u64> bins = read_bins(pe.stalls);
  const std::vector<Cycle> issues = read_cycles(pe.issues);
  const bool ended = pe.program.ends_with("ecall") && !issues.empty() &&
                     issues.size() == assemble(pe.program).value().size();
  if (ended && timeline.cycles > issues.back() + 1)
    bins["done"] = timeline.cycles - issues.back() - 1;
  return bins;
}

u64 sum(const std::map<std::string, u64>& bins) {
  return std::accumulate(bins.begin(), bins.end(), u64{0},
                         [](u64 total, const auto& bin) { return total + bin.second; });
}

std::vector<std::string> sorted(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

class TimelineTest : public testing::TestWithParam<Timeline> {};

// The derivations themselves: every cycle of a PE and of an engine is accounted for once.
TEST_P(TimelineTest, AddsUp) {
  const Timeline& timeline = GetParam();
  for (PeId id = 0; id < timeline.machine.pes(); ++id) {
    const Pe pe = pe_of(timeline, id);
    ASSERT_TRUE(assemble(pe.program)) << assemble(pe.program).error().message;
    EXPECT_EQ(read_cycles(pe.issues).size() + sum(expected_bins(timeline, pe)), timeline.cycles)
        << "PE " << id;
  }
  for (const Engine& engine : timeline.engines) {
    EXPECT_EQ(sum(read_bins(engine.bins)), timeline.cycles) << "engine " << engine.pe;
    read_spans(engine.transfers);
  }
}

TEST_P(TimelineTest, RunsAsWorkedOut) {
  const Timeline& timeline = GetParam();
  Result<Seen> result = run(timeline);
  ASSERT_TRUE(result) << result.error().message;
  const Seen& seen = *result;
  const Outcome& outcome = seen.outcome;

  EXPECT_EQ(name(outcome.kind), name(timeline.end.kind));
  EXPECT_EQ(outcome.cycles, timeline.cycles);
  if (timeline.end.kind == Outcome::Kind::trap) {
    ASSERT_TRUE(outcome.trap);
    EXPECT_EQ(name(outcome.trap->kind), name(timeline.end.trap)) << outcome.trap->detail;
    EXPECT_EQ(outcome.trap->pe, timeline.end.pe);
    EXPECT_EQ(outcome.trap->cycle, timeline.cycles);
  }
  if (timeline.end.kind == Outcome::Kind::deadlock) {
    ASSERT_TRUE(outcome.deadlock);
    EXPECT_EQ(outcome.deadlock->cycle, timeline.cycles);
  }

  ASSERT_EQ(outcome.pes.size(), timeline.machine.pes());
  for (PeId id = 0; id < timeline.machine.pes(); ++id) {
    SCOPED_TRACE(testing::Message() << "PE " << id);
    const Pe expected = pe_of(timeline, id);
    const PeReport& report = outcome.pes[id];
    EXPECT_EQ(write_cycles(seen.issues[id]), write_cycles(read_cycles(expected.issues)));
    EXPECT_EQ(report.total.instructions(), read_cycles(expected.issues).size());
    EXPECT_EQ(report.total.issued, seen.classes[id]);
    EXPECT_EQ(bins_of(report.total), expected_bins(timeline, expected));
    if (timeline.end.kind == Outcome::Kind::finished) {
      EXPECT_EQ(report.exit_code, expected.exit);
    }
  }

  ASSERT_EQ(outcome.dma.size(), timeline.machine.pes());
  for (PeId id = 0; id < timeline.machine.pes(); ++id) {
    SCOPED_TRACE(testing::Message() << "engine " << id);
    const auto listed = std::find_if(timeline.engines.begin(), timeline.engines.end(),
                                     [&](const Engine& engine) { return engine.pe == id; });
    Engine expected{.pe = id};
    if (timeline.cycles) expected.bins = "idle " + std::to_string(timeline.cycles);
    if (listed != timeline.engines.end()) expected = *listed;
    const auto spans = read_spans(expected.transfers);
    EXPECT_EQ(write_spans(seen.spans[id]), write_spans(spans));
    EXPECT_EQ(sorted(seen.beats[id]), sorted(expected.beats));
    const DmaReport& report = outcome.dma[id];
    EXPECT_EQ(bins_of(report), read_bins(expected.bins));
    EXPECT_EQ(report.descriptors, std::count_if(spans.begin(), spans.end(), [](const auto& span) {
                return span.second != never;
              }));
    EXPECT_EQ(report.bytes_read, expected.read);
    EXPECT_EQ(report.bytes_written, expected.written);
  }

  for (const Bytes& after : timeline.shared_after) {
    std::vector<u8> bytes(after.bytes.size());
    ASSERT_TRUE(seen.simulation->read(after.address, bytes));
    EXPECT_EQ(bytes, after.bytes) << "at " << std::hex << after.address;
  }
  for (const auto& [pe, after] : timeline.local_after) {
    std::vector<u8> bytes(after.bytes.size());
    ASSERT_TRUE(seen.simulation->read_local(pe, local + after.address, bytes));
    EXPECT_EQ(bytes, after.bytes) << "PE " << pe << " at " << std::hex << after.address;
  }
}

std::vector<Timeline> all() {
  std::vector<Timeline> timelines;
  for (const Part& part : parts())
    timelines.insert(timelines.end(), part.table.begin(), part.table.end());
  return timelines;
}

std::string test_name(const testing::TestParamInfo<Timeline>& info) {
  std::string text;
  for (const char c : info.param.name)
    text += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return text;
}

INSTANTIATE_TEST_SUITE_P(Table, TimelineTest, testing::ValuesIn(all()), test_name);

}  // namespace

void PrintTo(const Timeline& timeline, std::ostream* out) { *out << timeline.name; }

}  // namespace simfarm::timelines
