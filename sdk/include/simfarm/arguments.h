// The argument block: where the tensors of a run lie and what shape they have (docs/machine.md,
// "Start"). It is at the top of every PE's local memory and may be read like any local data.
#ifndef SIMFARM_ARGUMENTS_H
#define SIMFARM_ARGUMENTS_H

#include "simfarm/base.h"

enum {
  SF_INT8 = 1,
  SF_UINT8,
  SF_INT16,
  SF_UINT16,
  SF_INT32,
  SF_UINT32,
  SF_FLOAT32,  ///< as bits
  SF_INT64,
  SF_UINT64
};

/// One tensor in OCM or DRAM. Entries beyond `rank` are zero.
typedef struct sf_tensor {
  uint32_t address;
  uint32_t bytes;
  uint32_t type;       ///< SF_INT8 ...
  uint32_t rank;       ///< 0..4
  uint32_t shape[4];   ///< elements
  uint32_t stride[4];  ///< bytes
} sf_tensor;

typedef struct sf_arguments {
  uint32_t version;  ///< 1
  uint32_t tensors;
  uint32_t params;
  uint32_t bytes;  ///< of the whole block
} sf_arguments;

SF_STATIC_ASSERT(sizeof(sf_tensor) == 48, "layout of docs/machine.md");
SF_STATIC_ASSERT(sizeof(sf_arguments) == 16, "layout of docs/machine.md");

/// Tensor `index`, in the order of the task file.
SF_INLINE const sf_tensor* sf_tensor_at(const sf_arguments* arguments, uint32_t index) {
  return (const sf_tensor*)(const void*)(arguments + 1) + index;
}

/// Parameter `index`, in the order of the task file.
SF_INLINE int32_t sf_param(const sf_arguments* arguments, uint32_t index) {
  const sf_tensor* end = sf_tensor_at(arguments, arguments->tensors);
  return ((const int32_t*)(const void*)end)[index];
}

// The kernel's entry, called once on every PE; its result is the PE's exit code. A freestanding C++
// compiler mangles main, so it needs C linkage there: SF_MAIN(arguments) { ... } suits both.
#ifdef __cplusplus
#define SF_MAIN(name) extern "C" int main(const sf_arguments* name)
#else
#define SF_MAIN(name) int main(const sf_arguments* name)
#endif

#endif
