// What a PE, and what DMA, sees of whose bytes, and when: docs/machine.md, V3, V5 and V6. Each
// kernel ends with what it saw as its exit code. Races are unchecked here: some of these programs
// have one.
#include "base/bytes.h"
#include "tests/support/run.h"
#include "tests/support/transfers.h"

namespace simfarm::test::visibility {
namespace {

constexpr u32 descriptors = local_base;
constexpr u32 buffer = local_base + 0x1000;
constexpr u32 other = local_base + 0x2000;
constexpr u32 fresh = 0x1122'3344;  // what OCM holds at its first word
constexpr u32 stale = 0x5566'7788;  // what the buffer holds

std::vector<u8> word(u32 value) {
  std::vector<u8> bytes(4);
  store_bytes(bytes, 0, 4, value);
  return bytes;
}
u32 value_of(const std::vector<u8>& bytes) { return static_cast<u32>(load_bytes(bytes, 0, 4)); }

/// t0 descriptors, t1 = 1, t2 buffer, s0 other; `stale` in the buffer.
Kernel kernel_with(const std::vector<dma::Descriptor>& list) {
  Kernel kernel;
  put_descriptors(kernel, descriptors, list).data(buffer, word(stale));
  return kernel.li(t0, descriptors).li(t1, 1).li(t2, buffer).li(s0, other);
}

Finished run(const Machine& machine, const std::vector<Kernel>& kernels) {
  RunInput input;
  input.machine = machine;
  input.program = program_of(kernels, machine.columns);
  input.memory = {{ocm_base, word(fresh)}};
  Finished finished = run_input(std::move(input));
  EXPECT_EQ(finished.outcome.kind, Outcome::Kind::finished);
  return finished;
}
Finished alone(Kernel kernel) { return run(machine_of(1, 1), {std::move(kernel)}); }

dma::Descriptor load_word(u32 destination = buffer) {
  return linear_copy(ocm_base, destination, 1, 4);
}
/// Into the same place of all PEs of 1 x 2.
dma::Descriptor push_word() {
  dma::Descriptor d = load_word();
  d.destination = buffer - local_base;
  d.multicast = true;
  d.include_self = true;
  d.rectangle = {0, 0, 1, 0};
  return d;
}

TEST(Visibility, AWaitShowsWhatItsSemaphoreReleased) {
  const Kernel start = kernel_with({load_word()});
  EXPECT_EQ(alone(Kernel(start).dma(t0).wait(0, t1).lw(a0, t2).exit()).exit_code(0), fresh);
  EXPECT_EQ(alone(Kernel(start).dma(t0).nop(100).lw(a0, t2).exit()).exit_code(0), stale);
}

TEST(Visibility, OtherSemaphoresReceivesAndBarriersShowNothing) {
  dma::Descriptor second = linear_copy(ocm_base, other, 1, 4);
  second.release_own = {1, 1};
  Kernel kernel = kernel_with({load_word(), second});
  kernel.dma(t0).addi(t0, t0, 128).dma(t0).wait(1, t1).bar(0).lw(a0, t2).exit();
  EXPECT_EQ(alone(kernel).exit_code(0), stale);

  Machine torus = machine_of(1, 1);
  torus.torus_rows = true;
  Kernel link = kernel_with({load_word()});
  link.dma(t0).nop(100).send(north, t1).recv(t3, south).lw(a0, t2).exit();
  EXPECT_EQ(run(torus, {link}).exit_code(0), stale);
}

TEST(Visibility, OneWaitShowsAllThatWasReleased) {
  // Both have completed when the wait for one of them issues.
  Kernel kernel = kernel_with({load_word(), linear_copy(ocm_base, other, 1, 4)});
  kernel.dma(t0).addi(t0, t0, 128).dma(t0).nop(200).wait(0, t1);
  EXPECT_EQ(alone(kernel.lw(a0, t2).lw(a1, s0).add(a0, a0, a1).exit()).exit_code(0), 2 * fresh);
}

TEST(Visibility, ButNotWhatIsReleasedLater) {
  // The second transfer starts when the first has been read, and is under way.
  Kernel kernel = kernel_with({linear_copy(ocm_base, other, 1, 4), load_word()});
  kernel.dma(t0).addi(t0, t0, 128).dma(t0).wait(0, t1).lw(a0, t2).exit();
  EXPECT_EQ(alone(kernel).exit_code(0), stale);
}

TEST(Visibility, WithoutAReleaseNeverForThePeAtOnceForDma) {
  dma::Descriptor d = load_word();
  d.release_own = {};
  const dma::Descriptor out = linear_copy(buffer, ocm_base + 64, 1, 4);
  Kernel kernel = kernel_with({d, out});
  kernel.dma(t0).addi(t0, t0, 128).nop(200).dma(t0).wait(0, t1).lw(a0, t2).exit();
  const Finished finished = alone(kernel);
  EXPECT_EQ(finished.exit_code(0), stale);
  EXPECT_EQ(value_of(finished.local(0, buffer, 4)), fresh);
  EXPECT_EQ(value_of(finished.shared(ocm_base + 64, 4)), fresh);
}

TEST(Visibility, APushShowsAtEachReceiversWait) {
  dma::Descriptor d = push_word();
  d.release_receivers = {9, 1};
  Kernel receiver;
  receiver.data(buffer, word(stale)).li(t1, 1).li(t2, buffer).wait(9, t1).lw(a0, t2).exit();
  const Finished finished =
      run(machine_of(1, 2), {kernel_with({d}).dma(t0).wait(9, t1).lw(a0, t2).exit(), receiver});
  EXPECT_EQ(finished.exit_code(0), fresh);
  EXPECT_EQ(finished.exit_code(1), fresh);
}

TEST(Visibility, ItsSendersWaitShowsAPushToNobodyElse) {
  dma::Descriptor push = push_word();
  push.release_receivers = {9, 1};
  push.release_own = {0, 1};
  dma::Descriptor own = linear_copy(ocm_base, other, 1, 4);
  own.release_own = {1, 1};
  Kernel receiver = kernel_with({own}).nop(200).dma(t0).wait(1, t1).lw(a0, t2);
  const Finished finished =
      run(machine_of(1, 2), {kernel_with({push}).dma(t0).wait(0, t1).lw(a0, t2).exit(),
                             receiver.wait(9, t1).lw(a1, t2).add(a0, a0, a1).exit()});
  EXPECT_EQ(finished.exit_code(0), fresh);
  EXPECT_EQ(finished.exit_code(1), stale + fresh);
}

TEST(Visibility, AtAnInitiatorThatReceivesEitherSemaphoreShows) {
  const auto sees = [&](i32 semaphore, dma::SemaphoreUse receivers, dma::SemaphoreUse own) {
    dma::Descriptor d = push_word();
    d.release_receivers = receivers;
    d.release_own = own;
    Kernel kernel = kernel_with({d}).dma(t0).wait(semaphore, t1).lw(a0, t2).exit();
    return run(machine_of(1, 2), {kernel, Kernel().exit()}).exit_code(0);
  };
  EXPECT_EQ(sees(8, {8, 1}, {}), fresh);
  EXPECT_EQ(sees(0, {}, {0, 1}), fresh);
  EXPECT_EQ(sees(0, {8, 1}, {0, 1}), fresh);
  EXPECT_EQ(sees(8, {8, 1}, {0, 1}), fresh);
}

TEST(Visibility, WhatOneWaitShowsIsInOrderOfCompletion) {
  // Two transfers to the same word: the one that completes last is on top.
  const dma::Descriptor fill = [] {
    dma::Descriptor d = linear_fill(buffer, 1, 4);
    d.extended = true;
    d.fill = {1, 2, 3, 4};
    return d;
  }();
  Kernel kernel = kernel_with({load_word(), fill});
  const auto sees = [&](Kernel k) {
    return alone(k.nop(200).wait(0, t1).lw(a0, t2).exit()).exit_code(0);
  };
  EXPECT_EQ(sees(Kernel(kernel).dma(t0).nop(60).addi(t0, t0, 128).dma(t0)), 0x0403'0201u);
  EXPECT_EQ(sees(Kernel(kernel).addi(t3, t0, 128).dma(t3).nop(60).dma(t0)), fresh);
}

TEST(Frozen, SourceDescriptorAndIndicesAtTheGpDma) {
  // All of them are overwritten while the descriptor still waits for a post.
  dma::Descriptor d = linear_copy(buffer, ocm_base + 64, 1, 4);
  d.operation = dma::Operation::gather;
  d.source_strides[0] = 0;
  d.extended = true;
  d.index_base = other;
  d.index_count = 1;
  d.index_scale = 4;
  d.index_limit = 10;
  d.acquire = {8, 1};
  Kernel kernel = kernel_with({d});
  kernel.dma(t0).sw(t1, t2).sw(t1, t0).sw(t1, s0).post(zero, 8).wait(0, t1).exit();
  EXPECT_EQ(value_of(alone(kernel).shared(ocm_base + 64, 4)), stale);
}

TEST(Frozen, WhatDmaWroteByTheStartIsInTheSource) {
  // The first transfer completes long before the second one acquires its post; the PE acquires
  // neither.
  dma::Descriptor out = linear_copy(buffer, ocm_base + 64, 1, 4);
  out.acquire = {8, 1};
  const dma::Descriptor in = linear_copy(ocm_base, buffer, 16, 4);  // 8 beats of the write port
  Kernel kernel = kernel_with({in, out});
  Kernel late = kernel;
  late.dma(t0).addi(t0, t0, 128).dma(t0).nop(100).post(zero, 8).exit();
  EXPECT_EQ(value_of(alone(late).shared(ocm_base + 64, 4)), fresh);
  // The post is there at once: the second one starts while the first is being written.
  Kernel early = kernel;
  early.post(zero, 8).nop(10).dma(t0).addi(t0, t0, 128).dma(t0).exit();
  EXPECT_EQ(value_of(alone(early).shared(ocm_base + 64, 4)), stale);
}

TEST(Frozen, AnUnacquiredTransferLiesAboveThePesOwnStores) {
  // A race: the PE stores to what was brought and never acquired. DMA sees what was brought.
  const dma::Descriptor out = linear_copy(buffer, ocm_base + 64, 1, 4);
  Kernel kernel = kernel_with({load_word(), out});
  kernel.dma(t0).nop(100).sw(t1, t2).addi(t0, t0, 128).dma(t0).exit();
  EXPECT_EQ(value_of(alone(kernel).shared(ocm_base + 64, 4)), fresh);
  // Acquired before the store, it is the store that counts.
  Kernel acquires = kernel_with({load_word(), out});
  acquires.dma(t0).wait(0, t1).sw(t1, t2).addi(t0, t0, 128).dma(t0).exit();
  EXPECT_EQ(value_of(alone(acquires).shared(ocm_base + 64, 4)), 1u);
}

TEST(Frozen, SharedMemoryIsReadAtTheStart) {
  // PE 0 writes the word that PE 1 reads: seen by a transfer that starts in the cycle of completion
  // or later, not by one that starts before and reads it with later beats.
  //
  // PE 0's gp.dma is in cycle 4: start 5, read port in 9, bus in 10, bank in 11, complete in 22.
  const auto sees = [&](u32 start) {
    Kernel writer = kernel_with({linear_copy(buffer, ocm_base + 128, 1, 4)});
    Kernel reader = kernel_with({linear_copy(ocm_base + 128, buffer, 1, 4)});
    // Its gp.dma is in cycle 4 + nops.
    reader.nop(start - 5).dma(t0).wait(0, t1).lw(a0, t2).exit();
    return run(machine_of(1, 2), {writer.dma(t0).exit(), reader}).exit_code(1);
  };
  EXPECT_EQ(sees(21), 0u);
  EXPECT_EQ(sees(22), stale);
}

dma::Descriptor add_word(u32 destination) {
  dma::Descriptor d = load_word(destination);
  d.operation = dma::Operation::add_i32;
  return d;
}

TEST(CopyAdd, AddsAtCompletion) {
  // To what the destination holds then: the PE stores after the gp.dma (a race, unchecked).
  Kernel kernel = kernel_with({add_word(buffer)});
  kernel.dma(t0).sw(t1, t2).wait(0, t1).lw(a0, t2).exit();
  EXPECT_EQ(alone(kernel).exit_code(0), fresh + 1);
}

TEST(CopyAdd, IsAppliedToEachView) {
  // DMA sees the sum; the PE the old value, until it acquires.
  Kernel kernel = kernel_with({add_word(buffer), add_word(buffer)});
  const Finished unseen = alone(Kernel(kernel).dma(t0).nop(100).lw(a0, t2).exit());
  EXPECT_EQ(unseen.exit_code(0), stale);
  EXPECT_EQ(value_of(unseen.local(0, buffer, 4)), stale + fresh);
  const Finished twice = alone(
      Kernel(kernel).dma(t0).addi(t0, t0, 128).dma(t0).nop(100).wait(0, t1).lw(a0, t2).exit());
  EXPECT_EQ(twice.exit_code(0), stale + 2 * fresh);
}

TEST(CopyAdd, SumsOfAllPesInSharedMemory) {
  // 16 PEs add their own words to the same 8 words of OCM at the same time.
  std::vector<Kernel> kernels;
  for (u32 pe = 0; pe < 16; ++pe) {
    dma::Descriptor d = linear_copy(other, ocm_base + 256, 8, 4);
    d.operation = dma::Operation::add_i32;
    std::vector<u8> words;
    for (u32 k = 0; k < 8; ++k)
      for (const u8 byte : word(0x1000'0001u * pe + k)) words.push_back(byte);
    Kernel kernel = kernel_with({d});
    kernels.push_back(kernel.data(other, words).dma(t0).exit());
  }
  RunOptions options;
  options.check_races = true;  // adding is none
  RunInput input;
  input.machine = machine_of(4, 4);
  input.program = program_of(kernels, 4);
  const Finished finished = run_input(std::move(input), options);
  for (u32 k = 0; k < 8; ++k)
    EXPECT_EQ(value_of(finished.shared(ocm_base + 256 + 4 * k, 4)), 0x1000'0001u * 120 + 16 * k);
}

TEST(CopyAdd, Int8Saturates) {
  dma::Descriptor d = linear_copy(other, buffer, 4);
  d.operation = dma::Operation::add_i8;
  Kernel kernel;
  put_descriptors(kernel, descriptors, {d}).data(buffer, {100, 0x9c, 5, 0x7f});
  kernel.data(other, {100, 0x9c, 0xf6, 0x80}).li(t0, descriptors).dma(t0).exit();
  EXPECT_EQ(alone(kernel).local(0, buffer, 4), (std::vector<u8>{127, 0x80, 0xfb, 0xff}));
}

TEST(CopyAdd, AZeroDestinationStrideReduces) {
  dma::Descriptor d = linear_copy(other, buffer, 5, 4);
  d.operation = dma::Operation::add_i32;
  d.destination_strides[0] = 0;
  std::vector<u8> words;
  for (u32 k = 1; k <= 5; ++k)
    for (const u8 byte : word(k)) words.push_back(byte);
  Kernel kernel = kernel_with({d});
  kernel.data(other, words).dma(t0).wait(0, t1).lw(a0, t2).exit();
  EXPECT_EQ(alone(kernel).exit_code(0), stale + 15);
}

}  // namespace
}  // namespace simfarm::test::visibility
