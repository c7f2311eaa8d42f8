#include "tests/support/differential/minimise.h"

#include <algorithm>

#include "base/bytes.h"
#include "engine/machine_keys.h"
#include "isa/decode.h"
#include "isa/op.h"
#include "tests/support/kernel.h"

namespace simfarm::test {
namespace {

using profile::RunCase;

class Minimiser {
 public:
  Minimiser(RunCase run_case, const std::function<bool(const RunCase&)>& fails, u32 tries)
      : best_(std::move(run_case)), fails_(fails), tries_(tries) {}

  RunCase run() {
    place_one_by_one();
    do {
      changed_ = false;
      cut_cycles();
      cut_options();
      cut_pes();
      cut_array();
      cut_instructions();
      cut_bytes();
      plain_machine();
    } while (changed_ && tries_ > 0);
    return std::move(best_);
  }

 private:
  /// Keeps `candidate` if it fails as well.
  bool keep(RunCase candidate) {
    if (tries_ == 0) return false;
    --tries_;
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    changed_ = true;
    return true;
  }
  template <class Change>
  bool attempt(Change change) {
    RunCase candidate = best_;
    return change(candidate) && keep(std::move(candidate));
  }

  /// A placement a PE, so that they can be changed one by one.
  void place_one_by_one() {
    attempt([](RunCase& c) {
      const Machine& machine = c.input.machine;
      std::vector<u32> image_of(machine.pes());
      for (const Placement& p : c.input.program.placements)
        for (u32 row = p.row0; row <= p.row1; ++row)
          for (u32 column = p.column0; column <= p.column1; ++column)
            image_of[row * machine.columns + column] = p.image;
      c.input.program.placements.clear();
      for (PeId pe = 0; pe < machine.pes(); ++pe) {
        const u32 row = machine.row_of(pe), column = machine.column_of(pe);
        c.input.program.placements.push_back({image_of[pe], row, column, row, column});
      }
      return true;
    });
  }

  void cut_cycles() {
    Cycle fails_at = best_.options.cycle_limit, passes_at = 0;
    while (fails_at - passes_at > 1 && tries_ > 0) {
      const Cycle middle = passes_at + (fails_at - passes_at) / 2;
      const bool failed = attempt([&](RunCase& c) {
        c.options.cycle_limit = middle;
        return true;
      });
      (failed ? fails_at : passes_at) = middle;
    }
    // A search that changed nothing but the limit is no reason for another round.
    changed_ = false;
  }

  void cut_options() {
    const auto set = [&](auto& (*field)(RunCase&), const auto& value) {
      attempt([&](RunCase& c) {
        if (field(c) == value) return false;
        field(c) = value;
        return true;
      });
    };
    set(
        +[](RunCase& c) -> bool& { return c.options.check_races; }, false);
    set(
        +[](RunCase& c) -> bool& { return c.options.console; }, true);
    set(
        +[](RunCase& c) -> u64& { return c.options.console_limit; }, RunOptions{}.console_limit);
    set(
        +[](RunCase& c) -> std::optional<u64>& { return c.input.poison; }, std::optional<u64>());
    set(
        +[](RunCase& c) -> std::vector<u8>& { return c.input.arguments; }, std::vector<u8>());
    for (size_t k = 0; k < best_.input.memory.size(); ++k)
      attempt([&](RunCase& c) {
        if (k >= c.input.memory.size()) return false;
        c.input.memory.erase(c.input.memory.begin() + static_cast<std::ptrdiff_t>(k));
        return true;
      });
  }

  /// PEs that do nothing but end.
  void cut_pes() {
    const u32 pes = best_.input.machine.pes();
    for (u32 size = pes; size > 0; size /= 2)
      for (u32 first = 0; first < pes; first += size)
        attempt([&](RunCase& c) { return stub(c, first, std::min(first + size, pes)); });
    attempt([](RunCase& c) { return drop_images(c); });
  }

  static bool stub(RunCase& c, u32 first, u32 last) {
    Program& program = c.input.program;
    if (program.placements.size() != c.input.machine.pes()) return false;
    auto image = std::make_shared<Image>();
    image->file = "case";
    image->entry = static_cast<u32>(c.input.machine.map.instructions.base);
    if (c.input.machine.map.unified) image->entry = program.images[0]->entry;
    Segment code;
    code.address = image->entry;
    code.bytes = {0x93, 0x08, 0xd0, 0x05, 0x73, 0, 0, 0};  // li a7, 93; ecall
    code.memory_bytes = 8;
    code.executable = true;
    image->segments.push_back(std::move(code));
    bool changed = false;
    for (u32 k = first; k < last; ++k) {
      Placement& place = program.placements[k];
      if (program.images[place.image]->segments.size() == 1) continue;  // is one already
      place.image = static_cast<u32>(program.images.size());
      changed = true;
    }
    program.images.push_back(std::move(image));
    return changed;
  }

