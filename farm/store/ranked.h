// A task's submissions in the order of submitting, with what decides about the lead of its board.
// Inside the store.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "farm/store/database.h"
#include "farm/store/store.h"

namespace simfarm::farm {

struct Entrant {
  i64 submission = 0;
  bool kernel = false;   ///< the task's starting kernel
  bool pending = false;  ///< not judged yet
  bool ranked = false;   ///< in that timing
  std::string evaluation;
  u64 key = 0;  ///< when it is ranked: of its score, less is better (score_kind.h, rank_key)
};

/// One after the other, as they are needed.
class Entrants {
 public:
  /// Those behind number `after`.
  Entrants(const Database& database, i64 task, i64 after, u32 timing,
           std::shared_ptr<const Task> rules);
  std::optional<Entrant> next();
  Result<void> end() const { return failed_ ? query_.end() : failed_; }

 private:
  const Database& database_;
  Query query_;
  u32 timing_;
  std::shared_ptr<const Task> rules_;
  Result<void> failed_;
};

/// The cases of a result, in order. Error: a row is damaged.
Result<std::vector<CaseScore>> read_cases(const Database& database, const std::string& key);

}  // namespace simfarm::farm
