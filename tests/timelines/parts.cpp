#include "tests/timelines/timeline.h"

namespace simfarm::timelines {

std::vector<Part> parts() {
  return {
      {"Xgp on one PE", core_timelines()},
      {"Links", link_timelines()},
      {"Posts and waits", semaphore_timelines()},
      {"Barriers", barrier_timelines()},
      {"DMA inside local memory", local_copy_timelines()},
      {"DMA shapes", shape_timelines()},
      {"DMA with OCM and DRAM", shared_copy_timelines()},
      {"One engine's order of work", engine_timelines()},
      {"Two engines, one resource", contention_timelines()},
      {"Multicast", multicast_timelines()},
      {"Gather and scatter", indexed_timelines()},
      {"Visibility", visibility_timelines()},
      {"Ends", ending_timelines()},
      {"Other figures", figure_timelines()},
  };
}

}  // namespace simfarm::timelines
