#include "engine/simulation.h"

#include "engine/reference/array.h"

namespace simfarm {

std::string_view name(EngineKind kind) {
  switch (kind) {
    case EngineKind::reference:
      return "reference";
  }
  return "engine";
}

Result<std::unique_ptr<Simulation>> make_simulation(EngineKind kind, RunInput input,
                                                    const RunOptions& options) {
  switch (kind) {
    case EngineKind::reference:
      return reference::Array::make(std::move(input), options);
  }
  return usage_error("no such engine");
}

}  // namespace simfarm
