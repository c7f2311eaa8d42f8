// What DMA has brought to one PE's local memory and the PE has not acquired (docs/machine.md, V3,
// V5, V6). The PE's own view is its LocalStore; DMA sees these transfers on top of it, in order of
// completion.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "engine/fast/footprint.h"
#include "engine/fast/local_store.h"
#include "engine/fast/payload.h"
#include "engine/fast/planted.h"
#include "engine/fast/reservations.h"

namespace simfarm::fast {

/// A transfer that has started.
struct Flight : std::enable_shared_from_this<Flight> {
  Flight(Request asked, Payload carried, Cycle started)
      : request(std::move(asked)), payload(std::move(carried)), start(started) {}
  Request request;
  Payload payload;
  Cycle start = 0;
  Cycle completion = never;
  std::vector<Placement::AtReceiver> receivers;
  bool arrived_home = false;  ///< its bytes have come to its initiator's local memory
  bool acquired = false;      ///< by its own PE, which knew when it would be complete
  bool complete = false;      ///< at its initiator
  u32 on_the_way = 0;         ///< receivers that have not seen it come

  /// Where races are looked for: in which local memories its bytes must not be touched, by PE, and
  /// from which epoch of the PE on; 0: acquired.
  struct Guard {
    PeId pe = 0;
    u32 from = 0;
  };
  std::vector<Guard> guards;
  PlacedRanges written;

  /// The cycle in which its bytes are in its initiator's local memory; never: they do not go there.
  Cycle arrives_home() const {
    if (request.destination_space != AddressMap::Space::local) return never;
    if (!request.descriptor.multicast) return completion;
    for (const Placement::AtReceiver& receiver : receivers)
      if (receiver.pe == request.pe) return receiver.at;
    return never;
  }
};
using SharedFlight = std::shared_ptr<Flight>;

inline void apply(const Payload& payload, LocalStore& local) {
  std::vector<u8> bytes;
  payload.for_each_run([&](u32 address, std::span<const u8> values) {
    if (!payload.adds()) return local.write(address, values);
    bytes.resize(values.size());
    local.read(address, bytes);
    payload.add(bytes, values);
    local.write(address, bytes);
  });
}

class Unacquired {
 public:
  /// `flight` has come to this memory; a gp.wait on one of the semaphores `releases` acquires it.
  void arrive(SharedFlight flight, u32 releases) {
    arrived_.push_back({std::move(flight), releases});
  }
  /// It releases one more.
  void release(const Flight& flight, u32 semaphore) {
    for (Arrived& one : arrived_)
      if (one.flight.get() == &flight) one.releases |= 1u << semaphore;
  }
  /// A gp.wait on `semaphore` issues; it acquires as well what `also(flight)` says. Calls
  /// sink(flight) for each that it acquires, in order.
  template <class Also, class Sink>
  void acquire(u32 semaphore, Also also, Sink sink) {
    if (planted(Planted::acquire_order)) std::reverse(arrived_.begin(), arrived_.end());
    std::erase_if(arrived_, [&](Arrived& one) {
      if ((one.releases >> semaphore & 1) == 0 && !also(*one.flight)) return false;
      sink(one.flight);
      return true;
    });
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Arrived& one : arrived_) visit(*one.flight);
  }
  /// Puts on top of `image`, what the PE sees from address `base` on, what DMA sees.
  void put_on(u32 base, std::span<u8> image) const {
    for (const Arrived& one : arrived_) one.flight->payload.apply(base, image);
  }

 private:
  struct Arrived {
    SharedFlight flight;
    u32 releases = 0;
  };
  std::vector<Arrived> arrived_;
};

}  // namespace simfarm::fast
