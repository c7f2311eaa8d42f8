// Cases in both directions with h5py, and everything that a case must not be.
#include "farm/tensor_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/file.h"
#include "farm/chunk.h"
#include "tests/farm/support.h"

#ifdef __SANITIZE_ADDRESS__
// libhdf5 does not free everything of a file that it refuses.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }
#endif

namespace simfarm::farm {
namespace {

using test::Folder;
using test::python;
using testing::HasSubstr;

TEST(TensorFile, ReadsWhatH5pyWrites) {
  const Folder folder;
  const auto ran = python(folder, R"(
with h5py.File("case.h5", "w") as f:
    f["inputs/a"] = np.arange(6, dtype=np.int8).reshape(2, 3) - 3
    f.create_dataset("inputs/b", data=np.arange(1000, dtype=np.uint16).reshape(10, 100),
                     chunks=(3, 7), compression=6, shuffle=True, fletcher32=True)
    for t in "int8 uint8 int16 uint16 int32 uint32 float32 int64 uint64".split():
        f["expected/" + t] = np.full((2, 1, 3), 7, dtype=t)
    f.create_dataset("outputs/later", (4, 5), np.int32)
    f.attrs["n"] = 12
    f.attrs["negative"] = np.int8(-3)
    f.attrs["title"] = "not a parameter"
    f.attrs["list"] = [1, 2]
)");
  ASSERT_EQ(ran.status, 0) << ran.output;
  const Result<TensorFile> file = read_tensor_file(folder.path("case.h5"));
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->inputs.size(), 2u);
  EXPECT_EQ(file->inputs[0].shape, (std::vector<u32>{2, 3}));
  EXPECT_EQ(file->inputs[0].bytes, (std::vector<u8>{0xfd, 0xfe, 0xff, 0, 1, 2}));
  const Tensor& b = file->inputs[1];
  ASSERT_EQ(b.bytes.size(), 2000u);
  for (u32 k = 0; k < 1000; ++k) ASSERT_EQ(b.bytes[2 * k] + 256u * b.bytes[2 * k + 1], k);
  ASSERT_EQ(file->expected.size(), dtype_count);
  for (const Tensor& tensor : file->expected) {
    EXPECT_EQ(name(tensor.dtype), tensor.name);
    EXPECT_EQ(element_text(tensor.dtype, tensor.bytes.data()), "7");
  }
  ASSERT_EQ(file->outputs.size(), 1u);
  EXPECT_TRUE(file->outputs[0].bytes.empty());
  EXPECT_EQ(describe(file->outputs[0].dtype, file->outputs[0].shape), "int32[4, 5]");
  EXPECT_EQ(file->attributes, (std::map<std::string, i64>{{"n", 12}, {"negative", -3}}));
  EXPECT_EQ(file->other_attributes, (std::set<std::string>{"list", "title"}));
}

TensorFile small_file() {
  TensorFile file;
  file.inputs = {
      {"x", DType::int32, {2, 2}, {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}},
      {"flag", DType::uint8, {3}, {9, 8, 7}}};
  file.expected = {{"y", DType::float32, {1, 1, 1, 1}, {0, 0, 0xc0, 0x3f}}};
  file.outputs = {{"z", DType::int64, {1}, {5, 0, 0, 0, 0, 0, 0, 0}}};
  file.attributes = {{"scale", -7}, {"n", i64{1} << 40}};
  return file;
}

TEST(TensorFile, ReadsEveryMixtureOfChunksAndFilters) {
  const Folder folder;
  const auto ran = python(folder, R"(
rng = np.random.Generator(np.random.PCG64(7))
types = "int8 uint8 int16 uint16 int32 uint32 float32 int64 uint64".split()
f = h5py.File("case.h5", "w"); g = h5py.File("latest.h5", "w", libver="latest")
for k in range(60):
    shape = tuple(int(n) for n in rng.integers(1, 14, rng.integers(1, 5)))
    chunks = tuple(int(rng.integers(1, n + 1)) for n in shape)
    x = rng.integers(0, 256, (*shape, 8), dtype=np.uint8).view(np.int64)[..., 0].astype(types[k % 9])
    x.tofile(f"{k:02}.bin")
    if rng.integers(4) == 0: x = np.zeros_like(x); x.tofile(f"{k:02}.bin")
    options = dict(shuffle=bool(rng.integers(2)), fletcher32=bool(rng.integers(2)))
    if rng.integers(2): options["compression"] = int(rng.integers(0, 10))
    # Chunks that may grow, and hang over the edge of what there is.
    if rng.integers(3) == 0: options["maxshape"] = (None,) * len(shape); chunks = tuple(c + 3 for c in chunks)
    f.create_dataset(f"inputs/t{k:02}", data=x, chunks=chunks, **options)
    g.create_dataset(f"inputs/t{k:02}", data=x, chunks=chunks, **options)
)");
  ASSERT_EQ(ran.status, 0) << ran.output;
  for (const char* name : {"case.h5", "latest.h5"}) {
    const Result<TensorFile> file = read_tensor_file(folder.path(name));
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_EQ(file->inputs.size(), 60u);
    for (const Tensor& tensor : file->inputs)
      EXPECT_EQ(tensor.bytes,
                read_file(folder.path(tensor.name.substr(1) + ".bin"), 1u << 20).value())
          << name << " " << tensor.name;
  }
}

TEST(TensorFile, H5pyReadsWhatWeWrite) {
  const Folder folder;
  ASSERT_TRUE(write_tensor_file(folder.path("case.h5"), small_file()));
  const auto ran = python(folder, R"(
with h5py.File("case.h5") as f:
    assert sorted(f) == ["expected", "inputs", "outputs"], list(f)
    assert f["inputs/x"].dtype == np.int32 and f["inputs/x"][...].tolist() == [[1, 2], [3, -1]]
    assert f["inputs/flag"].dtype == np.uint8 and f["inputs/flag"][...].tolist() == [9, 8, 7]
    assert f["expected/y"].shape == (1, 1, 1, 1) and f["expected/y"][0, 0, 0, 0] == 1.5
    assert f["outputs/z"][...].tolist() == [5]
    assert dict(f.attrs) == {"scale": -7, "n": 2 ** 40}, dict(f.attrs)
    for n in ("inputs", "inputs/x", "expected/y"):
        assert not f[n].id.get_create_plist().get_obj_track_times(), n
)");
  EXPECT_EQ(ran.status, 0) << ran.output;
}

/// The bytes of a file with those contents.
std::vector<u8> bytes_of(const TensorFile& file) {
  const Folder folder;
  const Result<void> written = write_tensor_file(folder.path("case.h5"), file);
  if (!written) ADD_FAILURE() << written.error().message;
  return read_file(folder.path("case.h5"), max_case_bytes).value();
}

TEST(TensorFile, EqualContentsGiveEqualBytesAndReadBack) {
  TensorFile shuffled = small_file();
  std::swap(shuffled.inputs[0], shuffled.inputs[1]);
  const std::vector<u8> bytes = bytes_of(small_file());
  EXPECT_EQ(bytes, bytes_of(shuffled));
  const Result<TensorFile> back = parse_tensor_file(bytes, "case.h5");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->inputs[1].bytes, small_file().inputs[0].bytes);
  EXPECT_EQ(back->outputs[0].bytes, small_file().outputs[0].bytes);
  EXPECT_EQ(back->attributes, small_file().attributes);
}

