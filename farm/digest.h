// Content addresses: the only includer of OpenSSL. Submissions are hostile, so a fast hash will not
// do.
#pragma once
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "farm/files.h"

namespace simfarm::farm {

/// SHA-256 in lower-case hexadecimal.
std::string sha256(std::span<const u8> bytes);

/// Of a regular file's bytes, however large it is. Error (io): it cannot be read.
Result<std::string> sha256_of_file(const std::string& path);

/// HMAC-SHA256 (RFC 2104).
std::array<u8, 32> hmac_sha256(std::span<const u8> key, std::string_view text);

/// SHA-256 over files' names, sizes and bytes; any one byte different gives another digest.
std::string sha256(const std::vector<PackageFile>& files);

}  // namespace simfarm::farm
