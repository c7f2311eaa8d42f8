#include "farm/store/farm_doctor.h"

#include <fmt/format.h>
#include <sys/vfs.h>

#include "farm/store/place.h"
#include "farm/store/schema.h"
#include "farm/store/store.h"
#include "farm/store/upgrade.h"

namespace simfarm::farm {
namespace {

Finding look_at_place(const std::string& folder) {
  // As much as a day of submissions may need; below 16 MiB nothing is judged.
  constexpr u64 needed = u64{1} << 30;
  constexpr const char* name = "farm's disk";
  struct statfs status {};
  if (::statfs(folder.c_str(), &status) != 0)
    return {name, false, folder + ": not there", "simfarm farm init makes a farm"};
  const u64 free = static_cast<u64>(status.f_bavail) * static_cast<u64>(status.f_bsize);
  const std::string found = fmt::format(
      "{}: {}, {} MiB free", folder, file_system_name(static_cast<i64>(status.f_type)), free >> 20);
  if (const auto local = check_local(folder); !local)
    return {name, false, found, "move the farm to a local disk (docs/farm.md, section 5)"};
  if (free >= needed) return {name, true, found, ""};
  return {name, false, found,
          fmt::format("make room: {} MiB are wanted, and below 16 MiB nothing is judged; "
                      "`simfarm farm gc --dry-run` says what is not needed",
                      needed >> 20)};
}

Finding look_at_schema(const std::string& folder) {
  constexpr const char* name = "farm's schema";
  Result<Database> database = open_any_version(folder, Database::Mode::read);
  if (!database)
    return {name, false, database.error().message,
            "a newer simfarm's farm: use that one; damage: restore a back-up"};
  const Result<i64> version = database->integer("PRAGMA user_version");
  if (!version) return {name, false, version.error().message, "restore a back-up"};
  if (*version == schema_version) return {name, true, fmt::format("version {}", *version), ""};
  return {name, false, fmt::format("version {}; this simfarm's is {}", *version, schema_version),
          fmt::format("back it up, then simfarm farm upgrade {}", folder)};
}

/// Only when a task needs it.
Finding look_at_secret(const std::string& folder) {
  constexpr const char* name = "farm's secret";
  const Result<Store> store = Store::open_to_read(folder);
  if (!store) return {name, false, store.error().message, "the lines above come first"};
  const Result<std::optional<Secret>> secret = store->secret();
  if (!secret) return {name, false, secret.error().message, "chmod 600, or put it back"};
  if (!*secret)
    return {name, false, store->secret_path() + ": not there",
            "put it back, or simfarm farm rotate-secret"};
  return {name, true, fmt::format("id {}", (*secret)->id()), ""};
}

}  // namespace

bool farm_has_generators(const std::string& folder) {
  Result<Store> store = Store::open_to_read(folder);
  if (!store) return false;
  const Result<std::vector<StoredTask>> tasks = store->tasks();
  if (!tasks) return true;
  for (const StoredTask& each : *tasks) {
    const Result<std::string> unpacked = store->task_folder(each);
    const Result<Task> task = unpacked ? load_task(*unpacked) : Result<Task>(unpacked.error());
    if (!task || !task->held_out.empty()) return true;
  }
  return false;
}

std::vector<Finding> examine_farm(const std::string& folder) {
  std::vector<Finding> findings = {look_at_place(folder), look_at_schema(folder)};
  if (healthy(findings) && farm_has_generators(folder)) findings.push_back(look_at_secret(folder));
  return findings;
}

}  // namespace simfarm::farm
