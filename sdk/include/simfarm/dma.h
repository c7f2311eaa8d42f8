// DMA descriptors: their layout (docs/machine.md, "Descriptors") and functions that fill them in.
//
// The functions are inline at every level and fold to constants; a descriptor that never changes
// can also be written as a static initialiser from the SF_DMA_* control bits.
#ifndef SIMFARM_DMA_H
#define SIMFARM_DMA_H

#include "simfarm/base.h"
#include "simfarm/sync.h"

// Control bits: operation.
#define SF_DMA_COPY 0u
#define SF_DMA_FILL 1u
#define SF_DMA_GATHER 2u
#define SF_DMA_SCATTER 3u
#define SF_DMA_ADD_I32 4u  ///< wrapping
#define SF_DMA_ADD_I8 5u   ///< saturating
// Control bits: the rest.
#define SF_DMA_DIMS(count) (((uint32_t)(count)-1u) << 4)  ///< 1..4
#define SF_DMA_ELEMENT_1 (0u << 6)
#define SF_DMA_ELEMENT_2 (1u << 6)
#define SF_DMA_ELEMENT_4 (2u << 6)
#define SF_DMA_ELEMENT_8 (3u << 6)
#define SF_DMA_MULTICAST (1u << 8)
#define SF_DMA_INCLUDE_SELF (1u << 9)
#define SF_DMA_EXTENDED (1u << 10)
#define SF_DMA_ACQUIRE(semaphore) (1u << 11 | (uint32_t)(semaphore) << 16)            ///< 0..15
#define SF_DMA_RELEASE(semaphore) (1u << 12 | (uint32_t)(semaphore) << 20)            ///< 0..7
#define SF_DMA_RELEASE_RECEIVERS(semaphore) (1u << 13 | (uint32_t)(semaphore) << 24)  ///< 8..15
#define SF_DMA_BOUNDS_TRAP (0u << 14)
#define SF_DMA_BOUNDS_SKIP (1u << 14)
#define SF_DMA_BOUNDS_FILL (2u << 14)

/// One transfer. Dimension 0 is the outermost; strides are bytes, and may be zero or negative.
typedef struct sf_descriptor {
  uint32_t control;
  uint32_t source;
  uint32_t destination;  ///< the local offset when multicast
  uint16_t next;         ///< local offset / 64 of the next descriptor; 0 ends the chain
  uint16_t acquire_amount;
  uint16_t sizes[4];  ///< elements
  int32_t source_strides[4];
  int32_t destination_strides[4];
  uint16_t release_amount;
  uint16_t receivers_amount;
  uint8_t rectangle[4];  ///< x0, y0, x1, y1: columns x, rows y, both ends inside
} __attribute__((aligned(64))) sf_descriptor;

/// A transfer with its second half: padding, a fill value, or an index list.
typedef struct sf_descriptor_pair {
  sf_descriptor first;     ///< with SF_DMA_EXTENDED
  uint16_t pad_before[4];  ///< elements
  uint16_t pad_after[4];
  uint32_t fill[2];  ///< the low element-size bytes; the rest zero
  uint32_t index_base;
  uint32_t index_count;  ///< equals sizes[0]
  int32_t index_stride;
  int32_t index_scale;
  uint32_t index_limit;
  uint32_t reserved[5];
} sf_descriptor_pair;

SF_STATIC_ASSERT(sizeof(sf_descriptor) == 64 && __alignof__(sf_descriptor) == 64, "one half");
SF_STATIC_ASSERT(sizeof(sf_descriptor_pair) == 128, "both halves");
#define SF_AT_(type, field, offset) SF_STATIC_ASSERT(offsetof(type, field) == offset, #field)
SF_AT_(sf_descriptor, source, 4);
SF_AT_(sf_descriptor, destination, 8);
SF_AT_(sf_descriptor, next, 12);
SF_AT_(sf_descriptor, acquire_amount, 14);
SF_AT_(sf_descriptor, sizes, 16);
SF_AT_(sf_descriptor, source_strides, 24);
SF_AT_(sf_descriptor, destination_strides, 40);
SF_AT_(sf_descriptor, release_amount, 56);
SF_AT_(sf_descriptor, receivers_amount, 58);
SF_AT_(sf_descriptor, rectangle, 60);
SF_AT_(sf_descriptor_pair, pad_before, 64);
SF_AT_(sf_descriptor_pair, pad_after, 72);
SF_AT_(sf_descriptor_pair, fill, 80);
SF_AT_(sf_descriptor_pair, index_base, 88);
SF_AT_(sf_descriptor_pair, index_count, 92);
SF_AT_(sf_descriptor_pair, index_stride, 96);
SF_AT_(sf_descriptor_pair, index_scale, 100);
SF_AT_(sf_descriptor_pair, index_limit, 104);
SF_AT_(sf_descriptor_pair, reserved, 108);
#undef SF_AT_

