#include "engine/simulation.h"

#include "engine/fast/array.h"
#include "engine/reference/array.h"

namespace simfarm {

std::string_view name(EngineKind kind) {
  switch (kind) {
    case EngineKind::reference:
      return "reference";
    case EngineKind::fast:
      return "fast";
  }
  return "engine";
}

std::optional<EngineKind> find_engine(std::string_view text) {
  for (const EngineKind kind : engine_kinds)
    if (name(kind) == text) return kind;
  return std::nullopt;
}

Result<std::unique_ptr<Simulation>> make_simulation(EngineKind kind, RunInput input,
                                                    const RunOptions& options) {
  switch (kind) {
    case EngineKind::reference:
      return reference::Array::make(std::move(input), options);
    case EngineKind::fast:
      // Observers and race checks look at every cycle of every PE.
      if (options.observer != nullptr || options.check_races)
        return reference::Array::make(std::move(input), options);
      return fast::Array::make(std::move(input), options);
  }
  return usage_error("no such engine");
}

}  // namespace simfarm
