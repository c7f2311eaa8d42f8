#include "engine/reference/dma_engine.h"

namespace simfarm::reference {

void DmaEngine::queue(std::deque<Request> chain) {
  for (Request& request : chain) request.sequence = next_sequence_++;
  queue_.push_back(std::move(chain));
}

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
  return request;
}

}  // namespace simfarm::reference
