#include "farm/case_io.h"

#include <gmock/gmock.h>

#include <map>

#include "farm/tensor_file.h"
#include "tests/farm/support.h"

namespace simfarm::farm {
namespace {

using test::Folder;
using testing::HasSubstr;

/// CountingMemory that answers reads with the low byte of each address.
class CountingMemory : public Simulation {
 public:
  Outcome run() override { return {}; }
  bool read(u32 address, std::span<u8> bytes) const override {
    for (u8& byte : bytes) byte = static_cast<u8>(address++);
    return true;
  }
  bool untouched(u32, u64) const override { return false; }
  bool read_local(PeId, u32, std::span<u8>) const override { return false; }
  HostReport host() const override { return {}; }
};

TEST(CaseIo, OrdersTensorsAndParametersByName) {
  const Folder folder;
  TensorFile file;
  file.inputs = {{"w", DType::int8, {2}, {1, 2}}, {"a", DType::uint8, {3}, {3, 4, 5}}};
  file.expected = {{"w", DType::int8, {2}, {7, 7}}, {"m", DType::int32, {1}, {0, 0, 0, 0}}};
  file.outputs = {{"b", DType::int16, {4}, {}}};
  file.attributes = {{"z", 1}, {"k", -5}};
  ASSERT_TRUE(write_tensor_file(folder.path("case.h5"), file));
  const Result<CaseRun> run = open_case(folder.path("case.h5"), Machine{});
  ASSERT_TRUE(run) << run.error().message;
  std::string order;
  for (const PlacedTensor& tensor : run->layout.tensors)
    order += tensor.name + "0123"[static_cast<u32>(tensor.kind)] + " ";
  EXPECT_EQ(order, "a0 b1 m1 w2 ");
  EXPECT_EQ(run->layout.params, (std::vector<i32>{-5, 1}));
  ASSERT_EQ(run->memory.size(), 2u);
  EXPECT_EQ(run->memory[1].bytes, (std::vector<u8>{1, 2}));
  EXPECT_EQ(run->arguments, argument_block(run->layout));

  ASSERT_TRUE(write_outputs(*run, CountingMemory{}, folder.path("out.h5")));
  const TensorFile out = read_tensor_file(folder.path("out.h5")).value();
  EXPECT_TRUE(out.inputs.empty());
  ASSERT_EQ(out.outputs.size(), 3u);
  EXPECT_EQ(out.outputs[0].name, "b");
  const u32 address = run->layout.tensors[1].address;
  EXPECT_EQ(out.outputs[0].bytes[1], static_cast<u8>(address + 1));
}

TEST(CaseIo, RefusesContradictionsAndWideParameters) {
  const Folder folder;
  TensorFile file;
  file.inputs = {{"w", DType::int8, {2}, {1, 2}}};
  file.expected = {{"w", DType::int8, {2, 1}, {1, 2}}};
  ASSERT_TRUE(write_tensor_file(folder.path("case.h5"), file));
  EXPECT_THAT(open_case(folder.path("case.h5"), Machine{}).error().message,
              HasSubstr("tensor w is int8[2] in one group and int8[2, 1] in another"));
  file.expected.clear();
  file.attributes = {{"n", i64{1} << 31}};
  ASSERT_TRUE(write_tensor_file(folder.path("case.h5"), file));
  EXPECT_THAT(open_case(folder.path("case.h5"), Machine{}).error().message,
              HasSubstr("attribute n is 2147483648"));
  file.attributes.clear();
  ASSERT_TRUE(write_tensor_file(folder.path("case.h5"), file));
  const Result<CaseRun> run = open_case(folder.path("case.h5"), Machine{});
  ASSERT_TRUE(run);
  EXPECT_THAT(write_outputs(*run, CountingMemory{}, folder.path("o.h5")).error().message,
              HasSubstr("has no outputs"));
}

}  // namespace
}  // namespace simfarm::farm
