#include "farm/hdf5_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "farm/chunk.h"
#include "farm/tensor_file.h"

namespace simfarm::farm::hdf5 {
namespace {

constexpr std::string_view accepted_types =
    "accepted are int8, uint8, int16, uint16, int32, uint32, float32, int64, uint64, little-endian";
/// Far above what a case needs; every one is looked at.
constexpr u64 max_chunks = 1u << 16;
constexpr int max_filters = 8;

/// "a 64-bit float", for a type that is refused.
std::string describe_type(hid_t type) {
  const size_t bits = H5Tget_size(type) * 8;
  const std::string order = H5Tget_order(type) == H5T_ORDER_BE ? "big-endian " : "";
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return fmt::format("a {}{}-bit integer", order, bits);
    case H5T_FLOAT:
      return fmt::format("a {}{}-bit float", order, bits);
    case H5T_STRING:
      return "a string";
    case H5T_ENUM:
      return "an enumeration (numpy's bool is one)";
    case H5T_COMPOUND:
      return "a compound";
    default:
      return "no number";
  }
}

/// Chunks of a dataset: a grid of boxes, the last ones hanging over the edge.
struct Grid {
  std::vector<u64> box;     ///< elements of a chunk, by dimension
  std::vector<u64> across;  ///< chunks, by dimension
  u64 chunks = 1;

  /// Where chunk `number` begins.
  std::vector<hsize_t> origin(u64 number) const {
    std::vector<hsize_t> at(box.size());
    for (size_t k = box.size(); k-- > 0; number /= across[k]) at[k] = number % across[k] * box[k];
    return at;
  }
};

/// Copies a chunk's part that is inside the tensor, a row of the last dimension at a time.
void place_chunk(Tensor& tensor, const Grid& grid, const std::vector<hsize_t>& origin,
                 const std::vector<u8>& chunk) {
  const size_t last = tensor.shape.size() - 1;
  const u64 size = element_bytes(tensor.dtype);
  const u64 row = std::min<u64>(grid.box[last], tensor.shape[last] - origin[last]) * size;
  u64 rows = 1;
  for (size_t k = 0; k < last; ++k) rows *= grid.box[k];
  for (u64 number = 0; number < rows; ++number) {
    // From the innermost outer dimension outwards: where this row begins in the tensor.
    u64 rest = number, offset = origin[last], scale = tensor.shape[last];
    bool inside = true;
    for (size_t k = last; k-- > 0; rest /= grid.box[k]) {
      const u64 at = origin[k] + rest % grid.box[k];
      inside &= at < tensor.shape[k];
      offset += at * scale;
      scale *= tensor.shape[k];
    }
    if (inside)
      std::memcpy(&tensor.bytes[offset * size], &chunk[number * grid.box[last] * size], row);
  }
}

class Reader {
 public:
  Reader(const Handle& dataset, std::span<const u8> file, DatasetRules rules)
      : dataset_(dataset),
        file_(file),
        rules_(std::move(rules)),
        creation_(H5Dget_create_plist(dataset.get()), H5Pclose) {}

  Result<Tensor> read() {
    if (!creation_) return refuse("storage cannot be read");
    if (const auto typed = read_type(); !typed) return typed.error();
    if (const auto shaped = read_shape(); !shaped) return shaped.error();
    if (const auto fine = check_storage(); !fine) return fine.error();
    const Result<bool> whole = layout_ == H5D_CHUNKED ? read_chunks() : read_contiguous();
    if (!whole) return whole.error();
    if (!*whole) {
      if (rules_.needs_data) return refuse("declared, but (some of) its data was never written");
      tensor_.bytes.clear();
    }
    return std::move(tensor_);
  }

 private:
  Error refuse(std::string_view why) const {
    return input_error(fmt::format("{}: {}", rules_.where, why));
  }

