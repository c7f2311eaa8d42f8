#include "farm/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>

#include "base/file.h"
#include "farm/text.h"

namespace simfarm::farm {
namespace {

struct FreeReader {
  void operator()(archive* each) const { archive_read_free(each); }
};
struct FreeWriter {
  void operator()(archive* each) const { archive_write_free(each); }
};
struct FreeEntry {
  void operator()(archive_entry* each) const { archive_entry_free(each); }
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

/// Reads one archive; every refusal names file and entry.
class TarReader {
 public:
  TarReader(const std::string& path, const PackageLimits& limits) : path_(path), limits_(limits) {}

  Result<std::vector<PackageFile>> read(const std::vector<u8>& bytes) {
    const std::unique_ptr<archive, FreeReader> tar(archive_read_new());
    archive_read_support_format_tar(tar.get());
    archive_read_support_filter_gzip(tar.get());
    if (archive_read_open_memory(tar.get(), bytes.data(), bytes.size()) != ARCHIVE_OK)
      return refuse_archive(tar.get());
    for (;;) {
      archive_entry* entry = nullptr;
      const int got = archive_read_next_header(tar.get(), &entry);
      if (got == ARCHIVE_EOF) break;
      if (got != ARCHIVE_OK) return refuse_archive(tar.get());
      if (const auto taken = take(tar.get(), entry); !taken) return taken.error();
    }
    if (files_.empty()) return input_error(path_ + ": holds no files");
    if (const auto clash = check_clashes(); !clash) return clash.error();
    take_off_folder();
    std::sort(files_.begin(), files_.end(),
              [](const PackageFile& a, const PackageFile& b) { return a.path < b.path; });
    return std::move(files_);
  }

 private:
  Error refuse(std::string_view entry, std::string_view why) const {
    return input_error(fmt::format("{}: entry {}: {}", path_, printable_key(entry), why));
  }
  Error refuse_archive(archive* tar) const {
    const char* why = archive_error_string(tar);
    return input_error(fmt::format("{}: not a readable tar file: {}", path_,
                                   why != nullptr ? printable_key(why) : "damaged"));
  }

  Result<void> take(archive* tar, archive_entry* entry) {
    if (++entries_ > 2 * limits_.files)
      return input_error(fmt::format("{}: more than {} entries", path_, 2 * limits_.files));
    const char* raw = archive_entry_pathname(entry);
    if (raw == nullptr) return refuse(fmt::format("{}", entries_), "has no readable name");
    std::string name = raw;
    if (name.starts_with("./")) name.erase(0, 2);
    const bool folder = archive_entry_filetype(entry) == AE_IFDIR;
    while (folder && !name.empty() && name.back() == '/') name.pop_back();
    if (folder && (name.empty() || name == ".")) return {};
    if (const auto problem = path_problem(name)) return refuse(raw, "the name " + *problem);
    if (archive_entry_hardlink(entry) != nullptr) return refuse(name, "is a hard link");
    if (archive_entry_symlink(entry) != nullptr) return refuse(name, "is a symbolic link");
    if (folder) {
      folders_.push_back(name);
      return {};
    }
    if (archive_entry_filetype(entry) != AE_IFREG)
      return refuse(name, "is neither a regular file nor a folder");
    if (files_.size() == limits_.files)
      return input_error(fmt::format("{}: more than {} files", path_, limits_.files));
    PackageFile file{std::move(name), {}};
    u8 block[1 << 14];
    for (;;) {
      const la_ssize_t got = archive_read_data(tar, block, sizeof block);
      if (got == 0) break;
      if (got < 0) return refuse_archive(tar);
      bytes_ += static_cast<u64>(got);
      if (bytes_ > limits_.bytes)
        return input_error(fmt::format("{}: more than {} bytes of files", path_, limits_.bytes));
      file.bytes.insert(file.bytes.end(), block, block + got);
    }
    files_.push_back(std::move(file));
    return {};
  }

