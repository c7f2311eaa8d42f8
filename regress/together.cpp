#include "regress/together.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"

namespace simfarm::regress {
namespace {

namespace fs = std::filesystem;

constexpr u64 max_list = 1u << 20;

std::string made(const std::string& folder) { return folder + "/.new"; }
std::string decided(const std::string& folder) { return folder + "/.decided"; }
/// Names of files that go, a line each; removed last.
std::string gone(const std::string& folder) { return folder + "/.gone"; }

Error failed(const std::string& path, const std::error_code& error) {
  return io_error(path + ": " + error.message());
}

Result<void> sync(const std::string& folder) {
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool done = file >= 0 && fsync(file) == 0;
  const std::error_code error(errno, std::generic_category());
  if (file >= 0) close(file);
  if (!done) return failed(folder, error);
  return {};
}

}  // namespace

Result<Together> Together::begin(const std::string& folder) {
  std::error_code error;
  fs::create_directories(made(folder), error);
  if (error) return failed(made(folder), error);
  return Together(folder);
}

std::string Together::path(const std::string& file) const { return made(folder_) + "/" + file; }

Result<void> Together::commit(const std::function<void()>& step) {
  std::string list;
  for (const std::string& file : gone_) list += file + "\n";
  if (auto written = write_text(gone(made(folder_)), list); !written) return written.error();
  if (step) step();
  std::error_code error;
  fs::rename(made(folder_), decided(folder_), error);
  if (error) return failed(made(folder_), error);
  if (auto synced = sync(folder_); !synced) return synced.error();
  if (step) step();
  const Result<bool> done = finish(folder_, step);
  if (!done) return done.error();
  return {};
}

bool is_unfinished(const std::string& folder) {
  std::error_code ignored;
  return fs::exists(decided(folder), ignored);
}

Result<bool> finish(const std::string& folder, const std::function<void()>& step) {
  std::error_code error;
  fs::remove_all(made(folder), error);
  if (error) return failed(made(folder), error);
  if (!is_unfinished(folder)) return false;
  const std::string from = decided(folder);
  std::vector<fs::path> files;
  for (fs::directory_iterator at(from, error), end; !error && at != end; at.increment(error))
    if (at->path() != gone(from)) files.push_back(at->path());
  for (size_t k = 0; !error && k < files.size(); ++k) {
    fs::rename(files[k], folder + "/" + files[k].filename().string(), error);
    if (step) step();
  }
  if (error) return failed(from, error);
  if (fs::exists(gone(from))) {
    const Result<std::vector<u8>> list = read_file(gone(from), max_list);
    if (!list) return list.error();
    std::string file;
    for (const u8 c : *list) {
      if (c != '\n') {
        file += static_cast<char>(c);
        continue;
      }
      fs::remove(fs::path(folder) / fs::path(file).filename(), error);
      if (error) return failed(folder + "/" + file, error);
      file.clear();
      if (step) step();
    }
  }
  if (auto synced = sync(folder); !synced) return synced.error();
  fs::remove_all(from, error);
  if (error) return failed(from, error);
  return true;
}

}  // namespace simfarm::regress
