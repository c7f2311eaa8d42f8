// Content addresses: the only includer of OpenSSL. Submissions are hostile, so a fast hash will not
// do.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/types.h"
#include "farm/files.h"

namespace simfarm::farm {

/// SHA-256 in lower-case hexadecimal.
std::string sha256(std::span<const u8> bytes);

/// SHA-256 over files' names, sizes and bytes; any one byte different gives another digest.
std::string sha256(const std::vector<PackageFile>& files);

}  // namespace simfarm::farm
