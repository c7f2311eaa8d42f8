#include "engine/simulation.h"

#include "engine/fast/array.h"
#include "engine/fast/jit/backend.h"
#include "engine/reference/array.h"

namespace simfarm {
namespace {

/// The fast engine. Where races are checked it sees that one may have happened; then the reference
/// engine says whether one has, and which.
class Fast final : public Simulation {
 public:
  static Result<std::unique_ptr<Simulation>> make(RunInput input, const RunOptions& options) {
    auto fast = fast::Array::make(std::move(input), options);
    if (!fast) return fast.error();
    // Both engines take the same.
    return std::unique_ptr<Simulation>(new Fast(std::move(*fast), options));
  }

  Outcome run() override {
    Outcome outcome = fast_->run();
    if (!fast_->suspects_race()) return outcome;
    auto made = reference::Array::make(fast_->take_input(), options_);
    fast_.reset();
    reference_ = std::move(*made);
    return reference_->run();
  }
  bool read(u32 address, std::span<u8> bytes) const override { return ran().read(address, bytes); }
  bool untouched(u32 address, u64 length) const override {
    return ran().untouched(address, length);
  }
  bool read_local(PeId pe, u32 address, std::span<u8> bytes) const override {
    return ran().read_local(pe, address, bytes);
  }
  HostReport host() const override {
    if (reference_ == nullptr) return fast_->host();
    return {EngineKind::reference, "the program may race with its DMA"};
  }

 private:
  Fast(std::unique_ptr<fast::Array> fast, const RunOptions& options)
      : options_(options), fast_(std::move(fast)) {}
  const Simulation& ran() const {
    if (reference_ != nullptr) return *reference_;
    return *fast_;
  }

  RunOptions options_;
  std::unique_ptr<fast::Array> fast_;
  std::unique_ptr<Simulation> reference_;
};

}  // namespace

std::string load_code_generator() { return fast::jit::load_backend().reason; }

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
      // Observers look at every cycle of every PE.
      if (options.observer != nullptr) return reference::Array::make(std::move(input), options);
      return Fast::make(std::move(input), options);
  }
  return usage_error("no such engine");
}

}  // namespace simfarm
