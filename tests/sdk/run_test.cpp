// Programs of the SDK on the reference engine: start-up, arguments, the console, what the runtime
// computes, and that compiled descriptors are what the machine reads.
#include <fmt/format.h>

#include "dma/descriptor.h"
#include "tests/support/compiled.h"
#include "tests/support/equal_engines.h"

namespace simfarm::test {
namespace {

Outcome run(const Image& image, const std::string& machine = "single",
            std::vector<u8> arguments = {}) {
  RunInput input;
  input.machine = *load_machine(machine);
  input.program.images.push_back(std::make_shared<const Image>(image));
  input.arguments = std::move(arguments);
  const profile::Ran ran = run_on_all(input, {.cycle_limit = 4'000'000, .check_races = true});
  if (ran.refused) ADD_FAILURE() << ran.refused->message;
  return ran.outcome;
}

std::string console(const Outcome& outcome) {
  std::string text;
  for (const ConsoleWrite& write : outcome.console) text += write.text;
  return text;
}

TEST(SdkRun, PrintfWritesWhatItSays) {
  const Outcome outcome = run(build("k.c", R"(
#include <simfarm.h>
SF_MAIN(args) {
  sf_printf("%d|%5d|%-5d|%05d|%u|%x|%X|%08x|%c|%s|%8s|%-4s|%%|%p\n", -7, 42, 42, -42, 3000000000u,
            0xbeefu, 0xbeefu, 0xbeefu, 'z', "text", "right", "l", (void*)0x10000000);
  sf_printf("%lld %llu %llx %hhd %hd %ld\n", -9223372036854775807ll - 1, 18446744073709551615ull,
            0x123456789abcdefull, 511, 65535, -5l);
  for (int k = 0; k < 20; ++k) sf_printf("%d: a line that is longer than a piece %s\n", k, "of the console's 128 bytes, which are no limit to anybody");
  return args == 0 ? 5 : 6;
}
)",
                                    "--console"));
  ASSERT_EQ(outcome.kind, Outcome::Kind::finished);
  EXPECT_EQ(outcome.pes[0].exit_code, 5u) << "no argument block";
  std::string expected =
      "-7|   42|42   |-0042|3000000000|beef|BEEF|0000beef|z|text|   right|l   |%|0x10000000\n"
      "-9223372036854775808 18446744073709551615 123456789abcdef -1 -1 -5\n";
  for (int k = 0; k < 20; ++k)
    expected += fmt::format(
        "{}: a line that is longer than a piece of the console's 128 bytes, "
        "which are no limit to anybody\n",
        k);
  EXPECT_EQ(console(outcome), expected);
}

TEST(SdkRun, FailedAssertionTrapsAtItsLine) {
  const char* source = R"(#include <simfarm.h>
SF_MAIN(args) {
  sf_assert(args == 0);
  sf_assert(args != 0);
  return 0;
}
)";
  const Image image = build("k.c", source, "-g --console");
  const Outcome outcome = run(image);
  ASSERT_EQ(outcome.kind, Outcome::Kind::trap);
  ASSERT_NE(image.lines, nullptr);
  EXPECT_EQ(image.lines->find(outcome.trap->pc).line, 4u);
  EXPECT_EQ(console(outcome), "k.c:4: assertion failed: args != 0\n");
  EXPECT_EQ(run(build("k.c", source, "-DNDEBUG")).pes[0].exit_code, 0u);
}

TEST(SdkRun, TrapsInsideTheSdkNameTheLineThatUsesIt) {
  const Image image = build("k.c", R"(#include <simfarm.h>
SF_MAIN(args) {
  (void)args;
  sf_copy(sf_address(&args),
          3, 8);
  return 0;
}
)",
                            "-g -O2");
  const Outcome outcome = run(image);
  ASSERT_EQ(outcome.kind, Outcome::Kind::trap);
  EXPECT_EQ(image.lines->find(outcome.trap->pc).file, "k.c");
  EXPECT_EQ(image.lines->find(outcome.trap->pc).line, 4u);
}

