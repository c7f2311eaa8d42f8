#include "tests/timelines/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "tests/support/equal_engines.h"
#include "tests/timelines/assemble.h"
#include "tests/timelines/notation.h"

namespace simfarm::timelines {
namespace {

/// Keeps a run's events until it is known which cycle was the last.
class Recorder : public Observer {
 public:
  void issued(Cycle cycle, PeId pe, u32, const Operation& op, std::span<const u32, 32>) override {
    issues_.push_back({cycle, pe, row(op.op).issue});
  }
  void transfer(Cycle cycle, PeId pe, u32, u64 sequence, std::string_view event) override {
    if (event == "start") starts_.push_back({cycle, pe, sequence});
    if (event == "complete") completions_[{pe, sequence}] = cycle;
  }
  void beat(Cycle cycle, PeId pe, u64 sequence, u32 burst, std::string_view resource) override {
    beats_.push_back({cycle, pe, sequence, burst, std::string(resource)});
  }

  /// Fills `seen` with what happened before cycle `end`; a completion at `end` is the last thing
  /// that can happen and belongs to the run.
  void tell(Seen& seen, u32 pes, Cycle end) const {
    seen.issues.resize(pes);
    seen.classes.resize(pes);
    seen.spans.resize(pes);
    seen.beats.resize(pes);
    for (const Issue& issue : issues_) {
      if (issue.cycle >= end) continue;
      seen.issues[issue.pe].push_back(issue.cycle);
      ++seen.classes[issue.pe][static_cast<u32>(issue.kind)];
    }
    // Transfers are numbered from 0 in each engine, in order of their start.
    std::map<std::pair<PeId, u64>, u64> numbers;
    for (const Start& start : starts_) {
      if (start.cycle >= end) continue;
      numbers[{start.pe, start.sequence}] = seen.spans[start.pe].size();
      const auto completion = completions_.find({start.pe, start.sequence});
      const bool completed = completion != completions_.end() && completion->second <= end;
      seen.spans[start.pe].emplace_back(start.cycle, completed ? completion->second : never);
    }
    std::map<std::tuple<PeId, u64, u32, std::string>, std::vector<Cycle>> granted;
    for (const Beat& beat : beats_) {
      if (beat.cycle >= end) continue;
      granted[{beat.pe, numbers.at({beat.pe, beat.sequence}), beat.burst, beat.resource}].push_back(
          beat.cycle);
    }
    for (const auto& [key, cycles] : granted) {
      const auto& [pe, number, burst, resource] = key;
      seen.beats[pe].push_back(
          fmt::format("{}.{} {}: {}", number, burst, resource, write_cycles(cycles)));
    }
  }

 private:
  struct Issue {
    Cycle cycle;
    PeId pe;
    IssueClass kind;
  };
  struct Start {
    Cycle cycle;
    PeId pe;
    u64 sequence;
  };
  struct Beat {
    Cycle cycle;
    PeId pe;
    u64 sequence;
    u32 burst;
    std::string resource;
  };
  std::vector<Issue> issues_;
  std::vector<Start> starts_;
  std::map<std::pair<PeId, u64>, Cycle> completions_;
  std::vector<Beat> beats_;
};

Result<Image> image(const Pe& pe, PeId id, const AddressMap& map) {
  Image image;
  image.file = fmt::format("pe{}", id);
  image.entry = map.instructions.base;
  const Result<std::vector<Instruction>> code = assemble(pe.program);
  if (!code) return code.error();
  std::vector<u32> program;
  for (const Instruction& one : *code) program.push_back(one.word);
  Segment text{.address = image.entry, .bytes = words(program), .executable = true};
  text.memory_bytes = static_cast<u32>(text.bytes.size());
  image.segments.push_back(std::move(text));
  std::vector<Bytes> data = pe.local;
  std::sort(data.begin(), data.end(),
            [](const Bytes& a, const Bytes& b) { return a.address < b.address; });
  for (const Bytes& one : data) {
    image.segments.push_back({.address = map.local.base + one.address,
                              .bytes = one.bytes,
                              .memory_bytes = static_cast<u32>(one.bytes.size()),
                              .writable = true});
  }
  return image;
}

}  // namespace

std::vector<u8> words(const std::vector<u32>& values) {
  std::vector<u8> bytes;
  for (const u32 value : values)
    for (u32 shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<u8>(value >> shift));
  return bytes;
}

Result<Seen> run(const Timeline& timeline) {
  const u32 pes = timeline.machine.pes();
  RunInput input{.machine = timeline.machine};
  for (PeId id = 0; id < pes; ++id) {
    const Pe pe = id < timeline.pes.size() ? timeline.pes[id] : Pe{};
    Result<Image> one = image(pe, id, timeline.machine.map);
    if (!one) return one.error();
    input.program.images.push_back(std::make_shared<const Image>(std::move(*one)));
    const u32 row = timeline.machine.row_of(id), column = timeline.machine.column_of(id);
    input.program.placements.push_back({id, row, column, row, column});
  }
  for (const Bytes& one : timeline.shared) input.memory.push_back({one.address, one.bytes});

  Recorder recorder;
  const RunOptions options{.cycle_limit = timeline.cycle_limit, .observer = &recorder};
  profile::Ran ran = test::run_on_all(input, options);
  if (ran.refused) return *ran.refused;
  Seen seen;
  seen.simulation = std::move(ran.simulation);
  seen.outcome = std::move(ran.outcome);
  recorder.tell(seen, pes, seen.outcome.cycles);
  return seen;
}

}  // namespace simfarm::timelines
