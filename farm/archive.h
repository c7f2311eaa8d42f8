// Tar files in and out: the only includer of libarchive. An archive is hostile until read; it is
// never unpacked onto a disk, so no link in it can point anywhere.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "farm/files.h"

namespace simfarm::farm {

/// The regular files of a tar file (plain or gzip). A single folder around everything is taken off.
/// Refused: anything but files and folders, links, absolute or escaping names, names twice or
/// differing only in case, a file that is also a folder, and what is over the limits.
Result<std::vector<PackageFile>> parse_tar(const std::vector<u8>& bytes, const std::string& origin,
                                           const PackageLimits& limits);

/// The same from a path.
Result<std::vector<PackageFile>> read_tar(const std::string& path, const PackageLimits& limits);

/// A tar file's bytes: sorted, with no owner, no times, mode 0644. Equal files give equal bytes.
Result<std::vector<u8>> print_tar(std::vector<PackageFile> files);

}  // namespace simfarm::farm
