// A submission made ready to be improved: its files, and a manifest that names it as the parent.
#pragma once
#include <string>

#include "base/result.h"
#include "farm/submission.h"

namespace simfarm::farm {

/// What a checkout starts from.
struct CheckoutBase {
  Submission submission;
  std::string id;     ///< what boards call it: the new manifest's parent
  std::string about;  ///< one line for people: where it comes from
};

/// The manifest of a submission that builds on `base`: the same sources, built the same way, by
/// `author`. The note of `base` is in it as a comment.
std::string checkout_manifest(const CheckoutBase& base, const std::string& author);

/// Writes files and manifest into `folder`, which must be new or empty. Error (usage): it is not;
/// nothing was written.
Result<void> check_out(const CheckoutBase& base, const std::string& author,
                       const std::string& folder);

}  // namespace simfarm::farm
