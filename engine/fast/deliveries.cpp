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

void put(u32* row, Quad words) { std::memcpy(row, &words, sizeof words); }

/// By lane of a tile, the words that it gets; null: none.
using Lanes = std::array<const u8*, tile_lanes>;

void write_lane(u32* row, const u8* values, u32 words) {
  for (u32 k = 0; k < words; ++k) std::memcpy(row + k * tile_lanes, values + 4 * k, 4);
}

/// The same words to four lanes, or to as many fours side by side.
template <u32 fours>
void write_alike(u32* row, const u8* values, u32 words) {
  for (u32 k = 0; k < words; ++k) {
    u32 word;
    std::memcpy(&word, values + 4 * k, 4);
    const Quad four{word, word, word, word};
    for (u32 to = 0; to < fours; ++to) put(row + k * tile_lanes + to * quad, four);
  }
}

void write_quad(u32* row, const u8* const* values, u32 words) {
  u32 k = 0;
  for (; k + quad <= words; k += quad) {
    const Quad a = quad_at(values[0] + 4 * k), b = quad_at(values[1] + 4 * k);
    const Quad c = quad_at(values[2] + 4 * k), d = quad_at(values[3] + 4 * k);
    const Quad ab = __builtin_shuffle(a, b, Quad{0, 4, 1, 5});
    const Quad cd = __builtin_shuffle(c, d, Quad{0, 4, 1, 5});
    const Quad ab_high = __builtin_shuffle(a, b, Quad{2, 6, 3, 7});
    const Quad cd_high = __builtin_shuffle(c, d, Quad{2, 6, 3, 7});
    u32* const to = row + k * tile_lanes;
    put(to, __builtin_shuffle(ab, cd, Quad{0, 1, 4, 5}));
    put(to + tile_lanes, __builtin_shuffle(ab, cd, Quad{2, 3, 6, 7}));
    put(to + 2 * tile_lanes, __builtin_shuffle(ab_high, cd_high, Quad{0, 1, 4, 5}));
    put(to + 3 * tile_lanes, __builtin_shuffle(ab_high, cd_high, Quad{2, 3, 6, 7}));
  }
  for (u32 lane = 0; lane < quad; ++lane)
    write_lane(row + k * tile_lanes + lane, values[lane] + 4 * k, words - k);
}

/// The doublewords of `count` spans, one after the other.
void write_doublewords(u32* row, const u8* image, const Span* spans, u32 count) {
  for (u32 k = 0; k < count; ++k) {
    const u8* const from = image + static_cast<i32>(spans[k].source);
    std::memcpy(row + 2 * k * tile_lanes, from, 4);
    std::memcpy(row + (2 * k + 1) * tile_lanes, from + 4, 4);
  }
}

/// The same for four lanes, each from its own image.
void write_doublewords(u32* row, const u8* const* images, const Span* spans, u32 count) {
  using Pair = u64 __attribute__((vector_size(16)));
  u32 last = ~spans[0].source;
  Quad low{}, high{};
  for (u32 k = 0; k < count; ++k) {
    if (spans[k].source != last) {
      last = spans[k].source;
      const auto at = [&](u32 lane) {
        u64 value;
        std::memcpy(&value, images[lane] + static_cast<i32>(last), 8);
        return Quad(Pair{value, 0});
      };
      const Quad ab = __builtin_shuffle(at(0), at(1), Quad{0, 4, 1, 5});
      const Quad cd = __builtin_shuffle(at(2), at(3), Quad{0, 4, 1, 5});
      low = __builtin_shuffle(ab, cd, Quad{0, 1, 4, 5});
      high = __builtin_shuffle(ab, cd, Quad{2, 3, 6, 7});
    }
    put(row + 2 * k * tile_lanes, low);
    put(row + (2 * k + 1) * tile_lanes, high);
  }
}

/// `row`: lane 0's first word.
void write_doubleword_rows(u32* row, const Lanes& images, const Span* spans, u32 count) {
  constexpr u32 at_once = block / 2;
  for (u32 begin = 0; begin < count; begin += at_once) {
    const u32 now = std::min(at_once, count - begin);
    u32* const first = row + u64{2} * begin * tile_lanes;
    for (u32 lane = 0; lane < tile_lanes; lane += quad) {
      const u8* const* const four = images.data() + lane;
      if (std::all_of(four, four + quad, [](const u8* one) { return one != nullptr; })) {
        write_doublewords(first + lane, four, spans + begin, now);
        continue;
      }
      for (u32 k = 0; k < quad; ++k)
        if (four[k] != nullptr) write_doublewords(first + lane + k, four[k], spans + begin, now);
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
      std::array<const u8*, quad> values{};
      u32 there = 0;
      bool alike = true;
      for (u32 k = 0; k < quad; ++k) {
        if (lanes[lane + k] == nullptr) continue;
        values[k] = lanes[lane + k] + from;
        alike &= lanes[lane + k] == lanes[lane];
        ++there;
      }
      if (there == quad && alike) {
        const auto same = [&](u32 other) { return lanes[other] == lanes[lane]; };
        if (lane + 2 * quad <= tile_lanes && same(lane + 4) && same(lane + 5) && same(lane + 6) &&
            same(lane + 7)) {
          write_alike<2>(first + lane, values[0], count);
          lane += quad;
        } else {
          write_alike<1>(first + lane, values[0], count);
        }
      } else if (there == quad) {
        write_quad(first + lane, values.data(), count);
      } else if (there != 0) {
        for (u32 k = 0; k < quad; ++k)
          if (values[k] != nullptr) write_lane(first + lane + k, values[k], count);
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
