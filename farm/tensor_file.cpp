#include "farm/tensor_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "farm/hdf5_handle.h"

namespace simfarm::farm {

using hdf5::Handle;

namespace hdf5 {

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

}  // namespace hdf5

namespace {

constexpr std::string_view accepted_types =
    "accepted are int8, uint8, int16, uint16, int32, uint32, float32, int64, uint64, little-endian";

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

/// Reads one file; every refusal names the file and the object.
class Reader {
 public:
  explicit Reader(std::string file_name) : file_name_(std::move(file_name)) {}

  Result<TensorFile> read(std::span<const u8> bytes) {
    file_bytes_ = bytes.size();
    if (!open(bytes)) return refuse("/", "not a readable HDF5 file");
    TensorFile result;
    Result<std::vector<std::string>> groups = links(root_, "/");
    if (!groups) return groups.error();
    for (const std::string& group : *groups) {
      std::vector<Tensor>* tensors = group == "inputs"     ? &result.inputs
                                     : group == "expected" ? &result.expected
                                     : group == "outputs"  ? &result.outputs
                                                           : nullptr;
      const std::string path = "/" + group;
      if (tensors == nullptr)
        return refuse(path, "unknown; a case has the groups /inputs, /expected, /outputs only");
      const Result<void> read = read_group(path, group != "outputs", *tensors);
      if (!read) return read.error();
    }
    const Result<void> attributes = read_attributes(result);
    if (!attributes) return attributes.error();
    return result;
  }

 private:
  Error refuse(std::string_view object, std::string_view why) const {
    return input_error(fmt::format("{}: {}: {}", file_name_, object, why));
  }

  /// Opens the bytes as a file in memory: no driver that the file names can reach for another file.
  bool open(std::span<const u8> bytes) {
    // HDF5 would search a signature at later offsets too; a case starts with it.
    static constexpr u8 signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    if (bytes.size() < sizeof signature || !std::equal(signature, signature + 8, bytes.begin()))
      return false;
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    if (!access || H5Pset_fapl_core(access.get(), 1u << 16, 0) < 0) return false;
    // The image is copied by HDF5; the cast is its interface's.
    if (H5Pset_file_image(access.get(), const_cast<u8*>(bytes.data()), bytes.size()) < 0)
      return false;
    file_ = Handle(H5Fopen("case", H5F_ACC_RDONLY, access.get()), H5Fclose);
    if (file_) root_ = Handle(H5Gopen2(file_.get(), "/", H5P_DEFAULT), H5Gclose);
    return static_cast<bool>(root_);
  }