/// A transfer between two addresses that has no dimensions yet. `operation` is SF_DMA_COPY ...;
/// elements have 1, 2, 4 or 8 bytes. A fill's source is 0. (Field by field, because compilers turn
/// an initialiser of this size into a call of memset.)
SF_CONSTEXPR sf_descriptor sf_dma_make(uint32_t operation, uint32_t element_bytes,
                                       uint32_t destination, uint32_t source) {
  sf_descriptor d;
  d.control = operation | (element_bytes == 1   ? SF_DMA_ELEMENT_1
                           : element_bytes == 2 ? SF_DMA_ELEMENT_2
                           : element_bytes == 4 ? SF_DMA_ELEMENT_4
                                                : SF_DMA_ELEMENT_8);
  d.source = source;
  d.destination = destination;
  d.next = 0;
  d.acquire_amount = 0;
  d.sizes[0] = d.sizes[1] = d.sizes[2] = d.sizes[3] = 0;
  d.source_strides[0] = d.source_strides[1] = d.source_strides[2] = d.source_strides[3] = 0;
  d.destination_strides[0] = d.destination_strides[1] = 0;
  d.destination_strides[2] = d.destination_strides[3] = 0;
  d.release_amount = 0;
  d.receivers_amount = 0;
  d.rectangle[0] = d.rectangle[1] = d.rectangle[2] = d.rectangle[3] = 0;
  return d;
}

/// Sets dimension `k` (0 outermost): `size` elements, strides in bytes. The descriptor has as many
/// dimensions as the largest k that was set, plus one.
SF_CONSTEXPR void sf_dma_dim(sf_descriptor* d, uint32_t k, uint32_t size,
                             int32_t destination_stride, int32_t source_stride) {
  if ((d->control >> 4 & 3u) < k) d->control = (d->control & ~(3u << 4)) | k << 4;
  d->sizes[k] = (uint16_t)size;
  d->destination_strides[k] = destination_stride;
  d->source_strides[k] = source_stride;
}

/// Adds `amount` to own semaphore 0..7 at the completion.
SF_CONSTEXPR void sf_dma_release(sf_descriptor* d, uint32_t semaphore, uint32_t amount) {
  d->control |= SF_DMA_RELEASE(semaphore);
  d->release_amount = (uint16_t)amount;
}

/// Starts only when own semaphore 0..15 holds `amount`, and subtracts it.
SF_CONSTEXPR void sf_dma_acquire(sf_descriptor* d, uint32_t semaphore, uint32_t amount) {
  d->control |= SF_DMA_ACQUIRE(semaphore);
  d->acquire_amount = (uint16_t)amount;
}

/// Pushes into every PE of the rectangle (columns x, rows y, both ends inside) instead of into own
/// memory, at the local address that is the destination so far. The initiator is a receiver only
/// with include_self.
SF_CONSTEXPR void sf_dma_multicast(sf_descriptor* d, uint32_t x0, uint32_t y0, uint32_t x1,
                                   uint32_t y1, int include_self) {
  d->control |= SF_DMA_MULTICAST | (include_self ? SF_DMA_INCLUDE_SELF : 0u);
  d->destination -= SF_LOCAL_BASE;
  d->rectangle[0] = (uint8_t)x0;
  d->rectangle[1] = (uint8_t)y0;
  d->rectangle[2] = (uint8_t)x1;
  d->rectangle[3] = (uint8_t)y1;
}

/// Adds `amount` to semaphore 8..15 of every receiver of a multicast.
SF_CONSTEXPR void sf_dma_release_receivers(sf_descriptor* d, uint32_t semaphore, uint32_t amount) {
  d->control |= SF_DMA_RELEASE_RECEIVERS(semaphore);
  d->receivers_amount = (uint16_t)amount;
}

