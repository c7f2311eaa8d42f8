#include "engine/fast/deliveries.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/fast/storage.h"

namespace simfarm::fast {
namespace {

using Quad = u32 __attribute__((vector_size(16)));

constexpr u32 quad = 4;    // lanes, and words, that are turned over at once
constexpr u32 block = 64;  // rows: few enough to stay in the host's first-level cache

Quad quad_at(const u8* values) {
  Quad words;
  std::memcpy(&words, values, sizeof words);
  return words;
}

/// All lanes of a quad get words.
struct Whole {
  void put(u32* row, Quad words) const { std::memcpy(row, &words, sizeof words); }
};

/// Some do: those of `mask`, whose bits are all set in their lanes. The others keep what they have.
struct Some {
  Quad mask{};
  void put(u32* row, Quad words) const {
    Quad before;
    std::memcpy(&before, row, sizeof before);
    words = (words & mask) | (before & ~mask);
    std::memcpy(row, &words, sizeof words);
  }
};

/// By lane of a tile, the words that it gets; null: none.
using Lanes = std::array<const u8*, tile_lanes>;

/// The lanes of a quad: those that get nothing point where another does.
struct Four {
  explicit Four(const u8* const* lanes) {
    for (u32 k = 0; k < quad; ++k) {
      if (lanes[k] == nullptr) continue;
      ++there;
      last = k;
      some.mask[k] = ~u32{0};
    }
    for (u32 k = 0; k < quad && there != 0; ++k) {
      from[k] = lanes[k] != nullptr ? lanes[k] : lanes[last];
      alike &= from[k] == from[0];
    }
  }
  std::array<const u8*, quad> from{};
  u32 there = 0;
  u32 last = 0;       ///< of those that get something
  bool alike = true;  ///< they get the same
  Some some;
};

void write_lane(u32* row, const u8* values, u32 words) {
  for (u32 k = 0; k < words; ++k) std::memcpy(row + k * tile_lanes, values + 4 * k, 4);
}

/// The same words to four lanes, or to as many fours side by side.
template <u32 fours, class To>
void write_alike(u32* row, const u8* values, u32 words, To to_row) {
  const auto put = [&](Quad four) {
    for (u32 to = 0; to < fours; ++to) to_row.put(row + to * quad, four);
    row += tile_lanes;
  };
  u32 k = 0;
  for (; k + quad <= words; k += quad) {
    const Quad all = quad_at(values + 4 * k);
    put(__builtin_shuffle(all, Quad{0, 0, 0, 0}));
    put(__builtin_shuffle(all, Quad{1, 1, 1, 1}));
    put(__builtin_shuffle(all, Quad{2, 2, 2, 2}));
    put(__builtin_shuffle(all, Quad{3, 3, 3, 3}));
  }
  for (; k < words; ++k) {
    u32 word;
    std::memcpy(&word, values + 4 * k, 4);
    put(Quad{word, word, word, word});
  }
}

template <class To>
void write_quad(u32* row, const u8* const* values, u32 words, To to_row) {
  u32 k = 0;
  for (; k + quad <= words; k += quad) {
    const Quad a = quad_at(values[0] + 4 * k), b = quad_at(values[1] + 4 * k);
    const Quad c = quad_at(values[2] + 4 * k), d = quad_at(values[3] + 4 * k);
    const Quad ab = __builtin_shuffle(a, b, Quad{0, 4, 1, 5});
    const Quad cd = __builtin_shuffle(c, d, Quad{0, 4, 1, 5});
    const Quad ab_high = __builtin_shuffle(a, b, Quad{2, 6, 3, 7});
    const Quad cd_high = __builtin_shuffle(c, d, Quad{2, 6, 3, 7});
    u32* const to = row + k * tile_lanes;
    to_row.put(to, __builtin_shuffle(ab, cd, Quad{0, 1, 4, 5}));
    to_row.put(to + tile_lanes, __builtin_shuffle(ab, cd, Quad{2, 3, 6, 7}));
    to_row.put(to + 2 * tile_lanes, __builtin_shuffle(ab_high, cd_high, Quad{0, 1, 4, 5}));
    to_row.put(to + 3 * tile_lanes, __builtin_shuffle(ab_high, cd_high, Quad{2, 3, 6, 7}));
  }
  for (; k < words; ++k) {
    Quad four;
    for (u32 lane = 0; lane < quad; ++lane) {
      u32 word;
      std::memcpy(&word, values[lane] + 4 * k, 4);
      four[lane] = word;
    }
    to_row.put(row + k * tile_lanes, four);
  }
}

/// The doublewords of `count` spans, one after the other.
void write_doublewords(u32* row, const u8* image, const Span* spans, u32 count) {
  for (u32 k = 0; k < count; ++k) {
    const u8* const from = image + static_cast<i32>(spans[k].source);
    std::memcpy(row + 2 * k * tile_lanes, from, 4);
    std::memcpy(row + (2 * k + 1) * tile_lanes, from + 4, 4);
  }
}

/// A doubleword of each of four lanes, turned over: their low words, and their high ones.
struct Turned {
  Turned() = default;
  Turned(const u8* const* images, u32 source) {
    using Pair = u64 __attribute__((vector_size(16)));
    const auto at = [&](u32 lane) {
      u64 value;
      std::memcpy(&value, images[lane] + static_cast<i32>(source), 8);
      return Quad(Pair{value, 0});
    };
    const Quad ab = __builtin_shuffle(at(0), at(1), Quad{0, 4, 1, 5});
    const Quad cd = __builtin_shuffle(at(2), at(3), Quad{0, 4, 1, 5});
    low = __builtin_shuffle(ab, cd, Quad{0, 1, 4, 5});
    high = __builtin_shuffle(ab, cd, Quad{2, 3, 6, 7});
  }
  Quad low{}, high{};
};

/// The same for four lanes, each from its own image.
template <class To>
void write_doublewords(u32* row, const u8* const* images, const Span* spans, u32 count, To to_row) {
  u32 last = ~spans[0].source;
  Turned turned;
  for (u32 k = 0; k < count; ++k) {
    if (spans[k].source != last) turned = Turned(images, last = spans[k].source);
    to_row.put(row + 2 * k * tile_lanes, turned.low);
    to_row.put(row + (2 * k + 1) * tile_lanes, turned.high);
  }
}

/// For all lanes of a tile: whole lines of the host's caches.
void write_doubleword_lines(u32* row, const Lanes& images, const Span* spans, u32 count) {
  for (u32 k = 0; k < count;) {
    const u32 source = spans[k].source;
    const Turned a(&images[0], source), b(&images[4], source), c(&images[8], source),
        d(&images[12], source);
    for (; k < count && spans[k].source == source; ++k) {
      const std::array<Quad, 8> lines{a.low, b.low, c.low, d.low, a.high, b.high, c.high, d.high};
      for (u32 part = 0; part < lines.size(); ++part)
        std::memcpy(row + part * quad, &lines[part], sizeof(Quad));
      row += 2 * tile_lanes;
    }
  }
}

/// `row`: lane 0's first word.
void write_doubleword_rows(u32* row, const Lanes& images, const Span* spans, u32 count) {
  constexpr u32 at_once = block / 2;
  const u8* const* const all = images.data();
  const std::array<Four, tile_lanes / quad> fours{Four(all), Four(all + 4), Four(all + 8),
                                                  Four(all + 12)};
  if (std::all_of(fours.begin(), fours.end(), [](const Four& four) { return four.there == quad; }))
    return write_doubleword_lines(row, images, spans, count);
  for (u32 begin = 0; begin < count; begin += at_once) {
    const u32 now = std::min(at_once, count - begin);
    for (u32 k = 0; k < fours.size(); ++k) {
      const Four& four = fours[k];
      u32* const first = row + u64{2} * begin * tile_lanes + k * quad;
      if (four.there == 1)
        write_doublewords(first + four.last, four.from[0], spans + begin, now);
      else if (four.there == quad)
        write_doublewords(first, four.from.data(), spans + begin, now, Whole{});
      else if (four.there != 0)
        write_doublewords(first, four.from.data(), spans + begin, now, four.some);
    }
  }
}

/// `row`: lane 0's first word.
void write_rows(u32* row, const Lanes& lanes, u64 offset, u32 words) {
  for (u32 begin = 0; begin < words; begin += block) {
    const u32 count = std::min(block, words - begin);
    u32* const first = row + u64{begin} * tile_lanes;
    const u64 from = offset + 4 * u64{begin};
    for (u32 lane = 0; lane < tile_lanes; lane += quad) {
      Four four(lanes.data() + lane);
      if (four.there == 0) continue;
      for (const u8*& one : four.from) one += from;
      u32* const to = first + lane;
      if (four.there == 1) {
        write_lane(to + four.last, four.from[0], count);
      } else if (four.there < quad) {
        if (four.alike)
          write_alike<1>(to, four.from[0], count, four.some);
        else
          write_quad(to, four.from.data(), count, four.some);
      } else if (four.alike) {
        const auto same = [&](u32 other) { return lanes[other] == lanes[lane]; };
        if (lane + 2 * quad <= tile_lanes && same(lane + 4) && same(lane + 5) && same(lane + 6) &&
            same(lane + 7)) {
          write_alike<2>(to, four.from[0], count, Whole{});
          lane += quad;
        } else {
          write_alike<1>(to, four.from[0], count, Whole{});
        }
      } else {
        write_quad(to, four.from.data(), count, Whole{});
      }
    }
  }
}

}  // namespace

void Deliveries::clear(PeId pe) {
  due_[pe].flights.clear();
  due_[pe].delivered = 0;
}

void Deliveries::deliver(PeId pe) {
  if (due_[pe].flights.empty()) return;
  while (!due_[pe].done()) deliver_next(pe, pe + 1);
  clear(pe);
  std::erase(waiting_, pe);
}

void Deliveries::deliver_all() {
  if (waiting_.empty()) return;
  std::sort(waiting_.begin(), waiting_.end());
  for (const PeId pe : waiting_) {
    const PeId tile_end = pes_[pe].width == 1 ? pe + 1 : (pe / tile_lanes + 1) * tile_lanes;
    while (!due_[pe].done()) deliver_next(pe, std::min(tile_end, static_cast<PeId>(pes_.size())));
  }
  for (const PeId pe : waiting_) clear(pe);
  waiting_.clear();
}

/// The next one of `pe`, and of the PEs after it, before `tile_end`, whose next one has the same
/// places.
void Deliveries::deliver_next(PeId pe, PeId tile_end) {
  const Payload& payload = due_[pe].next().payload;
  if (pes_[pe].width == 1 || !payload.whole_words()) {
    apply(payload, pes_[pe].local);
    ++due_[pe].delivered;
    return;
  }
  const PeId tile = pe / tile_lanes * tile_lanes;
  Lanes lanes{};
  for (PeId other = pe; other < tile_end; ++other) {
    if (due_[other].done() || !due_[other].next().payload.same_places(payload)) continue;
    const Payload& same = due_[other].next().payload;
    lanes[other - tile] = same.in_image() ? same.image() : same.values();
    ++due_[other].delivered;
  }
  if (payload.in_image()) {
    const Span* spans = payload.spans().data();
    for (const Plan::Run& run : payload.runs()) {
      u32* const row = pes_[pe].local.word(payload.address(run)) - (pe - tile);
      write_doubleword_rows(row, lanes, spans, run.bytes / 8);
      spans += run.bytes / 8;
    }
    return;
  }
  u64 offset = 0;
  payload.for_each_run([&](u32 address, std::span<const u8> values) {
    u32* const row = pes_[pe].local.word(address) - (pe - tile);
    write_rows(row, lanes, offset, static_cast<u32>(values.size() / 4));
    offset += values.size();
  });
}

}  // namespace simfarm::fast
