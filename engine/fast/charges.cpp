#include "engine/fast/charges.h"

namespace simfarm::fast {
namespace {

/// Sets the bits [first, end).
void set_bits(std::vector<u64>& words, u64 first, u64 end) {
  for (u64 at = first; at < end;) {
    const u64 bit = at % 64, count = std::min(64 - bit, end - at);
    words[at / 64] |= (~u64{0} >> (64 - count)) << bit;
    at += count;
  }
}

}  // namespace

void Charges::begin_piece(Cycle first, Cycle end) {
  pieces_.push_back({granted_first_, granted_end_, DmaBin::transfer});
  granted_first_ = first;
  granted_end_ = end;
}

void Charges::mark(Cycle from, Cycle end) {
  pieces_.push_back({granted_first_, granted_end_, DmaBin::transfer});
  granted_first_ = granted_end_ = 0;
  const u64 words = (end - from + 63) / 64;
  for (std::vector<u64>* bits : {&granted_, &bus_, &port_}) bits->assign(words, 0);
  for (const Piece& piece : pieces_) {
    const Cycle first = std::max(piece.first, from), last = std::min(piece.end, end);
    if (first >= last) continue;
    std::vector<u64>& bits = piece.bin == DmaBin::transfer   ? granted_
                             : piece.bin == DmaBin::bus_wait ? bus_
                                                             : port_;
    set_bits(bits, first - from, last - from);
  }
}

}  // namespace simfarm::fast
