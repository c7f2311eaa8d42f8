// Frozen requests, and refusals, as the reference has them: descriptors legal and damaged.
#include <gtest/gtest.h>

#include "engine/fast/request.h"
#include "engine/reference/local_memory.h"
#include "engine/reference/request.h"
#include "tests/support/random_descriptor.h"
#include "tests/support/run.h"

namespace simfarm::test {
namespace {

TEST(FreezeChain, AsTheReference) {
  const Machine machine = machine_of(3, 4);
  const AddressMap& map = machine.map;
  u64 refused = 0, frozen = 0;
  for (u64 seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const PeId pe = static_cast<PeId>(random.below(machine.pes()));
    const dma::Context context{map, machine.rows, machine.columns, pe};
    reference::LocalMemory memory(map.local);
    const std::span<u8> view = memory.view();
    for (u8& byte : view) byte = static_cast<u8>(random.next());
    const u64 chain = 1 + random.below(3);
    for (u64 k = chain; k-- > 0;) {
      RandomTransfer one = random_transfer(random, context, static_cast<u32>(128 * k));
      if (k + 1 < chain) one.descriptor.next = static_cast<u32>(map.local.base + 128 * (k + 1));
      place(one, map, view);
    }
    if (random.one_in(2)) {
      u8& byte = view[random.below(128 * chain)];
      byte = static_cast<u8>(byte ^ 1u << random.below(8));
    }
    if (random.one_in(4)) view[4096 + random.below(200)] = static_cast<u8>(random.next());
    u32 address = map.local.base;
    if (random.one_in(20)) address += static_cast<u32>(random.below(map.local.bytes + 256));
    if (random.one_in(2)) address &= ~63u;
    const auto expected = reference::freeze_chain(address, memory, machine, pe);
    const auto actual = fast::freeze_chain(address, dma::LinearBytes(view, map), machine, pe);
    ASSERT_EQ(static_cast<bool>(expected), static_cast<bool>(actual));
    if (!expected) {
      ++refused;
      ASSERT_EQ(expected.error().message, actual.error().message);
      continue;
    }
    ++frozen;
    ASSERT_EQ(expected->size(), actual->size());
    for (u64 k = 0; k < actual->size(); ++k) {
      const reference::Request& one = (*expected)[k];
      const fast::Request& other = (*actual)[k];
      EXPECT_EQ(one.descriptor, other.descriptor);
      EXPECT_EQ(one.indices, other.indices);
      EXPECT_EQ(one.destination, other.destination);
      EXPECT_EQ(one.source_space, other.source_space);
      EXPECT_EQ(one.destination_space, other.destination_space);
      EXPECT_EQ(one.receivers, other.receivers);
      EXPECT_EQ(one.source.base, other.source.base);
      EXPECT_EQ(one.source.bytes, other.source.bytes);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(refused, 500u);
  EXPECT_GT(frozen, 1000u);
}

}  // namespace
}  // namespace simfarm::test