TEST(TensorFile, AWriteThatFailsLeavesTheOldFileAlone) {
  const Folder folder;
  ASSERT_TRUE(write_tensor_file(folder.path("case.h5"), small_file()));
  TensorFile bad = small_file();
  bad.inputs[0].name = "group/that/is/missing";
  const Result<void> written = write_tensor_file(folder.path("case.h5"), bad);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("case.h5: HDF5 refused"));
  EXPECT_TRUE(read_tensor_file(folder.path("case.h5")));
  u32 files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path()))
    ++files;
  EXPECT_EQ(files, 1u);
  EXPECT_FALSE(write_tensor_file(folder.path("no/such/folder.h5"), small_file()));
}

/// A case that h5py writes and we must refuse, with the words that the message must contain.
struct Refused {
  const char* name;
  const char* program;
  std::vector<const char*> words;
};

const std::vector<Refused>& refused() {
  static const std::vector<Refused> rows = {
      {"double", "f['inputs/a'] = np.zeros(3)", {"/inputs/a", "64-bit float"}},
      {"big_endian",
       "f['inputs/a'] = np.zeros(3, '>i4')",
       {"/inputs/a", "big-endian 32-bit integer"}},
      {"half", "f['inputs/a'] = np.zeros(3, np.float16)", {"/inputs/a", "16-bit float"}},
      {"boolean", "f['inputs/a'] = np.zeros(3, bool)", {"/inputs/a", "bool"}},
      {"string", "f['inputs/a'] = ['x']", {"/inputs/a", "a string"}},
      {"compound", "f['inputs/a'] = np.zeros(3, 'i4,i4')", {"/inputs/a", "compound"}},
      {"scalar", "f['inputs/a'] = np.int32(3)", {"/inputs/a", "rank is 0"}},
      {"null", "f['inputs/a'] = h5py.Empty('i4')", {"/inputs/a", "rank is 0"}},
      {"rank5", "f['inputs/a'] = np.zeros((1, 1, 1, 1, 1), np.int8)", {"/inputs/a", "rank is 5"}},
      {"empty_dimension",
       "f['inputs/a'] = np.zeros((2, 0), np.int8)",
       {"/inputs/a", "dimension 1 is 0"}},
      {"huge",
       "f.create_dataset('inputs/a', (1 << 62, 1 << 62), np.int64, chunks=(1, 1))",
       {"/inputs/a", "larger than"}},
      {"wraps_to_zero",
       "f.create_dataset('inputs/a', (1 << 32, 1 << 32), np.int8, chunks=(1, 1))",
       {"/inputs/a", "larger than"}},
      {"unwritten", "f.create_dataset('inputs/a', (4,), np.int8)", {"/inputs/a", "never written"}},
      {"partly_written",
       "d = f.create_dataset('expected/a', (64,), np.int8, chunks=(8,)); d[:8] = 1",
       {"/expected/a", "never written"}},
      {"soft_link",
       "f['inputs/a'] = h5py.SoftLink('/inputs/good')",
       {"/inputs", "a is a soft or external link"}},
      {"external_link",
       "f['inputs/a'] = h5py.ExternalLink('/etc/passwd', '/x')",
       {"/inputs", "a is a soft or external link"}},
      {"external_group",
       "f['expected'] = h5py.ExternalLink('other.h5', '/')",
       {"expected is a soft or external link"}},
      {"external_storage",
       "f.create_dataset('inputs/a', (4,), np.int8, external=[('/etc/passwd', 0, 4)])",
       {"/inputs/a", "external files"}},
      {"virtual",
       "l = h5py.VirtualLayout((4,), np.int8); l[:] = h5py.VirtualSource('other.h5', 'd', "
       "(4,))\n"
       "f.create_virtual_dataset('inputs/a', l)",
       {"/inputs/a", "virtual"}},
      {"filter",
       "f.create_dataset('inputs/a', data=np.zeros(64, np.int8), compression='lzf')",
       {"/inputs/a", "filter"}},
      {"unknown_group", "f['extra/a'] = np.zeros(3, np.int8)", {"/extra", "unknown"}},
      {"unknown_dataset", "f['x'] = np.zeros(3, np.int8)", {"/x", "unknown"}},
      {"dataset_as_group",
       "f['expected'] = np.zeros(3, np.int8)",
       {"/expected", "must be a group"}},
      {"nested_group",
       "f['inputs/deep/a'] = np.zeros(3, np.int8)",
       {"/inputs/deep", "must be a dataset"}},
      {"bad_name", "f['inputs/a-b'] = np.zeros(3, np.int8)", {"/inputs", "identifier"}},
      {"long_name", "f['inputs/' + 'a' * 64] = np.zeros(3, np.int8)", {"/inputs", "identifier"}},
      {"many",
       "for k in range(64): f[f'inputs/t{k}'] = np.zeros(1, np.int8)",
       {"/inputs", "65 entries"}},
      {"many_attributes", "for k in range(65): f.attrs[f'a{k}'] = k", {"65 attributes"}}};
  return rows;
}

