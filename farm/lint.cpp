#include "farm/lint.h"

#include <fmt/format.h>

namespace simfarm::farm {

Linted lint(const Image& image, const Task& task) {
  const AddressMap& map = task.machine.map;
  Linted linted;
  const auto reject = [&](std::string why) {
    return Linted{Verdict::rejected, std::move(why), linted.local_bytes};
  };
  bool entry_in_code = false;
  for (const Segment& segment : image.segments) {
    if (segment.memory_bytes == 0) continue;
    const std::string what =
        fmt::format("segment at {:#010x}, {} bytes", segment.address, segment.memory_bytes);
    switch (map.find(segment.address, segment.memory_bytes)) {
      case AddressMap::Space::instructions:
        if (!segment.executable) return reject(what + ": data in instruction memory");
        if (image.entry >= segment.address && image.entry - segment.address < segment.memory_bytes)
          entry_in_code = true;
        break;
      case AddressMap::Space::local:
        if (segment.executable) return reject(what + ": code in local memory");
        linted.local_bytes += segment.memory_bytes;
        break;
      case AddressMap::Space::ocm:
        return reject(what + ": preloads OCM; data come in tensors, and are moved by DMA");
      case AddressMap::Space::dram:
        return reject(what + ": preloads DRAM; data come in tensors");
      case AddressMap::Space::none:
        if (!segment.executable && map.local.contains(segment.address, 1)) {
          linted.verdict = Verdict::memory_limit;
          linted.why = fmt::format("{}: reaches past the end of local memory, {} bytes", what,
                                   map.local.bytes);
          return linted;
        }
        return reject(
            fmt::format("{}: outside the memories of machine {}", what, task.machine.name));
    }
  }
  if (!entry_in_code)
    return reject(fmt::format("entry {:#010x} is in no code segment", image.entry));
  if (linted.local_bytes > task.limits.local_segment_bytes) {
    linted.verdict = Verdict::memory_limit;
    linted.why = fmt::format(
        "{} bytes of .rodata, .data and .bss in each PE, task {} allows {} "
        "(limits.local_segment_bytes)",
        linted.local_bytes, task.name, task.limits.local_segment_bytes);
  }
  return linted;
}

Cycle boot_cycles(u64 local_bytes, u64 argument_bytes) {
  constexpr u64 bytes_a_cycle = 8;
  return (local_bytes + argument_bytes + bytes_a_cycle - 1) / bytes_a_cycle;
}

}  // namespace simfarm::farm
