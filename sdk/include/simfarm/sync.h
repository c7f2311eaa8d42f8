// Links, DMA start, semaphores, barriers: the six instructions by which a PE meets the rest of the
// machine. They are macros where a field of the instruction must be a constant.
//
// All are volatile, so they stay in program order. Those after which somebody else may touch this
// PE's memory, and gp.wait, which makes DMA's bytes visible, are compiler barriers too; a received
// word makes nothing visible.
#ifndef SIMFARM_SYNC_H
#define SIMFARM_SYNC_H

#include "simfarm/base.h"

// Directions.
#define SF_NORTH 0
#define SF_EAST 1
#define SF_SOUTH 2
#define SF_WEST 3

// Barrier groups.
#define SF_ALL 0
#define SF_ROW 1
#define SF_COLUMN 2

/// Sends a 32-bit word to the neighbour; waits while the link is full.
#define sf_send(direction, word)                                                              \
  __extension__({                                                                             \
    SF_STATIC_ASSERT((direction) >= 0 && (direction) <= 3, "SF_NORTH, _EAST, _SOUTH, _WEST"); \
    uint32_t sf_sent_ = (uint32_t)(word);                                                     \
    __asm__ volatile(".insn i 0x2b, 5, x0, %0, %1"                                            \
                     :                                                                        \
                     : "r"(sf_sent_), "i"(4 << 5 | (direction))                               \
                     : "memory");                                                             \
  })

/// The next word from the neighbour, uint32_t; waits while there is none.
#define sf_recv(direction)                                                                    \
  __extension__({                                                                             \
    SF_STATIC_ASSERT((direction) >= 0 && (direction) <= 3, "SF_NORTH, _EAST, _SOUTH, _WEST"); \
    uint32_t sf_received_;                                                                    \
    __asm__ volatile(".insn i 0x2b, 5, %0, x0, %1"                                            \
                     : "=r"(sf_received_)                                                     \
                     : "i"(5 << 5 | (direction)));                                            \
    sf_received_;                                                                             \
  })

/// Waits until `semaphore` (0..15) holds `amount` (1..65535), then subtracts it.
#define sf_wait(semaphore, amount)                                               \
  __extension__({                                                                \
    SF_STATIC_ASSERT((semaphore) >= 0 && (semaphore) <= 15, "semaphores 0..15"); \
    uint32_t sf_amount_ = (uint32_t)(amount);                                    \
    __asm__ volatile(".insn i 0x2b, 5, x0, %0, %1"                               \
                     :                                                           \
                     : "r"(sf_amount_), "i"(1 << 5 | (semaphore))                \
                     : "memory");                                                \
  })

/// Adds 1 to `semaphore` (8..15) of PE `pe`; never waits.
#define sf_post(pe, semaphore)                                                               \
  __extension__({                                                                            \
    SF_STATIC_ASSERT((semaphore) >= 8 && (semaphore) <= 15, "posts go to semaphores 8..15"); \
    uint32_t sf_pe_ = (uint32_t)(pe);                                                        \
    __asm__ volatile(".insn i 0x2b, 5, x0, %0, %1"                                           \
                     :                                                                       \
                     : "r"(sf_pe_), "i"(2 << 5 | (semaphore))                                \
                     : "memory");                                                            \
  })

/// Waits for all PEs of the group (SF_ALL, SF_ROW, SF_COLUMN) that have not ended.
#define sf_barrier(group)                                                                 \
  __extension__({                                                                         \
    SF_STATIC_ASSERT((group) >= 0 && (group) <= 2, "SF_ALL, SF_ROW, SF_COLUMN");          \
    __asm__ volatile(".insn i 0x2b, 5, x0, x0, %0" : : "i"(3 << 5 | (group)) : "memory"); \
  })

/// Queues a descriptor (sf_descriptor or sf_descriptor_pair, dma.h); waits while the queue is full.
/// The descriptor is read at once: its memory may be reused directly.
SF_INLINE void sf_dma(const void* descriptor) {
  __asm__ volatile(".insn i 0x2b, 5, x0, %0, 0" : : "r"(descriptor) : "memory");
}

#endif
