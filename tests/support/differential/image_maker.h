// One image of a generated program: its code, and what lies in local memory before cycle 0.
#pragma once
#include <memory>

#include "dma/descriptor.h"
#include "tests/support/differential/blocks.h"

namespace simfarm::test {

/// Where things are in a local memory, for all PEs alike.
struct LocalLayout {
  explicit LocalLayout(const Machine& machine);

  u32 base, descriptors, indices, data, centre;  ///< addresses; `centre` of the scratch area
  u32 bytes;                                     ///< that the generator uses
};

class ImageMaker {
 public:
  ImageMaker(const Machine& machine, Random& random, const Style& style, PeId pe);
  ImageMaker(const ImageMaker&) = delete;
  ImageMaker& operator=(const ImageMaker&) = delete;

  /// A random legal descriptor with no acquire, in the program; none when there is no room.
  /// `everywhere`: every PE runs the image, so that a multicast must suit all of them.
  std::optional<dma::Descriptor> random_descriptor(bool everywhere);
  /// One that moves bytes between `shared` and a part of local memory that nothing else uses.
  std::optional<dma::Descriptor> private_copy(u32 shared, bool into_local);
  /// Room for a descriptor, and the bytes of one that has an address.
  std::optional<u32> descriptor_room();
  void put(const dma::Descriptor& descriptor);
  /// Descriptors with wrong bits now and then.
  void spoil_descriptor(u32 address);

  /// gp.dma of a descriptor; gp.wait.
  void queue(u32 descriptor);
  void wait(u32 semaphore, u32 amount);
  /// Loads or stores where DMA reads and writes.
  void touch_data();

  std::shared_ptr<const Image> image();

  Code code;
  Blocks blocks;
  LocalLayout layout;

 private:
  /// Rows whose padding may have to wait for the slot of a read that is beside it.
  dma::Descriptor padded_rows(u32 room);

  const Machine& machine_;
  Random& random_;
  PeId pe_;
  std::vector<u8> local_;
  u32 next_descriptor_;
  u32 next_index_;
  u32 next_private_;
};

}  // namespace simfarm::test