TEST(TensorFile, RefusesNamingTheObject) {
  const Folder folder;
  std::string program;
  for (const Refused& each : refused())
    program += std::string("f = h5py.File('") + each.name +
               ".h5', 'w', libver='latest')\nf['inputs/good'] = np.zeros(3, np.int8)\n" +
               each.program + "\n\nf.close()\n";
  const auto ran = python(folder, program);
  ASSERT_EQ(ran.status, 0) << ran.output;
  for (const Refused& each : refused()) {
    SCOPED_TRACE(each.name);
    const Result<TensorFile> file = read_tensor_file(folder.path(each.name + std::string(".h5")));
    ASSERT_FALSE(file);
    EXPECT_THAT(file.error().message, HasSubstr(each.name + std::string(".h5: ")));
    for (const char* word : each.words) EXPECT_THAT(file.error().message, HasSubstr(word));
  }
}

TEST(TensorFile, RefusesFilesThatAreNone) {
  const Folder folder;
  EXPECT_THAT(read_tensor_file(folder.path("none.h5")).error().message,
              HasSubstr("none.h5: cannot open"));
  EXPECT_THAT(read_tensor_file(folder.path()).error().message, HasSubstr("not a regular file"));
  EXPECT_THAT(read_tensor_file(folder.write("e.h5", "")).error().message,
              HasSubstr("not a readable HDF5"));
  EXPECT_THAT(read_tensor_file(folder.write("t.h5", "hello")).error().message,
              HasSubstr("not a readable HDF5"));
  // HDF5 itself would find a signature at offset 512.
  const std::vector<u8> good = bytes_of(small_file());
  std::vector<u8> shifted(512, 0);
  shifted.insert(shifted.end(), good.begin(), good.end());
  EXPECT_FALSE(parse_tensor_file(shifted, "s.h5"));
}

