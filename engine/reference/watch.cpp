#include "engine/reference/watch.h"

namespace simfarm::reference {

void Watch::flush() {
  for (const Call& call : calls_) {
    switch (call.kind) {
      case Kind::issued:
        observer_->issued(call.cycle, call.pe, call.value, call.op, call.x);
        break;
      case Kind::transfer:
        observer_->transfer(call.cycle, call.pe, call.value, call.sequence, call.event);
        break;
      case Kind::released:
        observer_->released(call.cycle, call.pe, call.sequence, call.other, call.value,
                            call.amount);
        break;
      case Kind::beat:
        observer_->beat(call.cycle, call.pe, call.sequence, call.value, call.resource);
        break;
      case Kind::link:
        observer_->link(call.cycle, call.pe, call.other, call.value, call.event);
        break;
    }
  }
  calls_.clear();
}

}  // namespace simfarm::reference
