// A submission: what somebody wants judged. Validated here and nowhere else; everything after
// intake works on this value and trusts its names, sizes and options.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "farm/files.h"
#include "farm/verdict.h"

namespace simfarm::farm {

enum class Optimise : u8 { O0, O1, O2, O3, Os };
/// "O2".
std::string_view name(Optimise level);

struct Submission {
  std::string task;    ///< name of the task that it answers
  std::string author;  ///< one line
  std::string parent;  ///< the submission that it builds on; empty: none
  std::string note;    ///< why it is right, and why it is faster; may have lines
  Optimise optimise = Optimise::O2;
  std::vector<std::string> sources;  ///< what is compiled, in order of linking
  std::map<std::string, std::string> defines;
  /// What each PE's local memory shall have, for a task whose score that is; none: the machine's.
  std::optional<u64> local_memory_bytes;
  std::vector<PackageFile> files;  ///< sources and what they include, sorted by path
};

/// The largest submission that any task may allow; a task's own limit is checked by check_against.
inline constexpr PackageLimits max_submission{.bytes = 16u << 20, .files = 256};

/// Reads a folder, or a tar file (plain or gzip).
Result<Submission> load_submission(const std::string& path);

/// The same from a package's files, submission.toml among them; `origin` names them in errors.
Result<Submission> parse_submission(std::vector<PackageFile> files, const std::string& origin);

/// The verdict that a deliberately wrong submission must get: `expect = "WRONG_OUTPUT"` in
/// expect.toml beside submission.toml, or in x.tar.expect.toml beside x.tar. Never from inside an
/// archive: who submits has no say in it. None: not said.
Result<std::optional<Verdict>> load_expectation(const std::string& path);

struct Task;
/// What this task does not allow: another task's name, macros, too many bytes.
Result<void> check_against(const Submission& submission, const Task& task);

}  // namespace simfarm::farm
