// Inside the store: a submission between its archive and its row.
#pragma once
#include <string>
#include <vector>

#include "farm/store/store.h"

namespace simfarm::farm {

/// Reads a kept archive once more, by the rules of intake.
Result<Submission> parse_archive(const std::vector<u8>& bytes, const std::string& origin);

struct Store::Intake {
  std::string name;
  i64 task = 0;  ///< 0: none
  Result<Submission> submission = usage_error("not read");
  std::string archive;
  std::string refusal;  ///< empty: queued
};

}  // namespace simfarm::farm
