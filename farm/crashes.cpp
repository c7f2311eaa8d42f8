#include "farm/crashes.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "farm/digest.h"
#include "farm/files.h"

namespace simfarm::farm {
namespace {

namespace fs = std::filesystem;

std::string about(const SimulationRequest& request, const std::string& place,
                  const CrashReport& report) {
  std::string cases;
  for (const Case& one : request.cases) cases += " " + one.name;
  return fmt::format(
      "simulator  {}\ntask       {}, cases{}\nengine     {}, poison {:#x} {:#x}\n"
      "process    {}\nrerun      simfarm rerun {}\n"
      "debug      gdb --args simfarm rerun --here {}\nits words:\n{}\n",
      report.simulator, request.task.name, cases, name(request.options.engine),
      request.options.poison[0], request.options.poison[1], report.how, place, place, report.log);
}

std::vector<u8> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

/// Writes all files below a name that no reproducer has, then gives it its own.
Result<void> write_crash(const std::string& place, std::span<const u8> request,
                         const CrashReport& report) {
  Result<SimulationRequest> read = unpack_request(request);
  if (!read) return read.error();
  const std::string fresh = place + ".new";
  std::error_code error;
  fs::remove_all(fresh, error);
  fs::create_directories(fresh, error);
  // Its cases may be held out.
  if (!error) fs::permissions(fresh, fs::perms::owner_all, error);
  if (error) return io_error(fmt::format("{}: {}", fresh, error.message()));
  const std::string text = about(*read, place, report);
  if (const auto written = write_folder(fresh, {{"request", {request.begin(), request.end()}},
                                                {"program.elf", std::move(read->elf)},
                                                {"about.txt", bytes_of(text)}});
      !written)
    return written.error();
  fs::rename(fresh, place, error);
  if (error) return io_error(fmt::format("{}: {}", place, error.message()));
  return {};
}

size_t count_entries(const std::string& folder) {
  std::error_code error;
  size_t count = 0;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    ++count;
  return count;
}

}  // namespace

Result<std::string> Crashes::save(std::span<const u8> request, const CrashReport& report) {
  constexpr size_t digits = 16;
  const std::lock_guard lock(mutex_);
  std::error_code error;
  if (folder_.empty()) {
    std::string fresh = (fs::temp_directory_path(error) / "simfarm-crashes-XXXXXX").string();
    if (error || ::mkdtemp(fresh.data()) == nullptr)
      return io_error("no temporary folder: " + std::generic_category().message(errno));
    folder_ = fresh;
  }
  const std::string place =
      fs::absolute(folder_, error).lexically_normal() / sha256(request).substr(0, digits);
  if (fs::exists(place, error)) return place;
  if (request.size() > most_bytes) return io_error("it is too large to be kept");
  if (count_entries(folder_) >= most)
    return io_error(fmt::format("{}: holds {} already", folder_, most));
  if (const auto written = write_crash(place, request, report); !written) return written.error();
  return place;
}

Result<std::vector<u8>> load_crash(const std::string& folder) {
  return read_file(folder + "/request", Crashes::most_bytes);
}

}  // namespace simfarm::farm
