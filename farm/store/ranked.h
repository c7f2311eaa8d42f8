// A task's submissions in the order of submitting, with what decides about the lead of its board.
// Inside the store.
#pragma once
#include <optional>
#include <string>

#include "farm/store/database.h"
#include "farm/store/store.h"

namespace simfarm::farm {

struct Entrant {
  i64 submission = 0;
  bool kernel = false;   ///< the task's starting kernel
  bool pending = false;  ///< not judged yet
  bool ranked = false;   ///< in that timing
  std::string evaluation;
  Cycle cycles = 0;  ///< when it is ranked
};

/// One after the other, as they are needed.
class Entrants {
 public:
  /// Those behind number `after`.
  Entrants(const Database& database, i64 task, i64 after, u32 timing);
  std::optional<Entrant> next();
  Result<void> end() const { return query_.end(); }

 private:
  Query query_;
  u32 timing_;
};

}  // namespace simfarm::farm
