// Sets of submissions that are judged again, for people and for programs (docs/json.md).
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "farm/store/store.h"

namespace simfarm::farm {

/// What the members of a set had, and what they have now; schema "simfarm.rejudge".
Result<nlohmann::ordered_json> rejudge_document(Store& store, const RejudgeSet& set);
/// The same as lines: counts, and each member that differs.
std::string rejudge_text(const nlohmann::ordered_json& document);

/// All sets, a line each.
Result<std::string> rejudges_text(Store& store);

/// The submissions of a task that `selection` means: "all" that was judged, "ranked", "top:N" of
/// the board, or numbers, "3,7-9". Error (usage): none of these.
Result<std::vector<i64>> select_submissions(Store& store, const std::string& task,
                                            const std::string& selection);

}  // namespace simfarm::farm
