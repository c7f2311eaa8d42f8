// What a descriptor does to memory, told by the simplest loop that can be written from
// docs/machine.md, section 4: four nested loops over bytes in flat arrays. Shares nothing with the
// engine but the parsed descriptor.
#pragma once
#include <algorithm>
#include <map>
#include <vector>

#include "dma/descriptor.h"
#include "engine/machine.h"

namespace simfarm::test {

/// All memories of a machine; shared memory by address, what is not in it is zero.
struct NaiveMemories {
  const Machine& machine;
  std::vector<std::vector<u8>> locals;
  std::map<u32, u8> shared;

  u8& byte(PeId pe, u32 address) {
    const Region& local = machine.map.local;
    if (local.contains(address, 1)) return locals[pe][address - local.base];
    return shared[address];
  }
};

struct NaiveCount {
  u64 read = 0;     ///< elements
  u64 written = 0;  ///< elements, of one receiver
  u64 receivers = 0;
};

inline NaiveCount naive_transfer(const dma::Descriptor& d, PeId pe, NaiveMemories& memories) {
  const Machine& machine = memories.machine;
  std::vector<PeId> receivers;
  for (PeId other = 0; other < machine.pes(); ++other) {
    const u32 x = other % machine.columns, y = other / machine.columns;
    const bool inside =
        x >= d.rectangle[0] && x <= d.rectangle[2] && y >= d.rectangle[1] && y <= d.rectangle[3];
    if (d.multicast ? inside && (other != pe || d.include_self) : other == pe)
      receivers.push_back(other);
  }
  NaiveCount count;
  count.receivers = receivers.size();
  if (receivers.empty()) return count;

  u32 box[4] = {1, 1, 1, 1}, size[4] = {1, 1, 1, 1};
  for (u32 k = 0; k < d.dims; ++k) {
    if (d.sizes[k] == 0) return count;
    size[k] = d.sizes[k];
    box[k] = d.pad_before[k] + d.sizes[k] + d.pad_after[k];
  }
  struct Write {
    u32 address;
    std::vector<u8> value;
  };
  std::vector<Write> writes;
  for (u32 a = 0; a < box[0]; ++a)
    for (u32 b = 0; b < box[1]; ++b)
      for (u32 c = 0; c < box[2]; ++c)
        for (u32 e = 0; e < box[3]; ++e) {
          const i64 at[4] = {a, b, c, e};
          i64 source = d.source;
          i64 destination = (d.multicast ? machine.map.local.base : 0) + i64{d.destination};
          bool inside = d.operation != dma::Operation::fill;
          for (u32 k = 0; k < 4; ++k) {
            const i64 i = at[k] - d.pad_before[k];
            inside = inside && i >= 0 && i < size[k];
            source += i * d.source_strides[k];
            destination += at[k] * d.destination_strides[k];
          }
          if (d.operation == dma::Operation::gather || d.operation == dma::Operation::scatter) {
            i32 index = 0;
            for (u32 k = 0; k < 4; ++k)
              index |= i32{memories.byte(pe, d.index_base + a * d.index_stride + k)} << (8 * k);
            const bool good = index >= 0 && static_cast<u32>(index) < d.index_limit;
            if (!good && d.out_of_bounds == dma::OutOfBounds::skip) continue;
            (d.operation == dma::Operation::gather ? source : destination) +=
                i64{index} * d.index_scale;
            inside = inside && good;
          }
          Write write{static_cast<u32>(destination), {}};
          for (u32 k = 0; k < d.element_bytes; ++k)
            write.value.push_back(inside ? memories.byte(pe, static_cast<u32>(source) + k)
                                         : d.fill[k]);
          count.read += inside;
          ++count.written;
          writes.push_back(write);
        }
  for (PeId receiver : receivers)
    for (const Write& write : writes) {
      u64 carry = 0;
      for (u32 k = 0; k < write.value.size(); ++k) {
        u8& byte = memories.byte(receiver, write.address + k);
        switch (d.operation) {
          case dma::Operation::add_i8:
            byte = static_cast<u8>(std::min(
                127, std::max(-128, int{static_cast<i8>(byte)} + static_cast<i8>(write.value[k]))));
            break;
          case dma::Operation::add_i32:
            carry += u64{byte} + write.value[k];
            byte = static_cast<u8>(carry);
            carry >>= 8;
            break;
          default:
            byte = write.value[k];
        }
      }
    }
  return count;
}

}  // namespace simfarm::test