// 64-bit division against the host, on values around every power of two.
TEST(SdkRun, LongDivisionIsExact) {
  const Outcome outcome = run(build("k.c", R"(
#include <simfarm.h>
static volatile uint64_t values[48];
static uint64_t hash = 1;
static void mix(uint64_t v) { hash = (hash ^ v) * 0x100000001b3ull; }
SF_MAIN(args) {
  (void)args;
  for (int k = 0; k < 16; ++k) {
    values[3 * k] = (1ull << 4 * k) - 1;
    values[3 * k + 1] = (1ull << 4 * k) + 5;
    values[3 * k + 2] = 0xfedcba9876543210ull >> 4 * k;
  }
  for (int i = 0; i < 48; ++i)
    for (int j = 0; j < 48; j += 9) {
      uint64_t a = values[i], b = values[j] | 1;
      mix(a / b); mix(a % b);
      mix((uint64_t)((int64_t)a / (int64_t)b)); mix((uint64_t)((int64_t)a % -(int64_t)b));
      mix(a << (i + 1)); mix(a >> (j + 1)); mix((uint64_t)((int64_t)a >> i)); mix(a * b);
    }
  sf_printf("%llx", hash);
  return 0;
}
)",
                                    "-Os --console"));
  u64 values[48], hash = 1;
  const auto mix = [&](u64 v) { hash = (hash ^ v) * 0x100000001b3ull; };
  for (int k = 0; k < 16; ++k) {
    values[3 * k] = (1ull << 4 * k) - 1;
    values[3 * k + 1] = (1ull << 4 * k) + 5;
    values[3 * k + 2] = 0xfedcba9876543210ull >> 4 * k;
  }
  for (int i = 0; i < 48; ++i)
    for (int j = 0; j < 48; j += 9) {
      const u64 a = values[i], b = values[j] | 1;
      mix(a / b), mix(a % b);
      mix(static_cast<u64>(static_cast<i64>(a) / static_cast<i64>(b)));
      mix(static_cast<u64>(static_cast<i64>(a) % -static_cast<i64>(b)));
      mix(a << (i + 1)), mix(a >> (j + 1)), mix(static_cast<u64>(static_cast<i64>(a) >> i)),
          mix(a * b);
    }
  EXPECT_EQ(console(outcome), fmt::format("{:x}", hash));
}

TEST(SdkRun, MemoryFunctionsAndConstructors) {
  const Outcome outcome = run(build("k.cc", R"(
#include <simfarm.h>
static char a[64], b[64];
struct Counter { int value; explicit Counter(int v) : value(v + (int)sf_pes()) {} };
static Counter first(10), second(20);
static int check() {
  for (int k = 0; k < 64; ++k) a[k] = (char)k;
  for (int from = 0; from < 5; ++from)
    for (int length = 0; length < 20; ++length) {
      memset(b, 0x55, sizeof b);
      if (memcpy(b + 8, a + from, length) != b + 8) return 1;
      if (memcmp(b + 8, a + from, length) != 0 || b[7] != 0x55 || b[8 + length] != 0x55) return 2;
      memmove(b + 8 + from, b + 8, length);
      if (memcmp(b + 8 + from, a + from, length) != 0) return 3;
      memmove(b + 7, b + 8 + from, length);
      if (memcmp(b + 7, a + from, length) != 0) return 4;
    }
  if (memcmp("abc", "abd", 3) >= 0 || memcmp("b", "a", 1) <= 0) return 5;
  return 0;
}
SF_MAIN(args) { return args == nullptr ? check() * 100 + first.value * second.value : -1; }
)",
                                    "-O2"));
  ASSERT_EQ(outcome.kind, Outcome::Kind::finished);
  EXPECT_EQ(outcome.pes[0].exit_code, 11u * 21u);
}

