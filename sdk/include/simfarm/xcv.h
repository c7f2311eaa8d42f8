// CORE-V (XCV) instructions that compilers have no pattern for, as functions on 32-bit words,
// spelled by field so that any RISC-V compiler takes them. Loads and stores with post-increment,
// min, max, abs and sign extensions are missing here because clang emits them from plain C.
//
// A word is two halves (_h) or four bytes (_b), lane 0 lowest. _sc: the lowest lane of b for every
// lane. All are pure: the compiler may move and merge them.
#ifndef SIMFARM_XCV_H
#define SIMFARM_XCV_H

#include "simfarm/base.h"

#define SF_XCV_(name, opcode, funct3, funct7)                           \
  SF_INLINE uint32_t sf_##name(uint32_t a, uint32_t b) {                \
    uint32_t result;                                                    \
    __asm__(".insn r " #opcode ", " #funct3 ", " #funct7 ", %0, %1, %2" \
            : "=r"(result)                                              \
            : "r"(a), "r"(b));                                          \
    return result;                                                      \
  }
#define SF_XCV_UNARY_(name, opcode, funct3, funct7)                                               \
  SF_INLINE uint32_t sf_##name(uint32_t a) {                                                      \
    uint32_t result;                                                                              \
    __asm__(".insn r " #opcode ", " #funct3 ", " #funct7 ", %0, %1, x0" : "=r"(result) : "r"(a)); \
    return result;                                                                                \
  }
// The destination is read too: its old value comes first and the new one is returned.
#define SF_XCV_ONTO_(name, opcode, funct3, funct7)                      \
  SF_INLINE uint32_t sf_##name(uint32_t onto, uint32_t a, uint32_t b) { \
    __asm__(".insn r " #opcode ", " #funct3 ", " #funct7 ", %0, %1, %2" \
            : "+r"(onto)                                                \
            : "r"(a), "r"(b));                                          \
    return onto;                                                        \
  }
