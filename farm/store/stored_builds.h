// A farm's programs by what they were built from: builds/ in its folder, one small file a build,
// which names a blob. A cache: it may be removed at any time.
#pragma once
#include <string>

#include "farm/builds.h"
#include "farm/store/blobs.h"
#include "farm/store/key.h"

namespace simfarm::farm {

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