/// Chains `next` (an sf_descriptor or sf_descriptor_pair in local memory) after `d`.
SF_INLINE void sf_dma_next(sf_descriptor* d, const void* next) {
  d->next = (uint16_t)((sf_address(next) - SF_LOCAL_BASE) / 64u);
}

/// `first` with an empty second half.
SF_CONSTEXPR sf_descriptor_pair sf_dma_extend(sf_descriptor first) {
  sf_descriptor_pair pair;
  pair.first = first;
  pair.first.control |= SF_DMA_EXTENDED;
  pair.pad_before[0] = pair.pad_before[1] = pair.pad_before[2] = pair.pad_before[3] = 0;
  pair.pad_after[0] = pair.pad_after[1] = pair.pad_after[2] = pair.pad_after[3] = 0;
  pair.fill[0] = pair.fill[1] = 0;
  pair.index_base = 0;
  pair.index_count = 0;
  pair.index_stride = 0;
  pair.index_scale = 0;
  pair.index_limit = 0;
  pair.reserved[0] = pair.reserved[1] = pair.reserved[2] = pair.reserved[3] = 0;
  pair.reserved[4] = 0;
  return pair;
}

/// What fill, padding and SF_DMA_BOUNDS_FILL write; only the low element-size bytes may be set.
SF_CONSTEXPR void sf_dma_fill_value(sf_descriptor_pair* d, uint32_t low, uint32_t high) {
  d->fill[0] = low;
  d->fill[1] = high;
}

/// Elements of fill value around dimension `k` of a copy's destination.
SF_CONSTEXPR void sf_dma_pad(sf_descriptor_pair* d, uint32_t k, uint32_t before, uint32_t after) {
  d->pad_before[k] = (uint16_t)before;
  d->pad_after[k] = (uint16_t)after;
}

/// Index list of a gather or scatter: int32 indices at local address `base`, `stride` bytes apart,
/// one for each of sizes[0]; `scale` bytes for a unit of index; in bounds below `limit`. The stride
/// of dimension 0 on the indexed side must be 0. `bounds` is SF_DMA_BOUNDS_TRAP, _SKIP or _FILL.
SF_CONSTEXPR void sf_dma_index(sf_descriptor_pair* d, uint32_t base, int32_t stride, int32_t scale,
                               uint32_t limit, uint32_t bounds) {
  d->first.control |= bounds;
  d->index_base = base;
  d->index_count = d->first.sizes[0];
  d->index_stride = stride;
  d->index_scale = scale;
  d->index_limit = limit;
}

/// `bytes` (at most 65535) consecutive bytes; releases own semaphore by 1.
SF_CONSTEXPR sf_descriptor sf_dma_bytes(uint32_t destination, uint32_t source, uint32_t bytes,
                                        uint32_t semaphore) {
  sf_descriptor made = sf_dma_make(SF_DMA_COPY, 1, destination, source);
  sf_dma_dim(&made, 0, bytes, 1, 1);
  sf_dma_release(&made, semaphore, 1);
  return made;
}

/// `rows` rows of `row_bytes` consecutive bytes; releases own semaphore by 1.
SF_CONSTEXPR sf_descriptor sf_dma_rows(uint32_t destination, int32_t destination_pitch,
                                       uint32_t source, int32_t source_pitch, uint32_t rows,
                                       uint32_t row_bytes, uint32_t semaphore) {
  sf_descriptor made = sf_dma_make(SF_DMA_COPY, 1, destination, source);
  sf_dma_dim(&made, 0, rows, destination_pitch, source_pitch);
  sf_dma_dim(&made, 1, row_bytes, 1, 1);
  sf_dma_release(&made, semaphore, 1);
  return made;
}

/// Copies and waits: the plain way. Uses own semaphore 0 for each piece of at most 32 KiB.
SF_NO_LINES __attribute__((unused)) static inline void sf_copy(uint32_t destination,
                                                               uint32_t source, uint32_t bytes) {
  while (bytes != 0) {
    uint32_t piece = bytes < 32768u ? bytes : 32768u;
    sf_descriptor d = sf_dma_bytes(destination, source, piece, 0);
    sf_dma(&d);
    sf_wait(0, 1);
    destination += piece;
    source += piece;
    bytes -= piece;
  }
}

#endif
