// A farm's programs by what they were built from: builds/ in its folder, one small file a build,
// which names a blob. A cache: it may be removed at any time.
#pragma once
#include <string>

#include "farm/builds.h"
#include "farm/store/blobs.h"
#include "farm/store/key.h"

namespace simfarm::farm {

/// What a build's program depends on, beside the host.
struct BuildParts {
  std::string sources;  ///< digest of the submission's files
  std::string options;  ///< likewise of how they are built
  std::string headers;  ///< likewise of the task's include/
  u64 local_bytes = 0;  ///< of each PE's local memory
};
/// SHA-256 over the parts and the host's toolchain and sandbox: the build's name in builds/.
std::string build_name(const BuildParts& parts, const JudgingHost& host);
/// Of the task's include/; empty: it cannot be read.
std::string headers_digest(const Task& task);

class StoredBuilds : public Builds {
 public:
  /// Of that farm, with this host's toolchain and sandbox.
  StoredBuilds(const std::string& farm, JudgingHost host)
      : folder_(farm + "/builds"), blobs_(farm + "/blobs"), host_(std::move(host)) {}

  std::optional<std::vector<u8>> find(const Task& task, const Submission& submission) override;
  void keep(const Task& task, const Submission& submission, std::span<const u8> elf) override;

 private:
  std::string path(const Task& task, const Submission& submission) const;

  std::string folder_;
  Blobs blobs_;
  JudgingHost host_;
};

}  // namespace simfarm::farm
