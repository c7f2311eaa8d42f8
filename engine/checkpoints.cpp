#include "engine/checkpoints.h"

namespace simfarm {

void Checkpoints::keep(Cycle cycle) {
  if (kept_.size() == most_) {
    for (size_t k = 0; 2 * k + 1 < kept_.size(); ++k) kept_[k] = kept_[2 * k + 1];
    kept_.resize(kept_.size() / 2);
    stride_ *= 2;
    if (count_ % stride_ != 0) return;
  }
  kept_.push_back({cycle, digest_});
}

}  // namespace simfarm
