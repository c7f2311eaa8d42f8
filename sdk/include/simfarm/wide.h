// The machine's arithmetic: eight int8 products a cycle, 64-bit local accesses, requantisation,
// table look-up.
//
// Whatever reads or writes the operand buffer X is volatile, since the compiler does not know X;
// the others are ordinary values to it. No function of the SDK touches X behind a kernel's back.
#ifndef SIMFARM_WIDE_H
#define SIMFARM_WIDE_H

#include "simfarm/base.h"

/// Eight bytes of local memory, whatever their type: what a 64-bit access touches.
typedef struct __attribute__((may_alias)) sf_pair {
  uint32_t lo, hi;
} sf_pair;

/// lo, hi = the 8 bytes at pointer + offset; offset a constant 0..248, the address 8-byte aligned.
#define sf_ld2(lo, hi, pointer, offset)                                                \
  __extension__({                                                                      \
    SF_STATIC_ASSERT((offset) >= 0 && (offset) <= 248 && (offset) % 8 == 0, "0..248"); \
    const char* sf_from_ = (const char*)(pointer);                                     \
    uint32_t sf_lo_, sf_hi_;                                                           \
    __asm__(".insn r 0x2b, 6, %3, %0, %2, %1"                                          \
            : "=r"(sf_lo_), "=r"(sf_hi_)                                               \
            : "r"(sf_from_), "i"(0 << 5 | (offset) / 8),                               \
              "m"(*(const sf_pair*)(const void*)(sf_from_ + (offset))));               \
    (lo) = sf_lo_;                                                                     \
    (hi) = sf_hi_;                                                                     \
  })

/// The 8 bytes at pointer + offset = lo, hi.
#define sf_sd2(lo, hi, pointer, offset)                                                \
  __extension__({                                                                      \
    SF_STATIC_ASSERT((offset) >= 0 && (offset) <= 248 && (offset) % 8 == 0, "0..248"); \
    char* sf_to_ = (char*)(pointer);                                                   \
    __asm__ volatile(".insn r 0x2b, 6, %4, %2, %3, %1"                                 \
                     : "=m"(*(sf_pair*)(void*)(sf_to_ + (offset)))                     \
                     : "r"((uint32_t)(lo)), "r"((uint32_t)(hi)), "r"(sf_to_),          \
                       "i"(1 << 5 | (offset) / 8));                                    \
  })

/// lo, hi = the 8 bytes at pointer; pointer (an lvalue) advances by `step`, a constant -128..120.
#define sf_ld2_step(lo, hi, pointer, step)                                                     \
  __extension__({                                                                              \
    SF_STATIC_ASSERT((step) >= -128 && (step) <= 120 && (step) % 8 == 0, "-128..120");         \
    const void* sf_from_ = (pointer);                                                          \
    uint32_t sf_lo_, sf_hi_;                                                                   \
    __asm__(".insn r 0x2b, 6, %4, %0, %2, %1"                                                  \
            : "=r"(sf_lo_), "=r"(sf_hi_), "=r"(sf_from_)                                       \
            : "2"(sf_from_), "i"(2 << 5 | ((step) / 8 & 31)), "m"(*(const sf_pair*)sf_from_)); \
    (lo) = sf_lo_;                                                                             \
    (hi) = sf_hi_;                                                                             \
    (pointer) = (__typeof__(pointer))sf_from_;                                                 \
  })

/// The 8 bytes at pointer = lo, hi; pointer (an lvalue) advances by `step`, a constant -128..120.
#define sf_sd2_step(lo, hi, pointer, step)                                             \
  __extension__({                                                                      \
    SF_STATIC_ASSERT((step) >= -128 && (step) <= 120 && (step) % 8 == 0, "-128..120"); \
    void* sf_to_ = (pointer);                                                          \
    __asm__ volatile(".insn r 0x2b, 6, %5, %3, %0, %2"                                 \
                     : "=r"(sf_to_), "=m"(*(sf_pair*)sf_to_)                           \
                     : "r"((uint32_t)(lo)), "r"((uint32_t)(hi)), "0"(sf_to_),          \
                       "i"(3 << 5 | ((step) / 8 & 31)));                               \
    (pointer) = (__typeof__(pointer))sf_to_;                                           \
  })