TEST(SdkRun, ArgumentsAndIdentity) {
  // One tensor, two parameters.
  std::vector<u32> words = {1, 1, 2, 72, 0x80000040, 48, 5, 2,  3,
                            4, 0, 0, 16, 4,          0,  0, 77, 0xfffffff9};
  std::vector<u8> block;
  for (const u32 word : words)
    for (u32 shift = 0; shift < 32; shift += 8) block.push_back(static_cast<u8>(word >> shift));
  const Outcome outcome = run(build("k.c", R"(
#include <simfarm.h>
SF_MAIN(args) {
  const sf_tensor* t = sf_tensor_at(args, 0);
  if (t->address != 0x80000040 || t->bytes != 48 || t->type != SF_INT32 || t->rank != 2) return -1;
  if (t->shape[0] != 3 || t->shape[1] != 4 || t->stride[0] != 16 || t->stride[1] != 4) return -2;
  if (sf_param(args, 0) != 77 || sf_param(args, 1) != -7) return -3;
  if (sf_pe() != sf_row() * sf_columns() + sf_column() || sf_pes() != sf_rows() * sf_columns()) return -4;
  if (sf_local_bytes() != 32768) return -5;
  return (int)sf_pe();
}
)",
                                    "-O1"),
                              "nano", block);
  ASSERT_EQ(outcome.kind, Outcome::Kind::finished);
  for (u32 pe = 0; pe < 16; ++pe) EXPECT_EQ(outcome.pes[pe].exit_code, pe);
}

TEST(SdkRun, LinksPostsAndBarriersMeet) {
  const Outcome outcome = run(build("k.c", R"(
#include <simfarm.h>
SF_MAIN(args) {
  (void)args;
  uint32_t sum = sf_column();
  if (sf_column() > 0) sum += sf_recv(SF_WEST);
  if (sf_column() + 1 < sf_columns()) sf_send(SF_EAST, sum);
  sf_barrier(SF_ROW);
  sf_post((sf_pe() + 1) % sf_pes(), 9);
  sf_wait(9, 1);
  sf_barrier(SF_ALL);
  return (int)sum;
}
)",
                                    "-O2"),
                              "nano");
  ASSERT_EQ(outcome.kind, Outcome::Kind::finished);
  for (u32 pe = 0; pe < 16; ++pe) EXPECT_EQ(outcome.pes[pe].exit_code, (pe % 4) * (pe % 4 + 1) / 2);
}

