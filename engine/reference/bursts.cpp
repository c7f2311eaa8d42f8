#include "engine/reference/bursts.h"

#include "base/check.h"

namespace simfarm::reference {
namespace {

/// Runs of `bytes`-byte elements: the next one begins where `burst` ends, in the same block.
bool continues(const Burst& burst, u32 address) {
  return address == burst.address + burst.bytes && address % dma::burst_bytes != 0;
}

/// The same element once more.
bool repeats(const Burst& burst, u32 address, u32 element_bytes) {
  return address == burst.address + burst.bytes - element_bytes;
}

}  // namespace

std::vector<Burst> index_reads(const Request& request) {
  constexpr u32 index_bytes = 4;
  std::vector<Burst> bursts;
  for (u32 k = 0; k < request.indices.size(); ++k) {
    const u32 address =
        request.descriptor.index_base + k * static_cast<u32>(request.descriptor.index_stride);
    if (!bursts.empty() && repeats(bursts.back(), address, index_bytes)) continue;
    if (bursts.empty() || !continues(bursts.back(), address))
      bursts.push_back({BurstKind::index_read, address, 0});
    bursts.back().bytes += index_bytes;
  }
  return bursts;
}

BurstCutter::Reads::Reads(const Request& request)
    : walk_(request.descriptor, request.indices, request.destination),
      element_bytes_(request.descriptor.element_bytes) {
  look();
}

void BurstCutter::Reads::look() {
  Element element;
  do {
    if (!walk_.next(element)) return ahead_.reset();
  } while (!element.read);
  ahead_ = element;
}

Burst BurstCutter::Reads::next() {
  check(ahead_.has_value(), "an element that is read belongs to no read burst");
  Burst read{BurstKind::read, ahead_->source, element_bytes_, count_, count_ + 1};
  ++count_;
  ++elements_;
  for (look(); ahead_; look()) {
    if (continues(read, ahead_->source))
      read.bytes += element_bytes_;
    else if (!repeats(read, ahead_->source, element_bytes_))
      break;
    ++elements_;
  }
  return read;
}

BurstCutter::BurstCutter(const Request& request, u32 in_flight)
    : element_bytes_(request.descriptor.element_bytes),
      in_flight_(in_flight),
      walk_(request.descriptor, request.indices, request.destination),
      reads_(request) {
  look();
}

void BurstCutter::look() {
  Element element;
  if (walk_.next(element))
    ahead_ = element;
  else
    ahead_.reset();
}

bool BurstCutter::next(std::vector<Burst>& bursts) {
  if (!ahead_) return false;
  Burst write{BurstKind::write, ahead_->destination, 0};
  for (; ahead_; look()) {
    if (write.bytes != 0 && !continues(write, ahead_->destination)) break;
    if (ahead_->read) {
      // It begins a read if the reads so far hold exactly the elements before it.
      const bool begins_read = elements_read_ == reads_.elements();
      const u32 read = begins_read ? reads_.count() : reads_.count() - 1;
      if (write.sourceless()) write.first_read = read;
      if (read - write.first_read >= in_flight_) break;
      write.end_read = read + 1;
      if (begins_read) bursts.push_back(reads_.next());
      ++elements_read_;
    }
    write.bytes += element_bytes_;
  }
  write.reads_done = reads_.count();
  if (elements_read_ < reads_.elements()) --write.reads_done;
  bursts.push_back(write);
  return true;
}

}  // namespace simfarm::reference
