// Which blobs a farm's rows name.
#pragma once
#include <map>
#include <string>

#include "farm/store/database.h"

namespace simfarm::farm {

/// By digest, what each is, for people. Dropped ones (Store::dropped) are among them.
Result<std::map<std::string, std::string>> named_blobs(const Database& database);

}  // namespace simfarm::farm
