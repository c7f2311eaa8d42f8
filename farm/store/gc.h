// What a farm no longer needs is removed: never anything that a verdict, a board, judging again, a
// decision about the lead, `show`, `rerun` or a checkout needs, unless the operator says so.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "farm/store/store.h"

namespace simfarm::farm {

struct GcRequest {
  bool dry_run = false;  ///< removes nothing
  /// Blobs that no row names, and half-written files, are removed when they are older
  /// (milliseconds, as all ages here). Younger ones may belong to a submit or a judgement under
  /// way.
  i64 orphan_age = i64{24} * 3600 * 1000;
  i64 crash_age = i64{30} * 24 * 3600 * 1000;  ///< likewise reproducers in crashes/
  /// The toolchains and sandboxes whose builds are kept in builds/; empty: all builds are.
  std::vector<JudgingHost> builders = {};
  /// What engines that disagree said, when it was decided longer ago; none: it is kept.
  std::optional<i64> log_age = {};
  /// Archives of submissions that are cancelled or rejected, for so long; empty: they are kept.
  std::set<State> archives_of = {};
  i64 archive_age = 0;
  std::set<i64> keep = {};  ///< submissions whose archives are kept in any case
  /// Told "removed" after each file, beside what the database's is told. For tests.
  std::function<void(std::string_view)> boundary = {};
};

struct GcItem {
  enum class What : u8 { orphan, stray, build, crash, log, archive, count } what{};
  std::string name;  ///< a blob's digest, or a path inside the farm
  u64 bytes = 0;
  std::string why;
};
/// "orphan".
std::string_view name(GcItem::What what);

struct GcReport {
  std::vector<GcItem> removed;     ///< or that would be; in order of what and name
  std::vector<std::string> notes;  ///< what could not be looked at
  u64 bytes = 0;                   ///< of all that was removed
  u64 kept_blobs = 0;
  u64 kept_bytes = 0;  ///< of these
};

/// Removes what the request says. Safe beside submits, a coordinator and another one like it: a
/// blob is removed inside a write transaction in which no row names it, and not when it was put a
/// short while ago. Killed anywhere, nothing that is needed is gone: what is dropped on request is
/// noted in the database first. Error: it could not be looked at, or not removed; some of it may be
/// removed.
Result<GcReport> collect_garbage(Store& store, const GcRequest& request);

}  // namespace simfarm::farm
