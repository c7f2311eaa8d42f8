// The integer names that every folder uses. Widths are exact; nothing else is assumed of them.
#pragma once
#include <cstddef>
#include <cstdint>

namespace simfarm {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

/// A point in simulated time, in cycles of the machine's one clock; the run starts at 0.
using Cycle = u64;

/// Never reached: "no event is due".
inline constexpr Cycle never = ~Cycle{0};

/// A processing element by number: row * columns + column.
using PeId = u32;

}  // namespace simfarm
