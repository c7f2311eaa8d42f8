// Cases as HDF5 files: the only includer of HDF5. A file is hostile until parsed; what is accepted
// is small and exact, so that somebody with h5py and docs/tasks.md can write one without our code.
//
//   /inputs/<tensor>     what the kernel is given
//   /expected/<tensor>   what it must leave behind
//   /outputs/<tensor>    what it left behind, or only the type and shape of what it will leave
//   /reference/<tensor>  what an output should be near to, in real numbers
//   root attributes      integer scalars: the kernel's parameters
#pragma once
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "farm/tensor.h"

namespace simfarm::farm {

/// A case file's contents; tensors in order of name.
struct TensorFile {
  std::vector<Tensor> inputs;
  std::vector<Tensor> expected;
  std::vector<Tensor> outputs;  ///< `bytes` empty for datasets that were declared but never written
  std::vector<Tensor> reference = {};
  std::map<std::string, i64> attributes;
  std::set<std::string>
      other_attributes;  ///< present, but no integer scalar: nobody may ask for them
};

/// Bytes of a case file, and of all its tensors together once read.
inline constexpr u64 max_case_bytes = u64{1} << 30;

/// Parses a file's bytes. Refused, with the object's path in the message: links that are not hard
/// links, objects other than the above, types that are not exactly one of DType in little-endian,
/// rank 0 or above 4, empty dimensions, external and virtual storage, filters other than shuffle,
/// deflate and fletcher32, datasets without data, and sizes above the caps.
Result<TensorFile> parse_tensor_file(std::span<const u8> bytes, const std::string& file_name);

/// The same from a path.
Result<TensorFile> read_tensor_file(const std::string& path);

/// Writes a file with those contents, at once or not at all (base/file.h); equal contents give
/// equal bytes (no times, no names of hosts). `other_attributes` are not written. `deflate`: large
/// tensors are compressed, as well as that goes.
Result<void> write_tensor_file(const std::string& path, const TensorFile& file,
                               bool deflate = false);

}  // namespace simfarm::farm
