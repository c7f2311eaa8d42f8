// Writing cases. Format "latest": its metadata is checksummed, so damage is found at open (of the
// default format's files with one flipped bit, 15 in 100 pass unnoticed). Times are off: equal
// contents give equal bytes. Through a file, not an image in memory: HDF5 1.10 clears a flag under
// the image's checksum, and nobody can open it.
#include <algorithm>

#include "base/file.h"
#include "farm/hdf5_dataset.h"
#include "farm/hdf5_handle.h"
#include "farm/tensor_file.h"

namespace simfarm::farm {

using hdf5::Handle;

namespace {

Error failed(const std::string& what) {
  return {Error::Kind::internal, "HDF5 refused to write " + what};
}

/// A creation property list of that class without times.
Handle timeless(hid_t list_class) {
  Handle list(H5Pcreate(list_class), H5Pclose);
  if (list && H5Pset_obj_track_times(list.get(), false) < 0) return {};
  return list;
}

/// The same, of a group or the file: however many entries and attributes it has, they lie in its
/// header, which has a checksum. Where HDF5 puts more than eight of them by itself there is none,
/// and its reader goes astray when that is damaged.
Handle in_header(hid_t list_class) {
  Handle list = timeless(list_class);
  if (!list || H5Pset_link_phase_change(list.get(), max_tensors, 0) < 0 ||
      H5Pset_attr_phase_change(list.get(), max_params, 0) < 0)
    return {};
  return list;
}

/// Pieces of whole rows, about a mebibyte each.
bool compress(const Handle& creation, const Tensor& tensor) {
  constexpr u64 piece = u64{1} << 20;
  std::vector<hsize_t> sizes(tensor.shape.begin(), tensor.shape.end());
  const u64 row = std::max<u64>(1, tensor.size_bytes() / sizes[0]);
  sizes[0] = std::clamp<u64>(piece / row, 1, sizes[0]);
  return H5Pset_chunk(creation.get(), static_cast<int>(sizes.size()), sizes.data()) >= 0 &&
         H5Pset_shuffle(creation.get()) >= 0 && H5Pset_deflate(creation.get(), 9) >= 0;
}

Result<void> write_tensor(const Handle& group, const Tensor& tensor, bool deflate) {
  constexpr u64 worth_it = 1024;  // bytes
  std::vector<hsize_t> sizes(tensor.shape.begin(), tensor.shape.end());
  const Handle space(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr),
                     H5Sclose);
  const Handle creation = timeless(H5P_DATASET_CREATE);
  if (!space || !creation) return failed(tensor.name);
  if (deflate && tensor.size_bytes() >= worth_it && !compress(creation, tensor))
    return failed(tensor.name);
  const hid_t type = hdf5::file_type(tensor.dtype);
  Handle dataset(H5Dcreate2(group.get(), tensor.name.c_str(), type, space.get(), H5P_DEFAULT,
                            creation.get(), H5P_DEFAULT),
                 H5Dclose);
  if (!dataset) return failed(tensor.name);
  if (!tensor.bytes.empty()) {
    check(tensor.bytes.size() == tensor.size_bytes(), "a tensor's bytes fit its shape");
    if (H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, tensor.bytes.data()) < 0)
      return failed(tensor.name);
  }
  if (!dataset.close()) return failed(tensor.name);
  return {};
}

Result<void> write_group(const Handle& file, const char* name, std::vector<Tensor> tensors,
                         bool deflate) {
  if (tensors.empty()) return {};
  std::sort(tensors.begin(), tensors.end(),
            [](const Tensor& a, const Tensor& b) { return a.name < b.name; });
  const Handle creation = in_header(H5P_GROUP_CREATE);
  if (!creation) return failed(name);
  Handle group(H5Gcreate2(file.get(), name, H5P_DEFAULT, creation.get(), H5P_DEFAULT), H5Gclose);
  if (!group) return failed(name);
  for (const Tensor& tensor : tensors)
    if (const Result<void> written = write_tensor(group, tensor, deflate); !written)
      return written.error();
  if (!group.close()) return failed(name);
  return {};
}

Result<void> write_attribute(const Handle& file, const std::string& name, i64 value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  if (!space) return failed(name);
  Handle attribute(
      H5Acreate2(file.get(), name.c_str(), H5T_STD_I64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  if (!attribute || H5Awrite(attribute.get(), H5T_NATIVE_INT64, &value) < 0 || !attribute.close())
    return failed(name);
  return {};
}

/// Writes the whole file, over one that exists.
Result<void> write_hdf5(const std::string& path, const TensorFile& file, bool deflate) {
  const hdf5::Quiet quiet;
  const Handle creation = in_header(H5P_FILE_CREATE);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (!creation || !access ||
      H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) < 0)
    return failed("a file");
  Handle out(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), H5Fclose);
  if (!out) return failed("a file");
  for (const auto& [name, value] : file.attributes)
    if (const auto written = write_attribute(out, name, value); !written) return written.error();
  const std::pair<const char*, const std::vector<Tensor>*> groups[] = {
      {"inputs", &file.inputs},
      {"expected", &file.expected},
      {"outputs", &file.outputs},
      {"reference", &file.reference}};
  for (const auto& [name, tensors] : groups)
    if (const auto written = write_group(out, name, *tensors, deflate); !written)
      return written.error();
  if (!out.close()) return failed("a file");
  return {};
}

}  // namespace

Result<void> write_tensor_file(const std::string& path, const TensorFile& file, bool deflate) {
  Result<PendingFile> pending = PendingFile::create(path);
  if (!pending) return pending.error();
  if (const Result<void> written = write_hdf5(pending->temporary(), file, deflate); !written)
    return Error{written.error().kind, path + ": " + written.error().message};
  return pending->commit();
}

}  // namespace simfarm::farm
