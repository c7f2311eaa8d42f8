// Whether this host can do the farm's work: what `simfarm doctor` prints.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/types.h"
#include "farm/toolchain.h"

namespace simfarm::farm {

struct Finding {
  std::string name;  ///< what was looked at
  bool ok = false;
  std::string found;   ///< a line or more
  std::string remedy;  ///< what to do; empty when it is ok
};

/// Looks at everything, in order of what depends on what; `bwrap` is a path or empty, as in
/// ToolchainPlaces. The sandbox is tried, with the filter, and something is built in it. With
/// `generators`, what runs those of held-out cases too.
std::vector<Finding> examine_host(const ToolchainPlaces& places, const std::string& bwrap,
                                  bool generators);

/// The kind of a file system, by its number (statfs f_type): "ext4".
std::string_view file_system_name(i64 type);

bool healthy(const std::vector<Finding>& findings);
std::string doctor_text(const std::vector<Finding>& findings);
/// Schema "simfarm.doctor".
nlohmann::ordered_json doctor_document(const std::vector<Finding>& findings);

}  // namespace simfarm::farm