  Result<void> read_type() {
    const Handle type(H5Dget_type(dataset_.get()), H5Tclose);
    if (!type) return refuse("type cannot be read");
    for (u32 k = 1; k <= dtype_count; ++k) {
      tensor_.dtype = static_cast<DType>(k);
      if (H5Tequal(type.get(), file_type(tensor_.dtype)) > 0) return {};
    }
    return refuse(fmt::format("holds {}; {}", describe_type(type.get()), accepted_types));
  }

  Result<void> read_shape() {
    const Handle space(H5Dget_space(dataset_.get()), H5Sclose);
    if (!space || H5Sget_simple_extent_type(space.get()) == H5S_NO_CLASS)
      return refuse("shape cannot be read");
    const int rank = H5Sget_simple_extent_ndims(space.get());
    if (H5Sget_simple_extent_type(space.get()) != H5S_SIMPLE || rank < 1 ||
        rank > static_cast<int>(max_rank))
      return refuse(fmt::format("rank is {}, 1 to {} are accepted", std::max(rank, 0), max_rank));
    hsize_t sizes[max_rank];
    if (H5Sget_simple_extent_dims(space.get(), sizes, nullptr) != rank)
      return refuse("shape cannot be read");
    u64 bytes = element_bytes(tensor_.dtype);
    for (int k = 0; k < rank; ++k) {
      if (sizes[k] == 0) return refuse(fmt::format("dimension {} is 0", k));
      if (sizes[k] > max_case_bytes / bytes)
        return refuse(fmt::format("larger than {} bytes", max_case_bytes));
      bytes *= sizes[k];
      tensor_.shape.push_back(static_cast<u32>(sizes[k]));
    }
    if (bytes > rules_.most_bytes)
      return refuse(
          fmt::format("the file's tensors are larger than {} bytes together", max_case_bytes));
    return {};
  }

  /// Storage inside the file, by filters that every HDF5 has.
  Result<void> check_storage() {
    layout_ = H5Pget_layout(creation_.get());
    if (layout_ != H5D_COMPACT && layout_ != H5D_CONTIGUOUS && layout_ != H5D_CHUNKED)
      return refuse("is a virtual dataset; only data in the file itself is accepted");
    if (H5Pget_external_count(creation_.get()) != 0)
      return refuse("keeps its data in external files; only data in the file itself is accepted");
    const int filters = H5Pget_nfilters(creation_.get());
    if (filters < 0 || filters > max_filters) return refuse("filters cannot be read");
    for (int k = 0; k < filters; ++k) {
      unsigned flags = 0, config = 0;
      size_t values = 0;
      const H5Z_filter_t filter = H5Pget_filter2(creation_.get(), static_cast<unsigned>(k), &flags,
                                                 &values, nullptr, 0, nullptr, &config);
      if (filter == H5Z_FILTER_DEFLATE)
        filters_.push_back(ChunkFilter::deflate);
      else if (filter == H5Z_FILTER_SHUFFLE)
        filters_.push_back(ChunkFilter::shuffle);
      else if (filter == H5Z_FILTER_FLETCHER32)
        filters_.push_back(ChunkFilter::fletcher32);
      else
        return refuse(
            fmt::format("uses filter {}; accepted are deflate (gzip), shuffle and fletcher32",
                        static_cast<int>(filter)));
    }
    return {};
  }

  /// Data in one piece. False: never written.
  Result<bool> read_contiguous() {
    H5D_space_status_t status;
    if (H5Dget_space_status(dataset_.get(), &status) < 0) return refuse("storage cannot be read");
    if (status != H5D_SPACE_STATUS_ALLOCATED) return false;
    const u64 bytes = tensor_.size_bytes();
    if (H5Dget_storage_size(dataset_.get()) != bytes)
      return refuse("its data is not inside the file");
    if (layout_ == H5D_COMPACT) {
      // Inside the object's header, which HDF5 has read already.
      tensor_.bytes.resize(bytes);
      if (H5Dread(dataset_.get(), file_type(tensor_.dtype), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                  tensor_.bytes.data()) < 0)
        return refuse("data cannot be read");
      return true;
    }
    const haddr_t offset = H5Dget_offset(dataset_.get());
    if (offset > file_.size() || bytes > file_.size() - offset)
      return refuse("its data is not inside the file");
    const auto data = file_.subspan(offset, bytes);
    tensor_.bytes.assign(data.begin(), data.end());
    return true;
  }

