// Local memory as descriptors are read from it: a few bytes here and there, so that an engine that
// does not keep it as one run of bytes need not copy it.
#pragma once
#include <span>
#include <vector>

#include "base/result.h"
#include "dma/descriptor.h"

namespace simfarm::dma {

class LocalBytes {
 public:
  virtual ~LocalBytes() = default;
  /// Copies the bytes at `address`; all of them lie in local memory.
  virtual void read(u32 address, std::span<u8> bytes) const = 0;
};

/// What dma/descriptor.h and dma/indices.h say of the same names.
Result<std::vector<Descriptor>> parse_chain(u32 address, const LocalBytes& local,
                                            const Context& context);
Result<std::vector<i32>> read_indices(const Descriptor& descriptor, const LocalBytes& local,
                                      const Context& context);

/// Local memory that is one run of bytes.
class LinearBytes final : public LocalBytes {
 public:
  /// `local` is the whole of it, offset 0 first.
  LinearBytes(std::span<const u8> local, const AddressMap& map);
  void read(u32 address, std::span<u8> bytes) const override;

 private:
  std::span<const u8> local_;
  u32 base_;
};

}  // namespace simfarm::dma
