// What a result has to say about where it was measured.
#pragma once
#include <string>
#include <string_view>

#include "base/types.h"

namespace simfarm::bench {

struct Host {
  std::string cpu;  ///< as the operating system names it
  u32 threads = 0;
  std::string compiler;
  std::string isa;   ///< the best native loop's level
  std::string date;  ///< UTC, "2026-07-01T12:00:00Z"
};

Host this_host();

/// "2026-07-01-intel-xeon-platinum-8481c": a file's name for results of this host.
std::string result_name(const Host& host);

}  // namespace simfarm::bench
