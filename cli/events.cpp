#include "cli/events.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace simfarm::cli {

Result<EventLog> EventLog::open(const std::string& path) {
  EventLog log;
  log.path_ = path;
  if (path == "-") log.file_.reset(stdout);
  if (path.empty() || path == "-") return log;
  log.file_.reset(std::fopen(path.c_str(), "we"));
  if (!log.file_)
    return io_error(fmt::format("{}: {}", path, std::generic_category().message(errno)));
  return log;
}

void EventLog::write(const nlohmann::ordered_json& event) {
  if (!file_) return;
  // ASCII: what people wrote cannot reach a terminal as it stands.
  const std::string line =
      event.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
  const bool written = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size();
  failed_ |= std::fflush(file_.get()) != 0 || !written;
}

Result<void> EventLog::end() {
  if (failed_)
    return io_error((path_ == "-" ? "standard output" : path_) + ": cannot write events");
  return {};
}

}  // namespace simfarm::cli
