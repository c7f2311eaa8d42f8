#include "farm/tensor_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "farm/hdf5_dataset.h"
#include "farm/hdf5_handle.h"

namespace simfarm::farm {

using hdf5::Handle;

namespace {

/// Reads one file; every refusal names the file and the object.
class Reader {
 public:
  explicit Reader(std::string file_name) : file_name_(std::move(file_name)) {}

  Result<TensorFile> read(std::span<const u8> bytes) {
    bytes_ = bytes;
    if (!open(bytes)) return refuse("/", "not a readable HDF5 file");
    TensorFile result;
    Result<std::vector<std::string>> groups = links(root_, "/");
    if (!groups) return groups.error();
    for (const std::string& group : *groups) {
      std::vector<Tensor>* tensors = group == "inputs"      ? &result.inputs
                                     : group == "expected"  ? &result.expected
                                     : group == "outputs"   ? &result.outputs
                                     : group == "reference" ? &result.reference
                                                            : nullptr;
      const std::string path = "/" + group;
      if (tensors == nullptr)
        return refuse(
            path, "unknown; a case has the groups /inputs, /expected, /outputs, /reference only");
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
      const std::string where = path + "/" + name;
      const Handle dataset(H5Oopen(file_.get(), where.c_str(), H5P_DEFAULT), H5Oclose);
      if (!dataset) return refuse(where, "cannot be opened");
      if (H5Iget_type(dataset.get()) != H5I_DATASET) return refuse(where, "must be a dataset");
      Result<Tensor> tensor = hdf5::read_dataset(
          dataset, bytes_, {fmt::format("{}: {}", file_name_, where), needs_data, bytes_left_});
      if (!tensor) return tensor.error();
      tensor->name = name;
      bytes_left_ -= tensor->bytes.size();
      tensors.push_back(std::move(*tensor));
    }
    return {};
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
  std::span<const u8> bytes_;
  u64 bytes_left_ = max_case_bytes;  ///< of tensors, before the file is too large
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
