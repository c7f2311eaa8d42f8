// What compilers call without being told, the memory functions and the console. Only what a program
// uses is linked.
#include <stdarg.h>

#include "simfarm/base.h"
#include "simfarm/console.h"

typedef uint32_t __attribute__((may_alias)) word;

void* memcpy(void* destination, const void* source, size_t bytes) {
  unsigned char* to = (unsigned char*)destination;
  const unsigned char* from = (const unsigned char*)source;
  if ((((uintptr_t)to | (uintptr_t)from) & 3u) == 0) {
    for (; bytes >= 4; bytes -= 4, to += 4, from += 4) *(word*)to = *(const word*)from;
  }
  for (; bytes != 0; --bytes) *to++ = *from++;
  return destination;
}

void* memmove(void* destination, const void* source, size_t bytes) {
  unsigned char* to = (unsigned char*)destination;
  const unsigned char* from = (const unsigned char*)source;
  if (to <= from || to >= from + bytes) return memcpy(destination, source, bytes);
  while (bytes != 0) {
    --bytes;
    to[bytes] = from[bytes];
  }
  return destination;
}

void* memset(void* destination, int value, size_t bytes) {
  unsigned char* to = (unsigned char*)destination;
  uint32_t four = (uint32_t)(unsigned char)value * 0x01010101u;
  for (; bytes != 0 && ((uintptr_t)to & 3u) != 0; --bytes) *to++ = (unsigned char)value;
  for (; bytes >= 4; bytes -= 4, to += 4) *(word*)to = four;
  for (; bytes != 0; --bytes) *to++ = (unsigned char)value;
  return destination;
}

int memcmp(const void* left, const void* right, size_t bytes) {
  const unsigned char* a = (const unsigned char*)left;
  const unsigned char* b = (const unsigned char*)right;
  for (; bytes != 0; --bytes, ++a, ++b)
    if (*a != *b) return *a < *b ? -1 : 1;
  return 0;
}

// 64-bit division: one quotient bit a step, from the dividend's highest set bit on.
static uint64_t divide(uint64_t dividend, uint64_t divisor, uint64_t* remainder) {
  uint32_t high = (uint32_t)(dividend >> 32);
  if (high == 0 && divisor >> 32 == 0) {
    // Division by zero is the core's: quotient all ones, the dividend as remainder.
    uint32_t by = (uint32_t)divisor;
    uint32_t quotient;
    uint32_t rest;
    __asm__("divu %0, %2, %3\n remu %1, %2, %3"
            : "=&r"(quotient), "=r"(rest)
            : "r"((uint32_t)dividend), "r"(by));
    *remainder = rest;
    return by != 0 ? quotient : ~(uint64_t)0;
  }
  uint32_t bits = high != 0 ? 64u - (uint32_t)__builtin_clz(high) : 32u;
  uint64_t quotient = 0;
  uint64_t rest = 0;
  while (bits != 0) {
    --bits;
    uint32_t carry = (uint32_t)(rest >> 63);
    rest = rest << 1 | (dividend >> bits & 1u);
    quotient <<= 1;
    if (carry != 0 || rest >= divisor) {
      rest -= divisor;
      quotient |= 1u;
    }
  }
  *remainder = rest;
  return quotient;
}

uint64_t __udivdi3(uint64_t a, uint64_t b);
uint64_t __umoddi3(uint64_t a, uint64_t b);
int64_t __divdi3(int64_t a, int64_t b);
int64_t __moddi3(int64_t a, int64_t b);
uint64_t __ashldi3(uint64_t a, int amount);
uint64_t __lshrdi3(uint64_t a, int amount);
int64_t __ashrdi3(int64_t a, int amount);
uint64_t __muldi3(uint64_t a, uint64_t b);

uint64_t __udivdi3(uint64_t a, uint64_t b) {
  uint64_t rest;
  return divide(a, b, &rest);
}

uint64_t __umoddi3(uint64_t a, uint64_t b) {
  uint64_t rest;
  divide(a, b, &rest);
  return rest;
}