TEST(TensorFile, EveryTruncationIsRefused) {
  const std::vector<u8> good = bytes_of(small_file());
  for (size_t length = 0; length < good.size(); ++length) {
    const Result<TensorFile> file = parse_tensor_file(std::span(good).first(length), "cut.h5");
    // The last bytes may be unused space; what is accepted must be what was written.
    if (file) {
      EXPECT_EQ(file->inputs[1].bytes, small_file().inputs[0].bytes);
    }
  }
}

TEST(TensorFile, FlippedMetadataBitsAreRefused) {
  const std::vector<u8> good = bytes_of(small_file());
  u32 refused = 0, changed = 0;
  for (size_t bit = 0; bit < good.size() * 8; bit += 7) {
    std::vector<u8> bad = good;
    bad[bit / 8] ^= static_cast<u8>(1u << (bit % 8));
    const Result<TensorFile> file = parse_tensor_file(bad, "flipped.h5");
    if (!file) {
      ++refused;
      EXPECT_THAT(file.error().message, HasSubstr("flipped.h5: "));
    } else if (file->inputs.size() != 2 || file->inputs[1].shape != small_file().inputs[0].shape ||
               file->attributes != small_file().attributes) {
      ++changed;
    }
  }
  EXPECT_GT(refused, 100u);
  EXPECT_EQ(changed, 0u);
}