#define SF_XCV_LANES_(name, funct7)     \
  SF_XCV_(name##_h, 0x7b, 0, funct7)    \
  SF_XCV_(name##_b, 0x7b, 1, funct7)    \
  SF_XCV_(name##_sc_h, 0x7b, 4, funct7) \
  SF_XCV_(name##_sc_b, 0x7b, 5, funct7)
#define SF_XCV_SUMS_(name, funct7)           \
  SF_XCV_ONTO_(name##_h, 0x7b, 0, funct7)    \
  SF_XCV_ONTO_(name##_b, 0x7b, 1, funct7)    \
  SF_XCV_ONTO_(name##_sc_h, 0x7b, 4, funct7) \
  SF_XCV_ONTO_(name##_sc_b, 0x7b, 5, funct7)

// 32 x 32: onto + a * b, onto - a * b.
SF_XCV_ONTO_(mac, 0x2b, 3, 0x48)
SF_XCV_ONTO_(msu, 0x2b, 3, 0x49)

// Sums of two or four products; u unsigned, us: a unsigned, s signed. sdot*: added to `onto`.
SF_XCV_LANES_(dotup, 0x40)
SF_XCV_LANES_(dotusp, 0x44)
SF_XCV_LANES_(dotsp, 0x48)
SF_XCV_SUMS_(sdotup, 0x4c)
SF_XCV_SUMS_(sdotusp, 0x50)
SF_XCV_SUMS_(sdotsp, 0x54)

// Lane by lane.
SF_XCV_LANES_(add, 0x00)
SF_XCV_LANES_(sub, 0x04)
SF_XCV_LANES_(avg, 0x08)
SF_XCV_LANES_(avgu, 0x0c)
SF_XCV_LANES_(min, 0x10)
SF_XCV_LANES_(minu, 0x14)
SF_XCV_LANES_(max, 0x18)
SF_XCV_LANES_(maxu, 0x1c)
SF_XCV_LANES_(srl, 0x20)
SF_XCV_LANES_(sra, 0x24)
SF_XCV_LANES_(sll, 0x28)
SF_XCV_LANES_(cmpeq, 0x02)  // comparisons: all ones or zero in the lane
SF_XCV_LANES_(cmpgt, 0x0a)
SF_XCV_LANES_(cmpge, 0x0e)
SF_XCV_LANES_(cmplt, 0x12)
SF_XCV_LANES_(cmple, 0x16)
SF_XCV_UNARY_(abs_h, 0x7b, 0, 0x38)
SF_XCV_UNARY_(abs_b, 0x7b, 1, 0x38)

// Moving lanes.
SF_XCV_(shuffle_h, 0x7b, 0, 0x60)        // lane i = a[b[i] & 1]
SF_XCV_(shuffle_b, 0x7b, 1, 0x60)        // lane i = a[b[i] & 3]
SF_XCV_ONTO_(shuffle2_h, 0x7b, 0, 0x70)  // lane i = (b[i] & 2 ? a : onto)[b[i] & 1]
SF_XCV_ONTO_(shuffle2_b, 0x7b, 1, 0x70)  // lane i = (b[i] & 4 ? a : onto)[b[i] & 3]
SF_XCV_(pack, 0x7b, 0, 0x78)             // halves {a[0], b[0]}, a in the upper one
SF_XCV_(pack_h, 0x7b, 0, 0x79)           // halves {a[1], b[1]}
SF_XCV_ONTO_(packhi_b, 0x7b, 1, 0x7d)    // bytes 3, 2 = a[0], b[0]
SF_XCV_ONTO_(packlo_b, 0x7b, 1, 0x7c)    // bytes 1, 0 = a[0], b[0]

// Clipping to -(b + 1) .. b and to 0 .. b.
SF_XCV_(clipr, 0x2b, 3, 0x3a)
SF_XCV_(clipur, 0x2b, 3, 0x3b)

#undef SF_XCV_
#undef SF_XCV_UNARY_
#undef SF_XCV_ONTO_
#undef SF_XCV_LANES_
#undef SF_XCV_SUMS_

#define SF_XCV_SHIFTED_(funct3, top, a, b, shift)                                 \
  __extension__({                                                                 \
    SF_STATIC_ASSERT((shift) >= 0 && (shift) <= 31, "0..31");                     \
    uint32_t sf_result_;                                                          \
    __asm__(".insn r 0x5b, " #funct3 ", %3, %0, %1, %2"                           \
            : "=r"(sf_result_)                                                    \
            : "r"((uint32_t)(a)), "r"((uint32_t)(b)), "i"((top) << 5 | (shift))); \
    sf_result_;                                                                   \
  })
#define SF_XCV_SHIFTED_ONTO_(funct3, top, onto, a, b, shift)                      \
  __extension__({                                                                 \
    SF_STATIC_ASSERT((shift) >= 0 && (shift) <= 31, "0..31");                     \
    uint32_t sf_onto_ = (uint32_t)(onto);                                         \
    __asm__(".insn r 0x5b, " #funct3 ", %3, %0, %1, %2"                           \
            : "+r"(sf_onto_)                                                      \
            : "r"((uint32_t)(a)), "r"((uint32_t)(b)), "i"((top) << 5 | (shift))); \
    sf_onto_;                                                                     \
  })

// 16 x 16 products and sums, shifted right by a constant 0..31; rn: rounded by half before the
// shift; hh: upper halves.
#define sf_mulsn(a, b, shift) SF_XCV_SHIFTED_(4, 0, a, b, shift)
#define sf_mulhhsn(a, b, shift) SF_XCV_SHIFTED_(4, 1, a, b, shift)
#define sf_mulsrn(a, b, shift) SF_XCV_SHIFTED_(4, 2, a, b, shift)
#define sf_mulhhsrn(a, b, shift) SF_XCV_SHIFTED_(4, 3, a, b, shift)
#define sf_macsn(onto, a, b, shift) SF_XCV_SHIFTED_ONTO_(6, 0, onto, a, b, shift)
#define sf_macsrn(onto, a, b, shift) SF_XCV_SHIFTED_ONTO_(6, 2, onto, a, b, shift)
#define sf_addn(a, b, shift) SF_XCV_SHIFTED_(2, 0, a, b, shift)
#define sf_addrn(a, b, shift) SF_XCV_SHIFTED_(2, 2, a, b, shift)
#define sf_subn(a, b, shift) SF_XCV_SHIFTED_(3, 0, a, b, shift)
#define sf_subrn(a, b, shift) SF_XCV_SHIFTED_(3, 2, a, b, shift)

/// value clipped to `bits` bits, signed: -2^(bits-1) .. 2^(bits-1) - 1; bits a constant 1..31.
#define sf_clip(value, bits)                                   \
  __extension__({                                              \
    SF_STATIC_ASSERT((bits) >= 1 && (bits) <= 31, "1..31");    \
    int32_t sf_clipped_;                                       \
    __asm__(".insn i 0x2b, 3, %0, %1, %2"                      \
            : "=r"(sf_clipped_)                                \
            : "r"((int32_t)(value)), "i"(0x38 << 5 | (bits))); \
    sf_clipped_;                                               \
  })

#endif