static uint64_t magnitude(int64_t value) {
  return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

int64_t __divdi3(int64_t a, int64_t b) {
  uint64_t rest;
  uint64_t quotient = divide(magnitude(a), magnitude(b), &rest);
  return (int64_t)((a < 0) != (b < 0) ? 0 - quotient : quotient);
}

int64_t __moddi3(int64_t a, int64_t b) {
  uint64_t rest;
  divide(magnitude(a), magnitude(b), &rest);
  return (int64_t)(a < 0 ? 0 - rest : rest);
}

// The shifts are on halves, lest they become calls of themselves at -Os.
typedef struct {
  uint32_t lo, hi;
} halves;

static uint64_t join(uint32_t lo, uint32_t hi) { return (uint64_t)hi << 32 | lo; }

uint64_t __ashldi3(uint64_t a, int amount) {
  halves x = {(uint32_t)a, (uint32_t)(a >> 32)};
  if (amount == 0) return a;
  if (amount >= 32) return join(0, x.lo << (amount - 32));
  return join(x.lo << amount, x.hi << amount | x.lo >> (32 - amount));
}

uint64_t __lshrdi3(uint64_t a, int amount) {
  halves x = {(uint32_t)a, (uint32_t)(a >> 32)};
  if (amount == 0) return a;
  if (amount >= 32) return join(x.hi >> (amount - 32), 0);
  return join(x.lo >> amount | x.hi << (32 - amount), x.hi >> amount);
}

int64_t __ashrdi3(int64_t a, int amount) {
  halves x = {(uint32_t)a, (uint32_t)((uint64_t)a >> 32)};
  int32_t top = (int32_t)x.hi;
  if (amount == 0) return a;
  if (amount >= 32) return (int64_t)join((uint32_t)(top >> (amount - 32)), (uint32_t)(top >> 31));
  return (int64_t)join(x.lo >> amount | x.hi << (32 - amount), (uint32_t)(top >> amount));
}

uint64_t __muldi3(uint64_t a, uint64_t b) {
  uint32_t a0 = (uint32_t)a, a1 = (uint32_t)(a >> 32);
  uint32_t b0 = (uint32_t)b, b1 = (uint32_t)(b >> 32);
  uint32_t low = a0 * b0, high;
  __asm__("mulhu %0, %1, %2" : "=r"(high) : "r"(a0), "r"(b0));
  return join(low, high + a0 * b1 + a1 * b0);
}

// C++ calls this when a pure virtual function is called.
void __cxa_pure_virtual(void);
void __cxa_pure_virtual(void) { __builtin_trap(); }

void sf_console_write(const void* text, uint32_t bytes) {
  register uint32_t a0 __asm__("a0") = 1;
  register const void* a1 __asm__("a1") = text;
  register uint32_t a2 __asm__("a2") = bytes;
  register uint32_t a7 __asm__("a7") = 64;
  __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
}

// Text on its way to the console.
typedef struct {
  uint32_t used;
  char text[128];
} line;

static void flush(line* out) {
  if (out->used != 0) sf_console_write(out->text, out->used);
  out->used = 0;
}

static void put(line* out, char c) {
  if (out->used == sizeof out->text) flush(out);
  out->text[out->used++] = c;
}

static void put_padded(line* out, const char* text, uint32_t length, uint32_t width, int left,
                       char padding) {
  uint32_t blanks = length < width ? width - length : 0;
  if (padding == '0' && length != 0 && *text == '-') {
    put(out, '-');
    ++text;
    --length;
  }
  if (!left)
    for (uint32_t i = 0; i != blanks; ++i) put(out, padding);
  for (uint32_t i = 0; i != length; ++i) put(out, text[i]);
  if (left)
    for (uint32_t i = 0; i != blanks; ++i) put(out, ' ');
}

static void put_number(line* out, uint64_t value, int negative, uint32_t base, int capitals,
                       uint32_t width, int left, char padding) {
  char digits[24];
  uint32_t at = sizeof digits;
  do {
    uint64_t rest;
    if (value >> 32 == 0) {
      rest = (uint32_t)value % base;
      value = (uint32_t)value / base;
    } else {
      value = divide(value, base, &rest);
    }
    digits[--at] = (char)(rest < 10 ? '0' + rest : (capitals ? 'A' : 'a') + rest - 10);
  } while (value != 0);
  if (negative) digits[--at] = '-';
  put_padded(out, digits + at, (uint32_t)sizeof digits - at, width, left, padding);
}

void sf_console_printf(const char* format, ...) {
  line out;
  out.used = 0;
  va_list arguments;
  va_start(arguments, format);
  for (; *format != 0; ++format) {
    if (*format != '%') {
      put(&out, *format);
      continue;
    }
    ++format;
    int left = 0;
    char padding = ' ';
    for (; *format == '-' || *format == '0'; ++format) {
      if (*format == '-')
        left = 1;
      else
        padding = '0';
    }
    if (left) padding = ' ';
    uint32_t width = 0;
    for (; *format >= '0' && *format <= '9'; ++format)
      width = width * 10 + (uint32_t)(*format - '0');
    int longs = 0, shorts = 0;
    for (; *format == 'l' || *format == 'h' || *format == 'z'; ++format) {
      longs += *format == 'l';
      shorts += *format == 'h';
    }
    switch (*format) {
      case 'd':
      case 'i': {
        int64_t value = longs >= 2 ? va_arg(arguments, int64_t) : va_arg(arguments, int);
        if (shorts == 1) value = (short)value;
        if (shorts >= 2) value = (signed char)value;
        put_number(&out, magnitude(value), value < 0, 10, 0, width, left, padding);
        break;
      }
      case 'u':
      case 'x':
      case 'X':
      case 'p': {
        uint64_t value = longs >= 2 ? va_arg(arguments, uint64_t) : va_arg(arguments, unsigned);
        if (shorts == 1) value = (unsigned short)value;
        if (shorts >= 2) value = (unsigned char)value;
        if (*format == 'p') {
          put(&out, '0');
          put(&out, 'x');
        }
        put_number(&out, value, 0, *format == 'u' ? 10 : 16, *format == 'X', width, left, padding);
        break;
      }
      case 'c': {
        char c = (char)va_arg(arguments, int);
        put_padded(&out, &c, 1, width, left, ' ');
        break;
      }
      case 's': {
        const char* text = va_arg(arguments, const char*);
        uint32_t length = 0;
        while (text[length] != 0) ++length;
        put_padded(&out, text, length, width, left, ' ');
        break;
      }
      case 0:  // a lone % at the end
        --format;
        break;
      default:
        put(&out, *format);
    }
  }
  va_end(arguments);
  flush(&out);
}
