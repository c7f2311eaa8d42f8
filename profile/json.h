// An Outcome as JSON (schema "simfarm.run", documented in docs/json.md). Everything but the key
// `host` is the same on every host.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "engine/machine.h"
#include "engine/outcome.h"
#include "memory/program.h"

namespace simfarm::profile {

/// Facts about the host's side of a run; never compared.
struct HostFacts {
  std::string engine;
  double seconds = 0;   ///< wall time of the simulation itself
  std::string trouble;  ///< HostReport's
};

/// Key order is kept as written.
using Json = nlohmann::ordered_json;

/// {issued: {class: n}, stalls: {bin: n}, sem_wait_by: {dma, post, push, none}}.
Json to_json(const Counters& counters);

/// The whole document of one run. Source lines of traps come from `program`.
Json run_document(const Machine& machine, const Program& program, const Outcome& outcome,
                  const HostFacts& host);

}  // namespace simfarm::profile
