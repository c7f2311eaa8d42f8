// Several files of a folder that are replaced together: all of them or none, whatever happens to
// the process or the host in between.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace simfarm::regress {

/// The new files are written into FOLDER/.new, which becomes FOLDER/.decided when they are
/// complete: from then on the change has happened, and whoever comes next moves what is left.
class Together {
 public:
  /// With the folder's lock, after finish().
  static Result<Together> begin(const std::string& folder);

  /// Where to write what `file` of the folder shall be.
  std::string path(const std::string& file) const;
  /// `file` shall not be there any more.
  void remove(const std::string& file) { gone_.push_back(file); }

  /// `step` is called between its steps.
  Result<void> commit(const std::function<void()>& step = {});

 private:
  explicit Together(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
  std::vector<std::string> gone_;
};

/// A change has been decided that is not finished: the folder's files do not belong together.
bool is_unfinished(const std::string& folder);

/// With the folder's lock. What a change that was cut off has left is moved to its place, if it was
/// decided, and thrown away otherwise. True: there was one that was decided.
Result<bool> finish(const std::string& folder, const std::function<void()>& step = {});

}  // namespace simfarm::regress