  Result<Grid> read_grid() const {
    const size_t rank = tensor_.shape.size();
    hsize_t box[max_rank] = {};
    if (H5Pget_chunk(creation_.get(), max_rank, box) != static_cast<int>(rank))
      return refuse("chunks cannot be read");
    Grid grid;
    u64 bytes = element_bytes(tensor_.dtype);
    for (size_t k = 0; k < rank; ++k) {
      if (box[k] == 0 || box[k] > max_case_bytes / bytes)
        return refuse(fmt::format("chunks are larger than {} bytes", max_case_bytes));
      bytes *= box[k];
      grid.box.push_back(box[k]);
      grid.across.push_back((tensor_.shape[k] + box[k] - 1) / box[k]);
      grid.chunks *= grid.across[k];
    }
    if (grid.chunks > max_chunks)
      return refuse(fmt::format("{} chunks, at most {} are accepted", grid.chunks, max_chunks));
    return grid;
  }

  /// Data in chunks. False: some were never written.
  Result<bool> read_chunks() {
    const Result<Grid> grid = read_grid();
    if (!grid) return grid.error();
    u64 chunk_bytes = element_bytes(tensor_.dtype);
    for (const u64 size : grid->box) chunk_bytes *= size;
    tensor_.bytes.resize(tensor_.size_bytes());
    for (u64 number = 0; number < grid->chunks; ++number) {
      const std::vector<hsize_t> origin = grid->origin(number);
      unsigned skipped = 0;
      haddr_t address = HADDR_UNDEF;
      hsize_t size = 0;
      if (H5Dget_chunk_info_by_coord(dataset_.get(), origin.data(), &skipped, &address, &size) < 0)
        return refuse(fmt::format("chunk {} cannot be read", number));
      if (address == HADDR_UNDEF) return false;
      if (address > file_.size() || size > file_.size() - address)
        return refuse(fmt::format("chunk {} is not inside the file", number));
      const auto chunk = decode_chunk(file_.subspan(address, size), filters_, skipped, chunk_bytes,
                                      element_bytes(tensor_.dtype));
      if (!chunk) return refuse(fmt::format("chunk {} is damaged", number));
      place_chunk(tensor_, *grid, origin, *chunk);
    }
    return true;
  }

  const Handle& dataset_;
  std::span<const u8> file_;
  DatasetRules rules_;
  Handle creation_;
  H5D_layout_t layout_ = H5D_LAYOUT_ERROR;
  std::vector<ChunkFilter> filters_;
  Tensor tensor_;
};

}  // namespace

hid_t file_type(DType type) {
  switch (type) {
    case DType::int8:
      return H5T_STD_I8LE;
    case DType::uint8:
      return H5T_STD_U8LE;
    case DType::int16:
      return H5T_STD_I16LE;
    case DType::uint16:
      return H5T_STD_U16LE;
    case DType::int32:
      return H5T_STD_I32LE;
    case DType::uint32:
      return H5T_STD_U32LE;
    case DType::float32:
      return H5T_IEEE_F32LE;
    case DType::int64:
      return H5T_STD_I64LE;
    case DType::uint64:
      return H5T_STD_U64LE;
  }
  return -1;
}

Result<Tensor> read_dataset(const Handle& dataset, std::span<const u8> file, DatasetRules rules) {
  return Reader(dataset, file, std::move(rules)).read();
}

}  // namespace simfarm::farm::hdf5
