#include "engine/reference/links.h"

#include <algorithm>

#include "base/check.h"

namespace simfarm::reference {

Links::Links(const Machine& machine) : machine_(machine), fifos_(machine.pes() * direction_count) {
  for (Fifo& one : fifos_) one.credits.assign(machine.link.depth, 0);
}

bool Links::send(PeId pe, Direction direction, u32 word, Cycle now) {
  const std::optional<PeId> to = neighbour(machine_, pe, direction);
  check(to.has_value(), "a word sent off the array's edge");
  Fifo& link = fifo(*to, opposite(direction));
  if (link.credits.empty() || link.credits.front() > now) return false;
  link.credits.pop_front();
  link.words.push_back({word, now + machine_.link.latency});
  latest_ = std::max(latest_, now + machine_.link.latency);
  return true;
}

std::optional<u32> Links::receive(PeId pe, Direction direction, Cycle now) {
  Fifo& link = fifo(pe, direction);
  if (link.words.empty() || link.words.front().arrives > now) return std::nullopt;
  const u32 value = link.words.front().value;
  link.words.pop_front();
  link.credits.push_back(now + machine_.link.credit_latency);
  latest_ = std::max(latest_, now + machine_.link.credit_latency);
  return value;
}

}  // namespace simfarm::reference