// The builder's bytes, as the machine's own parser reads them.
TEST(SdkRun, DescriptorsAreWhatTheMachineReads) {
  const Image image = build("k.cc", R"(
#include <simfarm.h>
constexpr sf_descriptor_pair gather() {
  sf_descriptor_pair p = sf_dma_extend(sf_dma_make(SF_DMA_GATHER, 4, SF_LOCAL_BASE + 0x1000, SF_DRAM_BASE));
  sf_dma_dim(&p.first, 0, 5, 16, 0);
  sf_dma_dim(&p.first, 1, 4, 4, -4);
  sf_dma_release(&p.first, 3, 2);
  sf_dma_acquire(&p.first, 12, 9);
  sf_dma_index(&p, SF_LOCAL_BASE + 0x2000, 8, 64, 100, SF_DMA_BOUNDS_FILL);
  sf_dma_fill_value(&p, 0x01020304, 0);
  return p;
}
constexpr sf_descriptor_pair padded() {
  sf_descriptor_pair p = sf_dma_extend(sf_dma_rows(SF_OCM_BASE, 128, SF_LOCAL_BASE + 0x1000, 64, 3, 60, 7));
  sf_dma_pad(&p, 0, 1, 2);
  sf_dma_pad(&p, 1, 3, 4);
  p.first.next = 0;
  return p;
}
constexpr sf_descriptor push() {
  sf_descriptor d = sf_dma_bytes(SF_LOCAL_BASE + 0x1000, SF_LOCAL_BASE + 0x1800, 100, 1);
  sf_dma_multicast(&d, 1, 0, 3, 2, 0);
  sf_dma_release_receivers(&d, 15, 65535);
  return d;
}
extern "C" {
__attribute__((used, retain)) constinit sf_descriptor_pair first = gather();
__attribute__((used, retain)) constinit sf_descriptor_pair second = padded();
__attribute__((used, retain)) constinit sf_descriptor third = push();
}
SF_MAIN(args) { return (int)args->version; }
)",
                            "-Wall -Wextra");
  std::vector<u8> local(32768);
  for (const Segment& segment : image.segments)
    if (segment.address >= 0x1000'0000 && segment.address < 0x1000'8000)
      std::copy(segment.bytes.begin(), segment.bytes.end(),
                local.begin() + (segment.address - 0x1000'0000));
  const AddressMap map;
  const auto parse = [&](const std::string& name) {
    for (const Symbol& symbol : image.symbols) {
      if (symbol.name != name) continue;
      auto parsed =
          dma::parse(symbol.address, local, {.map = map, .rows = 4, .columns = 4, .pe = 0});
      if (parsed) return *parsed;
      ADD_FAILURE() << parsed.error().message;
    }
    return dma::Descriptor{};
  };
  const dma::Descriptor gather = parse("first");
  EXPECT_EQ(gather.operation, dma::Operation::gather);
  EXPECT_EQ(gather.dims, 2);
  EXPECT_EQ(gather.element_bytes, 4);
  EXPECT_EQ(gather.source, 0x8000'0000u);
  EXPECT_EQ(gather.destination, 0x1000'1000u);
  EXPECT_EQ(gather.sizes, (std::array<u16, 4>{5, 4, 0, 0}));
  EXPECT_EQ(gather.source_strides, (std::array<i32, 4>{0, -4, 0, 0}));
  EXPECT_EQ(gather.destination_strides, (std::array<i32, 4>{16, 4, 0, 0}));
  EXPECT_EQ(gather.release_own.semaphore, 3);
  EXPECT_EQ(gather.release_own.amount, 2);
  EXPECT_EQ(gather.acquire.semaphore, 12);
  EXPECT_EQ(gather.acquire.amount, 9);
  EXPECT_EQ(gather.out_of_bounds, dma::OutOfBounds::fill);
  EXPECT_EQ(gather.index_base, 0x1000'2000u);
  EXPECT_EQ(gather.index_count, 5u);
  EXPECT_EQ(gather.index_stride, 8);
  EXPECT_EQ(gather.index_scale, 64);
  EXPECT_EQ(gather.index_limit, 100u);
  EXPECT_EQ(gather.fill, (std::array<u8, 8>{4, 3, 2, 1, 0, 0, 0, 0}));

  const dma::Descriptor padded = parse("second");
  EXPECT_EQ(padded.operation, dma::Operation::copy);
  EXPECT_EQ(padded.pad_before, (std::array<u16, 4>{1, 3, 0, 0}));
  EXPECT_EQ(padded.pad_after, (std::array<u16, 4>{2, 4, 0, 0}));
  EXPECT_EQ(padded.sizes, (std::array<u16, 4>{3, 60, 0, 0}));
  EXPECT_EQ(padded.source_strides, (std::array<i32, 4>{64, 1, 0, 0}));
  EXPECT_EQ(padded.destination_strides, (std::array<i32, 4>{128, 1, 0, 0}));
  EXPECT_EQ(padded.release_own.semaphore, 7);

  const dma::Descriptor push = parse("third");
  EXPECT_TRUE(push.multicast);
  EXPECT_FALSE(push.include_self);
  EXPECT_EQ(push.destination, 0x1000u);
  EXPECT_EQ(push.rectangle, (std::array<u8, 4>{1, 0, 3, 2}));
  EXPECT_EQ(push.release_receivers.semaphore, 15);
  EXPECT_EQ(push.release_receivers.amount, 65535);
}

}  // namespace
}  // namespace simfarm::test
