// Words that the rest of the SDK uses, the PE's identity, profile regions and the C library's four
// memory functions.
#ifndef SIMFARM_BASE_H
#define SIMFARM_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define SF_EXTERN_C_BEGIN extern "C" {
#define SF_EXTERN_C_END }
#define SF_STATIC_ASSERT(condition, message) static_assert(condition, message)
#else
#define SF_EXTERN_C_BEGIN
#define SF_EXTERN_C_END
#define SF_STATIC_ASSERT(condition, message) __extension__ _Static_assert(condition, message)
#endif

// Reports name the line that uses the SDK, not one inside it.
#if __has_attribute(nodebug)
#define SF_NO_LINES __attribute__((nodebug))
#else
#define SF_NO_LINES
#endif
// Inline also at -O0; SF_CONSTEXPR is usable in constant expressions from C++20 on.
#define SF_INLINE SF_NO_LINES static inline __attribute__((always_inline, unused))
#if defined(__cplusplus) && __cplusplus >= 202002L
#define SF_CONSTEXPR constexpr SF_INLINE
#else
#define SF_CONSTEXPR SF_INLINE
#endif

// Where the memories lie (docs/machine.md, "Address map"). Local memory's base is also in the
// linker script.
#ifndef SF_LOCAL_BASE
#define SF_LOCAL_BASE 0x10000000u
#endif
#define SF_OCM_BASE 0x40000000u
#define SF_DRAM_BASE 0x80000000u

/// Local memory that nobody loads or zeroes: undefined at the start, and free of the boot cost that
/// a scored program pays for its other data. For buffers that DMA fills.
#define SF_SCRATCH __attribute__((section(".scratch")))

/// The address of a local object, as descriptors want it.
SF_INLINE uint32_t sf_address(const volatile void* object) { return (uint32_t)(uintptr_t)object; }

// Reading these takes one cycle each, and the compiler may read them once and keep the value.
#define SF_IDENTITY_(name, csr)                  \
  SF_INLINE uint32_t name(void) {                \
    uint32_t sf_value_;                          \
    __asm__("csrr %0, " #csr : "=r"(sf_value_)); \
    return sf_value_;                            \
  }
SF_IDENTITY_(sf_pe, 0xf14)           ///< this PE's id: row * columns + column
SF_IDENTITY_(sf_row, 0xfc0)          ///< 0 is north
SF_IDENTITY_(sf_column, 0xfc1)       ///< 0 is west
SF_IDENTITY_(sf_rows, 0xfc2)         ///< of the array
SF_IDENTITY_(sf_columns, 0xfc3)      ///< of the array
SF_IDENTITY_(sf_pes, 0xfc4)          ///< rows * columns
SF_IDENTITY_(sf_local_bytes, 0xfc5)  ///< bytes of this PE's local memory
#undef SF_IDENTITY_

/// Starts profile region `number`, 0..255; one cycle. Every PE starts in region 0.
SF_INLINE void sf_region(uint32_t number) {
  __asm__ volatile("csrw 0x7c0, %0" : : "rK"(number) : "memory");
}

/// The machine's cycle, low 32 bits; four cycles (the core flushes around a counter).
SF_INLINE uint32_t sf_cycles(void) {
  uint32_t now;
  __asm__ volatile("csrr %0, 0xb00" : "=r"(now) : : "memory");
  return now;
}

/// Ends this PE.
SF_NO_LINES __attribute__((noreturn, unused)) static inline void sf_exit(int code) {
  register uint32_t a0 __asm__("a0") = (uint32_t)code;
  register uint32_t a7 __asm__("a7") = 93;
  __asm__ volatile("ecall" : : "r"(a0), "r"(a7) : "memory");
  __builtin_unreachable();
}

SF_EXTERN_C_BEGIN
void* memcpy(void* destination, const void* source, size_t bytes);
void* memmove(void* destination, const void* source, size_t bytes);
void* memset(void* destination, int value, size_t bytes);
int memcmp(const void* left, const void* right, size_t bytes);
SF_EXTERN_C_END

#endif