  static bool drop_images(RunCase& c) {
    Program& program = c.input.program;
    std::vector<std::shared_ptr<const Image>> used;
    std::vector<u32> number(program.images.size(), ~0u);
    for (Placement& place : program.placements) {
      u32& now = number[place.image];
      if (now == ~0u) {
        now = static_cast<u32>(used.size());
        used.push_back(program.images[place.image]);
      }
      place.image = now;
    }
    const bool changed = used.size() < program.images.size();
    program.images = std::move(used);
    return changed;
  }

  /// The last row or column goes, or the first.
  void cut_array() {
    for (const bool rows : {true, false})
      for (const bool first : {false, true})
        while (attempt([&](RunCase& c) { return cut_line(c, rows, first); })) {
        }
  }

  static bool cut_line(RunCase& c, bool rows, bool first) {
    Machine& machine = c.input.machine;
    u32& side = rows ? machine.rows : machine.columns;
    if (side == 1) return false;
    --side;
    std::vector<Placement>& placements = c.input.program.placements;
    const u32 gone = first ? 0 : side;
    std::erase_if(placements,
                  [&](const Placement& p) { return (rows ? p.row0 : p.column0) == gone; });
    for (Placement& p : placements)
      if (first) {
        u32& low = rows ? p.row0 : p.column0;
        u32& high = rows ? p.row1 : p.column1;
        --low, --high;
      }
    return true;
  }

  /// Replaces a part of a segment, a copy of its image included.
  static Segment& own_segment(RunCase& c, size_t image, size_t segment) {
    auto copy = std::make_shared<Image>(*c.input.program.images[image]);
    Segment& found = copy->segments[segment];
    c.input.program.images[image] = std::move(copy);
    return found;
  }

  /// Calls change(bytes, first, last) for ever smaller ranges of `places`.
  template <class Change>
  void cut_ranges(size_t image, size_t segment, size_t places, Change change) {
    for (size_t size = places; size > 0; size /= 2)
      for (size_t first = 0; first < places && tries_ > 0; first += size)
        attempt([&](RunCase& c) {
          Segment& mine = own_segment(c, image, segment);
          const std::vector<u8> before = mine.bytes;
          change(mine.bytes, first, std::min(first + size, places));
          return mine.bytes != before;
        });
  }

  template <class Cut>
  void each_segment(bool executable, Cut cut) {
    for (size_t image = 0; image < best_.input.program.images.size(); ++image)
      for (size_t k = 0; k < best_.input.program.images[image]->segments.size(); ++k)
        if (best_.input.program.images[image]->segments[k].executable == executable) cut(image, k);
  }

  void cut_instructions() {
    each_segment(true, [&](size_t image, size_t k) {
      const std::vector<u8>& bytes = best_.input.program.images[image]->segments[k].bytes;
      std::vector<size_t> starts;
      for (size_t at = 0; at + 2 <= bytes.size(); at += is_compressed(bytes[at]) ? 2 : 4)
        starts.push_back(at);
      starts.push_back(bytes.size());
      cut_ranges(image, k, starts.size() - 1,
                 [&](std::vector<u8>& code, size_t first, size_t last) {
                   for (size_t n = first; n < last; ++n) {
                     const size_t length = starts[n + 1] - starts[n];
                     store_bytes(code, starts[n], static_cast<u32>(length),
                                 length == 2 ? 0x0001 : 0x0000'0013);
                   }
                 });
    });
  }

  void cut_bytes() {
    each_segment(false, [&](size_t image, size_t k) {
      constexpr size_t unit = 64;
      const size_t bytes = best_.input.program.images[image]->segments[k].bytes.size();
      cut_ranges(image, k, (bytes + unit - 1) / unit,
                 [&](std::vector<u8>& data, size_t first, size_t last) {
                   const size_t end = std::min(last * unit, data.size());
                   for (size_t n = first * unit; n < end; ++n) data[n] = 0;
                 });
    });
  }

  /// Figures as they are without a machine file, one by one.
  void plain_machine() {
    for (const MachineKey& key : machine_keys()) {
      if (key.table == "array" && key.rule != KeyRule::flag) continue;
      attempt([&](RunCase& c) {
        Machine plain;
        const auto from = key.field(plain), to = key.field(c.input.machine);
        bool changed = false;
        std::visit(
            [&](auto* field) {
              const auto value = *std::get<decltype(field)>(from);
              changed = *field != value;
              *field = value;
            },
            to);
        return changed && parse_machine(print_machine(c.input.machine), "m");
      });
    }
  }

  RunCase best_;
  const std::function<bool(const RunCase&)>& fails_;
  u32 tries_;
  bool changed_ = false;
};

}  // namespace

RunCase minimise(RunCase run_case, const std::function<bool(const RunCase&)>& fails, u32 tries) {
  return Minimiser(std::move(run_case), fails, tries).run();
}

}  // namespace simfarm::test
