// How a transfer is cut into bursts (docs/machine.md, D3): reads by its source addresses, writes by
// its destination addresses, in the order of their numbers.
#pragma once
#include <algorithm>
#include <vector>

#include "base/types.h"
#include "engine/fast/request.h"
#include "engine/fast/span_walk.h"

namespace simfarm::fast {

/// Bytes that follow one another, inside one 64-byte block.
struct Burst {
  u32 address = 0;
  u32 bytes = 0;
};

struct WriteBurst : Burst {
  /// The reads [first_read, end_read) hold its bytes, counted from the transfer's first; none: it
  /// is sourceless.
  u32 first_read = 0;
  u32 end_read = 0;
  /// No write after it depends on a read below this one.
  u32 reads_done = 0;

  bool sourceless() const { return first_read == end_read; }
};

/// The index reads of a gather or scatter: the runs of its index list.
std::vector<Burst> index_reads(const Request& request);

class Bursts {
 public:
  /// `in_flight`: a write depends on no more reads than that. The request outlives the bursts.
  Bursts(const Request& request, u32 in_flight);

  /// Finds the next write, and before it calls on_read(burst) for each read that it needs and no
  /// write before it needed. False: there is none left.
  template <class OnRead>
  bool next(WriteBurst& write, OnRead on_read);

 private:
  /// The runs of the elements that are read. A read is only known when the first element beyond it
  /// is, far beyond the write that needs it first: so it has a walk of its own.
  class Reads {
   public:
    explicit Reads(const Request& request);
    /// There has to be one.
    Burst next() {
      Burst read{ahead_.source, 0};
      ++count_;
      extend(read);
      if (ahead_.elements == 0) follow(read);
      return read;
    }
    /// How many of the elements that are read are in the runs so far.
    u64 elements() const { return elements_; }
    u32 count() const { return count_; }

   private:
    /// The elements ahead that follow one another belong to it, up to the burst's edge.
    void extend(Burst& read) {
      const u32 count = std::min(ahead_.elements, elements_to_edge(ahead_.source, log2_element_));
      read.bytes += count << log2_element_;
      elements_ += count;
      ahead_.drop(count, log2_element_);
    }
    /// The same of the spans to come, and elements that are read once more.
    void follow(Burst& read);
    void look() {
      do
        if (!walk_.next(ahead_)) return void(ahead_.elements = 0);
      while (!ahead_.read);
    }
    SpanWalk walk_;
    u32 log2_element_;
    Span ahead_;  ///< of it, what is in no run yet; no element: nothing is left
    u64 elements_ = 0;
    u32 count_ = 0;
  };

  u32 log2_element_;
  u32 in_flight_;
  SpanWalk walk_;
  Span ahead_;             ///< of it, what is in no write yet; no element: nothing is left
  u64 elements_read_ = 0;  ///< elements before it that are read
  Reads reads_;
};

template <class OnRead>
bool Bursts::next(WriteBurst& write, OnRead on_read) {
  if (ahead_.elements == 0) return false;
  write = {};
  write.address = ahead_.destination;
  do {
    const u32 at = ahead_.destination;
    if (write.bytes != 0 && (at != write.address + write.bytes || at % dma::burst_bytes == 0))
      break;
    u32 count = std::min(ahead_.elements, elements_to_edge(at, log2_element_));
    if (ahead_.read) {
      // It begins a read if the reads so far hold exactly the elements before it.
      const bool begins_read = elements_read_ == reads_.elements();
      const u32 read = begins_read ? reads_.count() : reads_.count() - 1;
      if (write.sourceless()) write.first_read = write.end_read = read;
      if (read - write.first_read >= in_flight_) break;
      write.end_read = read + 1;
      if (begins_read) on_read(reads_.next());
      count = static_cast<u32>(std::min<u64>(count, reads_.elements() - elements_read_));
      elements_read_ += count;
    }
    write.bytes += count << log2_element_;
    ahead_.drop(count, log2_element_);
    if (ahead_.elements == 0 && !walk_.next(ahead_)) ahead_.elements = 0;
  } while (ahead_.elements != 0);
  write.reads_done = reads_.count() - (elements_read_ < reads_.elements() ? 1 : 0);
  return true;
}

}  // namespace simfarm::fast
