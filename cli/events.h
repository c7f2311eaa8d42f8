// --events: what happens while it happens, one JSON object a line (docs/json.md, simfarm.event).
#pragma once
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"

namespace simfarm::cli {

class EventLog {
 public:
  /// Writes into the file, replaced; "-": standard output; empty: nowhere. Error (io): it cannot be
  /// opened.
  static Result<EventLog> open(const std::string& path);
  /// One line, written at once. From one thread at a time.
  void write(const nlohmann::ordered_json& event);
  /// Error (io): a line could not be written.
  Result<void> end();
  bool on_standard_output() const { return file_.get() == stdout; }

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdout) std::fclose(file);
    }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  bool failed_ = false;
};

}  // namespace simfarm::cli
