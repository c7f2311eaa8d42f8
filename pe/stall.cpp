#include "pe/stall.h"

#include <numeric>

#include "isa/names.h"

namespace simfarm {

std::string_view name(Stall stall) {
  static constexpr std::array<std::string_view, stall_count> names = {
      "load_use",       "exec_busy",    "branch",        "jump_dep",
      "misaligned",     "csr",          "link_empty",    "link_full",
      "dma_queue_full", "sem_wait_dma", "sem_wait_post", "sem_wait_push",
      "sem_wait_none",  "barrier",      "fence",         "done"};
  return names[static_cast<u32>(stall)];
}

std::string_view name(IssueClass issue) { return issue_class_names[static_cast<u32>(issue)]; }

u64 Counters::instructions() const { return std::accumulate(issued.begin(), issued.end(), u64{0}); }

u64 Counters::cycles() const {
  return std::accumulate(stalls.begin(), stalls.end(), instructions());
}

Counters& Counters::operator+=(const Counters& other) {
  for (u32 k = 0; k < issue_class_count; ++k) issued[k] += other.issued[k];
  for (u32 k = 0; k < stall_count; ++k) stalls[k] += other.stalls[k];
  return *this;
}

}  // namespace simfarm
