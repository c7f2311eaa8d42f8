// One dataset of a case: its type, shape and storage held to the rules, its data taken out of the
// file's bytes. HDF5 says where they lie; the bytes themselves never pass through it.
#pragma once
#include <span>
#include <string>

#include "base/result.h"
#include "farm/hdf5_handle.h"
#include "farm/tensor.h"

namespace simfarm::farm::hdf5 {

/// The file type of a DType.
hid_t file_type(DType type);

struct DatasetRules {
  std::string where;       ///< begins every error: "case.h5: /inputs/a"
  bool needs_data = true;  ///< otherwise a dataset that was never written is only its shape
  u64 most_bytes = 0;      ///< that the tensor may have
};

/// Reads a dataset of the file whose bytes are `file`; the name is left to the caller.
Result<Tensor> read_dataset(const Handle& dataset, std::span<const u8> file, DatasetRules rules);

}  // namespace simfarm::farm::hdf5
