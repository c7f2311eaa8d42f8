#include "engine/reference/dma_engine.h"

namespace simfarm::reference {

const Request* DmaEngine::head() const {
  if (!chain_.empty()) return &chain_.front();
  return queue_.empty() ? nullptr : &queue_.front().front();
}

bool DmaEngine::head_may_start(Cycle now) const {
  if (!waiting()) return false;
  return previous_ == nullptr || (previous_->all_issued() && previous_->start() < now);
}

Request DmaEngine::take_head() {
  if (chain_.empty()) {
    chain_ = std::move(queue_.front());
    queue_.pop_front();
  }
  Request request = std::move(chain_.front());
  chain_.pop_front();
  acquiring_since_ = never;
  return request;
}

}  // namespace simfarm::reference