/// X = {hi, lo}.
SF_INLINE void sf_xset(uint32_t lo, uint32_t hi) {
  __asm__ volatile(".insn r 0x2b, 7, 0x0c, x0, %0, %1" : : "r"(lo), "r"(hi));
}

/// X = the 8 bytes at pointer (8-byte aligned); pointer (an lvalue) advances by 8.
#define sf_xld(pointer)                                                \
  __extension__({                                                      \
    const void* sf_from_ = (pointer);                                  \
    __asm__ volatile(".insn r 0x2b, 7, 0x10, x0, %0, x0"               \
                     : "=r"(sf_from_)                                  \
                     : "0"(sf_from_), "m"(*(const sf_pair*)sf_from_)); \
    (pointer) = (__typeof__(pointer))sf_from_;                         \
  })

#define SF_XDOT_(funct7, accumulator, lo, hi)                     \
  __extension__({                                                 \
    uint32_t sf_sum_ = (uint32_t)(accumulator);                   \
    __asm__ volatile(".insn r 0x2b, 7, " #funct7 ", %0, %1, %2"   \
                     : "+r"(sf_sum_)                              \
                     : "r"((uint32_t)(lo)), "r"((uint32_t)(hi))); \
    (accumulator) = (__typeof__(accumulator))sf_sum_;             \
  })

/// accumulator (a 32-bit lvalue) += the eight products of X and {hi, lo}: int8 by int8 ...
#define sf_xsdot8(accumulator, lo, hi) SF_XDOT_(0x00, accumulator, lo, hi)
/// ... uint8 by uint8 ...
#define sf_xudot8(accumulator, lo, hi) SF_XDOT_(0x04, accumulator, lo, hi)
/// ... X uint8, the other int8.
#define sf_xusdot8(accumulator, lo, hi) SF_XDOT_(0x08, accumulator, lo, hi)

#define SF_XDOT_LD_(funct2, accumulator, lo, hi, pointer)                       \
  __extension__({                                                               \
    uint32_t sf_sum_ = (uint32_t)(accumulator);                                 \
    const void* sf_from_ = (pointer);                                           \
    __asm__ volatile(".insn r4 0x2b, 7, " #funct2 ", %0, %2, %3, %1"            \
                     : "+r"(sf_sum_), "=r"(sf_from_)                            \
                     : "r"((uint32_t)(lo)), "r"((uint32_t)(hi)), "1"(sf_from_), \
                       "m"(*(const sf_pair*)sf_from_));                         \
    (accumulator) = (__typeof__(accumulator))sf_sum_;                           \
    (pointer) = (__typeof__(pointer))sf_from_;                                  \
  })

/// The same, and then, in the same cycle, X = the 8 bytes at pointer, pointer += 8.
#define sf_xsdot8_ld(accumulator, lo, hi, pointer) SF_XDOT_LD_(1, accumulator, lo, hi, pointer)
#define sf_xudot8_ld(accumulator, lo, hi, pointer) SF_XDOT_LD_(2, accumulator, lo, hi, pointer)
#define sf_xusdot8_ld(accumulator, lo, hi, pointer) SF_XDOT_LD_(3, accumulator, lo, hi, pointer)

/// The high word of 2 * a * b, rounded to nearest, saturated: gemmlowp's
/// SaturatingRoundingDoublingHighMul.
SF_INLINE int32_t sf_rqmul(int32_t a, int32_t b) {
  int32_t result;
  __asm__(".insn r 0x2b, 7, 0x20, %0, %1, %2" : "=r"(result) : "r"(a), "r"(b));
  return result;
}

/// value / 2^amount, rounded half away from zero, amount 0..31: gemmlowp's RoundingDivideByPOT.
SF_INLINE int32_t sf_rshr(int32_t value, uint32_t amount) {
  int32_t result;
  __asm__(".insn r 0x2b, 7, 0x28, %0, %1, %2" : "=r"(result) : "r"(value), "r"(amount));
  return result;
}

/// Four look-ups in a table of 256 bytes: byte i of the result is table[byte i of indices].
SF_INLINE uint32_t sf_lut8(const void* table, uint32_t indices) {
  typedef struct __attribute__((may_alias)) {
    uint8_t entries[256];
  } sf_table;
  uint32_t result;
  __asm__(".insn r 0x2b, 7, 0x24, %0, %1, %2"
          : "=r"(result)
          : "r"(table), "r"(indices), "m"(*(const sf_table*)table));
  return result;
}

#endif