TEST(TensorFile, FlippedBitsAmongManyEntriesAreRefused) {
  // More than HDF5 keeps in a group's header by itself; without a checksum its reader ran astray.
  TensorFile file;
  for (u32 k = 0; k < 20; ++k) {
    file.inputs.push_back({fmt::format("x{}", k), DType::uint8, {1}, {static_cast<u8>(k)}});
    file.attributes.emplace(fmt::format("n{}", k), k);
  }
  const std::vector<u8> good = bytes_of(file);
  for (size_t bit = 0; bit < good.size() * 8; bit += 11) {
    std::vector<u8> bad = good;
    bad[bit / 8] ^= static_cast<u8>(1u << (bit % 8));
    const Result<TensorFile> read = parse_tensor_file(bad, "flipped.h5");
    if (!read) continue;
    EXPECT_EQ(read->inputs.size(), 20u);  // one of the tensors' own bytes, or nothing that matters
    EXPECT_EQ(read->attributes, file.attributes);
  }
}

TEST(TensorFile, DamagedDefaultFormatIsRefusedOrHarmless) {
  // The metadata of h5py's default format has no checksums: damage gets far into the reader.
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP()
      << "libhdf5 itself reads past the ends of damaged metadata, and this test would find that";
#endif
  const Folder folder;
  const auto ran = python(folder, R"(
with h5py.File("case.h5", "w") as f:
    f["inputs/a"] = np.arange(12, dtype=np.int8).reshape(3, 4)
    f.create_dataset("inputs/b", data=np.arange(100, dtype=np.int32).reshape(10, 10), chunks=(3, 4),
                     compression=4, shuffle=True, fletcher32=True)
    f["expected/c"] = np.ones((4, 4), np.float32)
    f.attrs["n"] = 5
)");
  ASSERT_EQ(ran.status, 0) << ran.output;
  const std::vector<u8> good = read_file(folder.path("case.h5"), 1u << 20).value();
  u64 random = 1;
  const auto next = [&] {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return random >> 33;
  };
  u32 refused = 0;
  for (u32 round = 0; round < 3000; ++round) {
    std::vector<u8> bad = good;
    for (u32 k = 0; k < 3; ++k)
      bad[next() % (k == 0 ? 2048 : bad.size())] = static_cast<u8>(next());
    const Result<TensorFile> file = parse_tensor_file(bad, "damaged.h5");
    refused += !file;
    if (!file) continue;
    for (const Tensor& tensor : file->inputs) ASSERT_EQ(tensor.bytes.size(), tensor.size_bytes());
  }
  EXPECT_GT(refused, 300u);
}

TEST(Chunk, DamageIsFound) {
  const std::vector<u8> data = {1, 2, 3, 4, 5, 6, 7};
  // Three words and a half: sums modulo 65535 by hand.
  const u32 sum1 = 0x0102 + 0x0304 + 0x0506 + 0x0700;
  const u32 sum2 = 4 * 0x0102 + 3 * 0x0304 + 2 * 0x0506 + 0x0700;
  EXPECT_EQ(fletcher32(data), sum2 << 16 | sum1);
  std::vector<u8> stored = data;
  for (u32 k = 0; k < 4; ++k) stored.push_back(static_cast<u8>(fletcher32(data) >> (8 * k)));
  const ChunkFilter checksum[] = {ChunkFilter::fletcher32};
  EXPECT_EQ(decode_chunk(stored, checksum, 0, 7, 1), data);
  EXPECT_EQ(decode_chunk(stored, checksum, 0, 8, 1), std::nullopt);
  EXPECT_EQ(decode_chunk(stored, checksum, 1, 11, 1), stored) << "a skipped filter is not undone";
  EXPECT_EQ(decode_chunk({}, checksum, 0, 0, 1), std::nullopt);
  for (size_t k = 0; k < stored.size(); ++k) {
    std::vector<u8> bad = stored;
    bad[k] ^= 0x40;
    EXPECT_EQ(decode_chunk(bad, checksum, 0, 7, 1), std::nullopt) << k;
  }
  const ChunkFilter packed[] = {ChunkFilter::deflate};
  EXPECT_EQ(decode_chunk(data, packed, 0, 7, 1), std::nullopt);
}

}  // namespace
}  // namespace simfarm::farm