  /// Names are compared without case: two that differ in it alone are one file on some systems.
  Result<void> check_clashes() const {
    std::map<std::string, const std::string*> seen;
    std::map<std::string, const std::string*> parents;
    for (const PackageFile& file : files_)
      if (const auto [at, fresh] = seen.emplace(lower(file.path), &file.path); !fresh)
        return refuse(file.path, fmt::format("is there twice (as {})", *at->second));
    const auto check_parent = [&](const std::string& path) -> Result<void> {
      if (const auto at = seen.find(lower(path)); at != seen.end())
        return refuse(*at->second, "is a file and a folder");
      return {};
    };
    for (const std::string& folder : folders_)
      if (const auto fine = check_parent(folder); !fine) return fine.error();
    for (const PackageFile& file : files_)
      for (size_t at = file.path.find('/'); at != std::string::npos;
           at = file.path.find('/', at + 1))
        if (const auto fine = check_parent(file.path.substr(0, at)); !fine) return fine.error();
    return {};
  }

  /// `tar cf x.tar folder/` is what people do: the folder around everything is no part of it.
  void take_off_folder() {
    const size_t slash = files_.front().path.find('/');
    if (slash == std::string::npos) return;
    const std::string around = files_.front().path.substr(0, slash + 1);
    for (const PackageFile& file : files_)
      if (!file.path.starts_with(around)) return;
    for (PackageFile& file : files_) file.path.erase(0, around.size());
  }

  const std::string& path_;
  const PackageLimits& limits_;
  std::vector<PackageFile> files_;
  std::vector<std::string> folders_;
  u32 entries_ = 0;
  u64 bytes_ = 0;
};

la_ssize_t append(archive*, void* data, const void* buffer, size_t length) {
  auto* bytes = static_cast<std::vector<u8>*>(data);
  const u8* from = static_cast<const u8*>(buffer);
  bytes->insert(bytes->end(), from, from + length);
  return static_cast<la_ssize_t>(length);
}

}  // namespace

Result<std::vector<PackageFile>> parse_tar(const std::vector<u8>& bytes, const std::string& origin,
                                           const PackageLimits& limits) {
  return TarReader(origin, limits).read(bytes);
}

Result<std::vector<PackageFile>> read_tar(const std::string& path, const PackageLimits& limits) {
  // Headers take 512 bytes a file, and names longer than 100 bytes three blocks more.
  Result<std::vector<u8>> bytes = read_file(path, limits.bytes + u64{limits.files} * 2 * 2048);
  if (!bytes) return bytes.error();
  return parse_tar(*bytes, path, limits);
}

Result<std::vector<u8>> print_tar(std::vector<PackageFile> files) {
  std::sort(files.begin(), files.end(),
            [](const PackageFile& a, const PackageFile& b) { return a.path < b.path; });
  std::vector<u8> bytes;
  const std::unique_ptr<archive, FreeWriter> tar(archive_write_new());
  archive_write_set_format_ustar(tar.get());
  archive_write_set_bytes_per_block(tar.get(), 0);
  if (archive_write_open(tar.get(), &bytes, nullptr, append, nullptr) != ARCHIVE_OK)
    return io_error("cannot make a tar file");
  for (const PackageFile& file : files) {
    const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
    archive_entry_set_pathname(entry.get(), file.path.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.bytes.size()));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_mtime(entry.get(), 0, 0);
    if (archive_write_header(tar.get(), entry.get()) != ARCHIVE_OK ||
        archive_write_data(tar.get(), file.bytes.data(), file.bytes.size()) !=
            static_cast<la_ssize_t>(file.bytes.size()))
      return io_error(
          fmt::format("cannot pack {}: {}", file.path, archive_error_string(tar.get())));
  }
  if (archive_write_close(tar.get()) != ARCHIVE_OK) return io_error("cannot finish a tar file");
  return bytes;
}

}  // namespace simfarm::farm
