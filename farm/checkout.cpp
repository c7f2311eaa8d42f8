#include "farm/checkout.h"

#include <fmt/format.h>

#include <filesystem>

#include "farm/files.h"

namespace simfarm::farm {
namespace {

/// A basic string of TOML.
std::string toml_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

/// Each line of a text as a comment.
std::string commented(const std::string& text) {
  std::string lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines += "#   " + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return lines;
}

}  // namespace

std::string checkout_manifest(const CheckoutBase& base, const std::string& author) {
  const Submission& submission = base.submission;
  std::string text = "# Built on " + base.about + ".\n";
  if (!submission.note.empty()) text += "# Its note:\n" + commented(submission.note);
  text += fmt::format("task = {}\nauthor = {}\nparent = {}\n", toml_text(submission.task),
                      toml_text(author), toml_text(base.id));
  text += "note = \"\"  # why your change is right, and why it is faster\n";
  text += fmt::format("optimise = \"{}\"\nsources = [", name(submission.optimise));
  for (const std::string& source : submission.sources)
    text += (text.back() == '[' ? "" : ", ") + toml_text(source);
  text += "]\n";
  if (submission.local_memory_bytes)
    text += fmt::format("local_memory_bytes = {}\n", *submission.local_memory_bytes);
  if (!submission.defines.empty()) text += "[defines]\n";
  for (const auto& [define, value] : submission.defines)
    text += fmt::format("{} = {}\n", define, toml_text(value));
  return text;
}

Result<void> check_out(const CheckoutBase& base, const std::string& author,
                       const std::string& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder, error) &&
      !(std::filesystem::is_directory(folder, error) && std::filesystem::is_empty(folder, error)))
    return usage_error(folder + ": is there already and not an empty folder; nothing was written");
  std::filesystem::create_directories(folder, error);
  if (error) return io_error(fmt::format("{}: {}", folder, error.message()));
  const std::string manifest = checkout_manifest(base, author);
  std::vector<PackageFile> files = base.submission.files;
  files.push_back({"submission.toml", {manifest.begin(), manifest.end()}});
  return write_folder(folder, files);
}

}  // namespace simfarm::farm
