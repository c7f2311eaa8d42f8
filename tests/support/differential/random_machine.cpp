#include "tests/support/differential/random_machine.h"

namespace simfarm::test {
namespace {

template <class Value>
void choose(Random& random, Value& field, std::initializer_list<u32> values) {
  if (random.one_in(2)) field = values.begin()[random.below(values.size())];
}

}  // namespace

Machine random_machine(Random& random, u32 rows, u32 columns) {
  Machine machine;
  machine.name = "random";
  machine.rows = rows;
  machine.columns = columns;
  AddressMap& map = machine.map;
  map.ocm.bytes = 64u << 10;
  map.dram.bytes = 128u << 10;
  map.local.bytes = 16u << 10;
  choose(random, map.local.bytes, {16u << 10, 20u << 10, 32u << 10});
  if (random.one_in(12)) {  // data and code in one space
    map.unified = true;
    map.local = map.instructions = {random.one_in(2) ? 0 : 0x2000'0000u, 64u << 10};
  } else if (random.one_in(8)) {
    map.local.base = 0x1234'5000;
    map.instructions.base = 0x0000'1000;
    map.ocm.base = 0x7000'0000;
    map.dram.base = 0xf000'0000;
  }
  if (random.one_in(2)) return machine;
  machine.torus_rows = random.one_in(2);
  machine.torus_columns = random.one_in(2);
  choose(random, machine.ocm.banks, {1, 2, 4, 16});
  choose(random, machine.ocm.bytes_per_beat, {1, 4, 8, 32, 64});
  choose(random, machine.ocm.latency, {0, 1, 3, 25});
  choose(random, machine.dram.bytes_per_beat, {2, 8, 16, 64});
  choose(random, machine.dram.latency, {0, 1, 7, 150});
  choose(random, machine.bus.hop_latency, {0, 2, 3});
  choose(random, machine.dma.queue, {1, 2, 3, 8});
  choose(random, machine.dma.in_flight, {1, 1, 2, 2, 4, 8});
  choose(random, machine.dma.setup, {1, 2, 9});
  choose(random, machine.link.depth, {1, 2, 3, 7});
  choose(random, machine.link.latency, {1, 3, 5});
  choose(random, machine.link.credit_latency, {1, 3, 6});
  choose(random, machine.post.latency, {1, 5});
  choose(random, machine.barrier.latency, {0, 1, 9});
  return machine;
}

}  // namespace simfarm::test
