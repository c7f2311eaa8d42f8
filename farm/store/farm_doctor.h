// Whether a farm's folder is as this simfarm needs it: what `simfarm doctor --farm` prints more.
#pragma once
#include <string>
#include <vector>

#include "farm/doctor.h"

namespace simfarm::farm {

/// The farm's place, its schema's version and its secret. Changes nothing.
std::vector<Finding> examine_farm(const std::string& folder);

/// Whether a task of the farm has held-out cases; one that cannot be read counts.
bool farm_has_generators(const std::string& folder);

}  // namespace simfarm::farm
