// printf and assert for kernels, both free when off.
//
// sf_printf is on when SIMFARM_CONSOLE is defined (simfarm-cc --console); otherwise its arguments
// are checked by the compiler and nothing is left of it. sf_assert is off when NDEBUG is defined.
#ifndef SIMFARM_CONSOLE_H
#define SIMFARM_CONSOLE_H

#include "simfarm/base.h"

SF_EXTERN_C_BEGIN
/// Writes text to the debug console in pieces of at most 128 bytes. Knows %d %i %u %x %X %p %c %s
/// %%, the flags - and 0, a width, and the sizes hh h l ll z. No floating point.
__attribute__((format(printf, 1, 2))) void sf_console_printf(const char* format, ...);
/// Writes `bytes` bytes of local memory to the debug console: one ecall.
void sf_console_write(const void* text, uint32_t bytes);
SF_EXTERN_C_END

#ifdef SIMFARM_CONSOLE
#define sf_printf(...) sf_console_printf(__VA_ARGS__)
#else
#define sf_printf(...) ((void)sizeof((sf_console_printf(__VA_ARGS__), 0)))
#endif

// A failed assertion ends the run with a breakpoint trap, whose report names this line.
#ifdef NDEBUG
#define sf_assert(condition) ((void)sizeof(!(condition)))
#else
#define sf_assert(condition)                                                      \
  do {                                                                            \
    if (!(condition)) {                                                           \
      sf_printf("%s:%d: assertion failed: %s\n", __FILE__, __LINE__, #condition); \
      __asm__ volatile("ebreak" : : : "memory");                                  \
      __builtin_unreachable();                                                    \
    }                                                                             \
  } while (0)
#endif

#endif