  /// The names in a group, sorted; only hard links are accepted, so nothing points elsewhere.
  Result<std::vector<std::string>> links(const Handle& group, const std::string& path) const {
    H5G_info_t info;
    if (H5Gget_info(group.get(), &info) < 0) return refuse(path, "group cannot be read");
    if (info.nlinks > max_tensors)
      return refuse(path,
                    fmt::format("{} entries, at most {} are accepted", info.nlinks, max_tensors));
    std::vector<std::string> names;
    for (hsize_t k = 0; k < info.nlinks; ++k) {
      char text[65] = {};
      const ssize_t length = H5Lget_name_by_idx(group.get(), ".", H5_INDEX_NAME, H5_ITER_INC, k,
                                                text, sizeof text, H5P_DEFAULT);
      if (length < 0) return refuse(path, fmt::format("entry {} cannot be read", k));
      if (!is_identifier(text) || length > 63)
        return refuse(path, fmt::format("entry {}: a name must be a C identifier of at most 63 "
                                        "characters",
                                        k));
      H5L_info_t link;
      if (H5Lget_info(group.get(), text, &link, H5P_DEFAULT) < 0)
        return refuse(path, fmt::format("link {} cannot be read", text));
      if (link.type != H5L_TYPE_HARD)
        return refuse(path,
                      fmt::format("{} is a soft or external link; only data in the file itself "
                                  "is accepted",
                                  text));
      names.emplace_back(text);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  Result<void> read_group(const std::string& path, bool needs_data, std::vector<Tensor>& tensors) {
    const Handle object(H5Oopen(file_.get(), path.c_str(), H5P_DEFAULT), H5Oclose);
    if (!object) return refuse(path, "cannot be opened");
    if (H5Iget_type(object.get()) != H5I_GROUP) return refuse(path, "must be a group");
    Result<std::vector<std::string>> names = links(object, path);
    if (!names) return names.error();
    for (const std::string& name : *names) {
      Result<Tensor> tensor = read_tensor(path + "/" + name, needs_data);
      if (!tensor) return tensor.error();
      tensor->name = name;
      tensors.push_back(std::move(*tensor));
    }
    return {};
  }

  Result<Tensor> read_tensor(const std::string& path, bool needs_data) {
    const Handle object(H5Oopen(file_.get(), path.c_str(), H5P_DEFAULT), H5Oclose);
    if (!object) return refuse(path, "cannot be opened");
    if (H5Iget_type(object.get()) != H5I_DATASET) return refuse(path, "must be a dataset");
    Tensor tensor;
    if (const Result<void> typed = read_type(path, object, tensor); !typed) return typed.error();
    if (const Result<void> shaped = read_shape(path, object, tensor); !shaped)
      return shaped.error();
    if (const Result<void> stored = check_storage(path, object); !stored) return stored.error();
    const Result<bool> complete = has_all_data(path, object, tensor);
    if (!complete) return complete.error();
    if (!*complete) {
      if (needs_data) return refuse(path, "declared, but (some of) its data was never written");
      return tensor;
    }
    if (tensor.size_bytes() > max_case_bytes - bytes_read_)
      return refuse(path, fmt::format("the file's tensors are larger than {} bytes together",
                                      max_case_bytes));
    bytes_read_ += tensor.size_bytes();
    tensor.bytes.resize(tensor.size_bytes());
    if (H5Dread(object.get(), hdf5::file_type(tensor.dtype), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                tensor.bytes.data()) < 0)
      return refuse(path, "data cannot be read: damaged or wrongly compressed");
    return tensor;
  }

  Result<void> read_type(const std::string& path, const Handle& dataset, Tensor& tensor) const {
    const Handle type(H5Dget_type(dataset.get()), H5Tclose);
    if (!type) return refuse(path, "type cannot be read");
    for (u32 k = 1; k <= dtype_count; ++k) {
      tensor.dtype = static_cast<DType>(k);
      if (H5Tequal(type.get(), hdf5::file_type(tensor.dtype)) > 0) return {};
    }
    return refuse(path, fmt::format("holds {}; {}", describe_type(type.get()), accepted_types));
  }

  Result<void> read_shape(const std::string& path, const Handle& dataset, Tensor& tensor) const {
    const Handle space(H5Dget_space(dataset.get()), H5Sclose);
    if (!space || H5Sget_simple_extent_type(space.get()) == H5S_NO_CLASS)
      return refuse(path, "shape cannot be read");
    const int rank = H5Sget_simple_extent_ndims(space.get());
    if (H5Sget_simple_extent_type(space.get()) != H5S_SIMPLE || rank < 1 ||
        rank > static_cast<int>(max_rank))
      return refuse(path,
                    fmt::format("rank is {}, 1 to {} are accepted", std::max(rank, 0), max_rank));
    hsize_t sizes[max_rank];
    if (H5Sget_simple_extent_dims(space.get(), sizes, nullptr) != rank)
      return refuse(path, "shape cannot be read");
    u64 bytes = element_bytes(tensor.dtype);
    for (int k = 0; k < rank; ++k) {
      if (sizes[k] == 0) return refuse(path, fmt::format("dimension {} is 0", k));
      if (sizes[k] > max_case_bytes / bytes)
        return refuse(path, fmt::format("larger than {} bytes", max_case_bytes));
      bytes *= sizes[k];
      tensor.shape.push_back(static_cast<u32>(sizes[k]));
    }
    return {};
  }

  /// Storage inside the file, by filters that every HDF5 has, in chunks that are no larger than a
  /// case.
  Result<void> check_storage(const std::string& path, const Handle& dataset) const {
    const Handle creation(H5Dget_create_plist(dataset.get()), H5Pclose);
    if (!creation) return refuse(path, "storage cannot be read");
    const H5D_layout_t layout = H5Pget_layout(creation.get());
    if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
      return refuse(path, "is a virtual dataset; only data in the file itself is accepted");
    if (H5Pget_external_count(creation.get()) != 0)
      return refuse(path,
                    "keeps its data in external files; only data in the file itself is accepted");
    if (layout == H5D_CHUNKED) {
      hsize_t chunk[max_rank] = {};
      const int rank = H5Pget_chunk(creation.get(), max_rank, chunk);
      u64 elements = 1;
      for (int k = 0; k < rank && k < static_cast<int>(max_rank); ++k) {
        if (chunk[k] == 0 || chunk[k] > max_case_bytes / 8 / elements)
          return refuse(path, fmt::format("chunks are larger than {} bytes", max_case_bytes));
        elements *= chunk[k];
      }
      if (rank < 1) return refuse(path, "chunk shape cannot be read");
    }
    const int filters = H5Pget_nfilters(creation.get());
    if (filters < 0) return refuse(path, "filters cannot be read");
    for (int k = 0; k < filters; ++k) {
      unsigned flags = 0, config = 0;
      size_t values = 0;
      const H5Z_filter_t filter = H5Pget_filter2(creation.get(), static_cast<unsigned>(k), &flags,
                                                 &values, nullptr, 0, nullptr, &config);
      if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
          filter != H5Z_FILTER_FLETCHER32)
        return refuse(path, fmt::format("uses filter {}; accepted are deflate (gzip), shuffle and "
                                        "fletcher32",
                                        static_cast<int>(filter)));
    }
    return {};
  }

  /// Whether every element was written. HDF5's own answer compares sizes and calls every compressed
  /// dataset incomplete, so chunks are counted.
  Result<bool> has_all_data(const std::string& path, const Handle& dataset,
                            const Tensor& tensor) const {
    H5D_space_status_t status;
    if (H5Dget_space_status(dataset.get(), &status) < 0)
      return refuse(path, "storage cannot be read");
    const Handle creation(H5Dget_create_plist(dataset.get()), H5Pclose);
    const H5D_layout_t layout = H5Pget_layout(creation.get());
    if (layout != H5D_CHUNKED && status == H5D_SPACE_STATUS_ALLOCATED) {
      // HDF5 1.10 does not check this itself, and reads outside its buffers.
      const haddr_t offset = layout == H5D_CONTIGUOUS ? H5Dget_offset(dataset.get()) : 0;
      if (H5Dget_storage_size(dataset.get()) != tensor.size_bytes() || offset > file_bytes_ ||
          tensor.size_bytes() > file_bytes_ - offset)
        return refuse(path, "its data is not inside the file");
    }
    if (layout != H5D_CHUNKED || status == H5D_SPACE_STATUS_NOT_ALLOCATED)
      return status == H5D_SPACE_STATUS_ALLOCATED;
    const Handle space(H5Dget_space(dataset.get()), H5Sclose);
    hsize_t chunk[max_rank] = {};
    hsize_t stored = 0;
    if (H5Pget_chunk(creation.get(), max_rank, chunk) != static_cast<int>(tensor.shape.size()) ||
        H5Dget_num_chunks(dataset.get(), space.get(), &stored) < 0)
      return refuse(path, "chunks cannot be read");
    u64 chunks = 1;
    for (size_t k = 0; k < tensor.shape.size(); ++k)
      chunks *= (tensor.shape[k] + chunk[k] - 1) / chunk[k];
    return stored == chunks;
  }

  Result<void> read_attributes(TensorFile& result) const {
    const int count = H5Aget_num_attrs(root_.get());
    if (count < 0) return refuse("/", "attributes cannot be read");
    if (count > static_cast<int>(max_params))
      return refuse("/", fmt::format("{} attributes, at most {} are accepted", count, max_params));
    for (int k = 0; k < count; ++k) {
      const Handle attribute(H5Aopen_by_idx(root_.get(), ".", H5_INDEX_NAME, H5_ITER_INC,
                                            static_cast<hsize_t>(k), H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
      char name[65] = {};
      if (!attribute || H5Aget_name(attribute.get(), sizeof name, name) < 0)
        return refuse("/", fmt::format("attribute {} cannot be read", k));
      const Handle space(H5Aget_space(attribute.get()), H5Sclose);
      const Handle type(H5Aget_type(attribute.get()), H5Tclose);
      if (!space || !type) return refuse("/", fmt::format("attribute {} cannot be read", name));
      i64 value = 0;
      if (H5Tget_class(type.get()) != H5T_INTEGER || H5Tget_size(type.get()) > 8 ||
          H5Sget_simple_extent_type(space.get()) != H5S_SCALAR || !is_identifier(name)) {
        result.other_attributes.insert(name);
      } else if (H5Aread(attribute.get(), H5T_NATIVE_INT64, &value) < 0) {
        return refuse("/", fmt::format("attribute {} cannot be read", name));
      } else {
        // An unsigned 64-bit value above 2^63 - 1 is clamped by HDF5: out of every parameter's
        // range.
        result.attributes.emplace(name, value);
      }
    }
    return {};
  }

  std::string file_name_;
  Handle file_;
  Handle root_;
  u64 file_bytes_ = 0;
  u64 bytes_read_ = 0;  ///< of tensors
};

}  // namespace

Result<TensorFile> parse_tensor_file(std::span<const u8> bytes, const std::string& file_name) {
  const hdf5::Quiet quiet;
  return Reader(file_name).read(bytes);
}

Result<TensorFile> read_tensor_file(const std::string& path) {
  Result<std::vector<u8>> bytes = read_file(path, max_case_bytes);
  if (!bytes) return bytes.error();
  return parse_tensor_file(*bytes, path);
}

}  // namespace simfarm::farm
