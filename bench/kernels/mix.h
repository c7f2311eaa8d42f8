// The work of single_mix.c in portable C, so that the host can do it too and compare. A mixture of
// what small processors are busy with: linked lists, matrices, scanning text, checksums.
#ifndef MIX_H
#define MIX_H
#include <stdint.h>

enum { MIX_NODES = 96, MIX_SIDE = 12, MIX_TEXT = 512 };

typedef struct mix_node {
  struct mix_node* next;
  uint16_t key, value;
} mix_node;

typedef struct mix_memory {
  mix_node nodes[MIX_NODES];
  int16_t left[MIX_SIDE][MIX_SIDE], right[MIX_SIDE][MIX_SIDE];
  int32_t product[MIX_SIDE][MIX_SIDE];
  uint8_t text[MIX_TEXT];
} mix_memory;

static inline uint32_t mix_next(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state ^ *state >> 15;
}

/// CRC-16 (polynomial 0x8005, reflected), bit by bit.
static inline uint32_t mix_crc(uint32_t crc, uint32_t word) {
  for (int byte = 0; byte != 4; ++byte, word >>= 8) {
    crc ^= word & 255;
    for (int bit = 0; bit != 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xa001 : crc >> 1;
  }
  return crc;
}

static inline mix_node* mix_merge(mix_node* a, mix_node* b) {
  mix_node* head = 0;
  mix_node** end = &head;
  while (a && b) {
    mix_node** smaller = b->key < a->key ? &b : &a;
    *end = *smaller;
    end = &(*smaller)->next;
    *smaller = *end;
  }
  *end = a ? a : b;
  return head;
}

/// Merge sort from below: bin k holds a sorted list of 2^k nodes, or none.
static inline mix_node* mix_sort(mix_node* list) {
  mix_node* bins[8] = {0};
  while (list) {
    mix_node* carry = list;
    list = list->next;
    carry->next = 0;
    int k = 0;
    for (; bins[k]; ++k) {
      carry = mix_merge(bins[k], carry);
      bins[k] = 0;
    }
    bins[k] = carry;
  }
  mix_node* sorted = 0;
  for (int k = 0; k != 8; ++k) sorted = mix_merge(bins[k], sorted);
  return sorted;
}

static inline uint32_t mix_lists(mix_memory* m, uint32_t* state) {
  mix_node* list = 0;
  for (int i = 0; i != MIX_NODES; ++i) {
    const uint32_t number = mix_next(state);
    m->nodes[i].key = (uint16_t)number;
    m->nodes[i].value = (uint16_t)(number >> 16);
    m->nodes[i].next = list;
    list = &m->nodes[i];
  }
  list = mix_sort(list);
  mix_node* reversed = 0;
  while (list) {
    mix_node* rest = list->next;
    list->next = reversed;
    reversed = list;
    list = rest;
  }
  uint32_t crc = 0, found = 0;
  for (const mix_node* node = reversed; node; node = node->next) crc = mix_crc(crc, node->value);
  for (int i = 0; i != 16; ++i) {
    const uint16_t wanted = (uint16_t)mix_next(state);
    for (const mix_node* node = reversed; node && node->key >= wanted; node = node->next) ++found;
  }
  return crc + found;
}

static inline uint32_t mix_matrices(mix_memory* m, uint32_t* state) {
  for (int i = 0; i != MIX_SIDE; ++i)
    for (int j = 0; j != MIX_SIDE; ++j) {
      const uint32_t number = mix_next(state);
      m->left[i][j] = (int16_t)(number & 2047);
      m->right[i][j] = (int16_t)((number >> 16 & 2047) - 1024);
    }
  uint32_t sum = 0;
  for (int i = 0; i != MIX_SIDE; ++i)
    for (int j = 0; j != MIX_SIDE; ++j) {
      int32_t total = 0;
      for (int k = 0; k != MIX_SIDE; ++k) total += m->left[i][k] * m->right[k][j];
      m->product[i][j] = total;
      sum = sum * 31 + (uint32_t)(total > 100000 ? total - 100000 : total >> 2);
    }
  return sum;
}

/// Scans words of letters, integers and numbers with a point, and counts what it met.
static inline uint32_t mix_text(mix_memory* m, uint32_t* state) {
  static const char letters[] = "0123456789012345.,, -ab";
  for (int i = 0; i != MIX_TEXT; ++i)
    m->text[i] = (uint8_t)letters[mix_next(state) % (sizeof letters - 1)];
  enum { START, SIGN, INTEGER, POINT, FRACTION, WORD, BAD, STATES } now = START;
  uint32_t counts[STATES] = {0};
  for (int i = 0; i != MIX_TEXT; ++i) {
    const uint8_t c = m->text[i];
    const int digit = c >= '0' && c <= '9';
    if (c == ',' || c == ' ') {
      ++counts[now];
      now = START;
      continue;
    }
    switch (now) {
      case START:
        now = digit ? INTEGER : c == '-' ? SIGN : c == '.' ? POINT : WORD;
        break;
      case SIGN:
        now = digit ? INTEGER : c == '.' ? POINT : BAD;
        break;
      case INTEGER:
        if (!digit) now = c == '.' ? POINT : BAD;
        break;
      case POINT:
        now = digit ? FRACTION : BAD;
        break;
      case FRACTION:
        if (!digit) now = BAD;
        break;
      case WORD:
        if (digit || c == '-' || c == '.') now = BAD;
        break;
      default:
        break;
    }
  }
  uint32_t crc = 0;
  for (int k = 0; k != STATES; ++k) crc = mix_crc(crc, counts[k]);
  return crc;
}

/// The checksum of `rounds` rounds.
static inline uint32_t mix_run(mix_memory* m, uint32_t state, uint32_t rounds) {
  uint32_t sum = 0;
  for (uint32_t round = 0; round != rounds; ++round) {
    sum = sum * 31 + mix_lists(m, &state);
    sum = sum * 31 + mix_matrices(m, &state);
    sum = sum * 31 + mix_text(m, &state);
  }
  return sum;
}

#endif
