// Task packages: kept as blobs, unpacked beside them.
#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <filesystem>

#include "farm/archive.h"
#include "farm/digest.h"
#include "farm/package.h"
#include "farm/store/intake.h"

namespace simfarm::farm {
namespace {

namespace fs = std::filesystem;

/// Whether a folder holds exactly the package of that digest.
bool is_unpacked(const std::string& folder, const std::string& name, const std::string& digest) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return false;
  Result<std::vector<PackageFile>> files = read_folder(folder, max_package);
  if (!files) return false;
  for (PackageFile& file : *files) file.path = name + "/" + file.path;
  const Result<std::vector<u8>> tar = print_tar(std::move(*files));
  return tar && sha256(*tar) == digest;
}

/// Puts a folder of these files at `folder`, whatever was there.
Result<void> unpack(const std::string& folder, const std::vector<PackageFile>& files) {
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  std::string fresh = folder + ".new-XXXXXX";
  if (::mkdtemp(fresh.data()) == nullptr)
    return io_error(fmt::format("{}: {}", fresh, std::generic_category().message(errno)));
  fs::permissions(fresh, fs::perms(0755), error);
  if (const auto written = write_folder(fresh, files); !written) {
    fs::remove_all(fresh, error);
    return written.error();
  }
  fs::remove_all(folder, error);
  fs::rename(fresh, folder, error);
  if (error) return io_error(fmt::format("{}: {}", folder, error.message()));
  return {};
}

}  // namespace

Result<StoredTask> Store::add_task(const std::string& folder) {
  Result<std::vector<u8>> package = pack_task(folder);
  if (!package) return package.error();
  const Result<Task> task = load_task(folder);
  if (!task) return task.error();
  const Result<std::string> digest = blobs_.put(*package);
  if (!digest) return digest.error();

  std::vector<Intake> kernels;
  std::error_code error;
  if (fs::is_regular_file(fs::path(folder) / "kernel/submission.toml", error)) {
    Result<std::vector<PackageFile>> files =
        read_folder((fs::path(folder) / "kernel").string(), max_submission);
    if (!files) return files.error();
    Result<std::vector<u8>> bytes = print_tar(std::move(*files));
    if (!bytes) return bytes.error();
    Intake& kernel = kernels.emplace_back();
    kernel.name = "kernel";
    kernel.submission = parse_archive(*bytes, folder + "/kernel");
    if (!kernel.submission) return kernel.submission.error();
    if (const auto allowed = check_against(*kernel.submission, *task); !allowed)
      return allowed.error();
    Result<std::string> archive = blobs_.put(*bytes);
    if (!archive) return archive.error();
    kernel.archive = *archive;
  }

  Result<Transaction> transaction = Transaction::begin(database_);
  if (!transaction) return transaction.error();
  Result<std::optional<StoredTask>> there = find_task(task->name);
  if (!there) return there.error();
  if (*there && (*there)->digest == *digest) {
    if (const auto unpacked = task_folder(**there); !unpacked) return unpacked.error();
    return **there;
  }
  if (*there)
    return usage_error(
        fmt::format("{}: the farm has another task {} (package {}, this one {}); results of the "
                    "two cannot be compared, so a changed task needs another name",
                    folder, task->name, (*there)->digest.substr(0, 12), digest->substr(0, 12)));
  if (const auto kept = about_to_name(*digest); !kept) return kept.error();
  const std::string origin = fs::absolute(folder, error).lexically_normal().string();
  if (const auto added =
          database_.run("INSERT INTO tasks(name, digest, folder, added) VALUES(?, ?, ?, ?)",
                        {task->name, *digest, origin, now()});
      !added)
    return added.error();
  const StoredTask stored{database_.inserted(), task->name, *digest, origin};
  for (Intake& kernel : kernels) {
    kernel.task = stored.id;
    if (const auto inserted = insert(kernel); !inserted) return inserted.error();
  }
  if (const auto done = transaction->commit(); !done) return done.error();
  if (const auto unpacked = task_folder(stored); !unpacked) return unpacked.error();
  return stored;
}

Result<std::vector<StoredTask>> Store::tasks() {
  std::vector<StoredTask> tasks;
  Query query(database_, "SELECT id, name, digest, folder FROM tasks ORDER BY name");
  while (query.next())
    tasks.push_back({query.integer(0), query.text(1), query.text(2), query.text(3)});
  if (const auto read = query.end(); !read) return read.error();
  return tasks;
}

Result<std::optional<StoredTask>> Store::find_task(const std::string& name) {
  Result<std::vector<StoredTask>> all = tasks();
  if (!all) return all.error();
  for (StoredTask& each : *all)
    if (each.name == name) return std::optional(std::move(each));
  return std::optional<StoredTask>();
}

Result<std::shared_ptr<const Task>> Store::rules_of(i64 task) {
  if (const auto known = rules_.find(task); known != rules_.end()) return known->second;
  const Result<std::vector<StoredTask>> all = tasks();
  if (!all) return all.error();
  for (const StoredTask& each : *all) {
    if (each.id != task) continue;
    const Result<std::string> folder = task_folder(each);
    if (!folder) return folder.error();
    Result<Task> loaded = load_task(*folder);
    if (!loaded) return loaded.error();
    return rules_[task] = std::make_shared<const Task>(std::move(*loaded));
  }
  return io_error(fmt::format("{}: no task {}", folder_, task));
}

Result<std::string> Store::task_folder(const StoredTask& task) const {
  const std::string folder = fmt::format("{}/tasks/{}", folder_, task.name);
  if (is_unpacked(folder, task.name, task.digest)) return folder;
  const Result<std::vector<u8>> package = blobs_.get(task.digest);
  if (!package) return package.error();
  const Result<std::vector<PackageFile>> files =
      parse_tar(*package, "package of task " + task.name, max_package);
  if (!files) return files.error();
  if (const auto unpacked = unpack(folder, *files); !unpacked) return unpacked.error();
  return folder;
}

}  // namespace simfarm::farm
