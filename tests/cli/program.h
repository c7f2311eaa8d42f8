// Runs the simfarm program as a user would, and keeps what it said.
#pragma once
#include <string>
#include <vector>

namespace simfarm::test {

struct Said {
  int code = -1;  ///< exit code; -1: ended by a signal
  std::string out;
  std::string err;
};

/// That program with these arguments.
Said run_program(const std::string& program, const std::vector<std::string>& arguments);
/// `simfarm` with these arguments.
Said simfarm(const std::vector<std::string>& arguments);

/// A folder of this test's own, removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  /// Writes a file and says its path.
  std::string write(const std::string& name, const std::string& content) const;
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string read_text(const std::string& path);

/// Compiles C for the machine with the SDK's wrapper; the path of the ELF file.
std::string compile(const Folder& folder, const std::string& c_source);

}  // namespace simfarm::test
