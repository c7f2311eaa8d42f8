// What the farm's tests share: a folder of their own, files in it, and h5py run from outside.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace simfarm::farm::test {

/// A fresh folder, gone at the end of the test.
class Folder {
 public:
  explicit Folder(const std::filesystem::path& base = std::filesystem::temp_directory_path()) {
    std::string name = (base / "simfarm-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  Folder(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string path(const std::string& name = "") const { return (path_ / name).string(); }
  /// Writes a file (and the folders above it); returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

/// A command's standard output and exit status.
struct Ran {
  int status = -1;
  std::string output;
};

inline Ran shell(const std::string& command) {
  Ran ran;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 4096> buffer;
  for (size_t got; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    ran.output.append(buffer.data(), got);
  const int status = pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return ran;
}

/// Runs a Python program that has h5py and numpy (Debian's python3-h5py, not whatever is first in
/// PATH), with `folder` as its current folder.
inline Ran python(const Folder& folder, const std::string& program) {
  const std::string script = folder.write("script.py", "import h5py, numpy as np\n" + program);
  return shell("cd " + folder.path() + " && /usr/bin/python3 " + script + " 2>&1");
}

/// A source that is 2^30 statements when its macros are expanded.
inline std::string macro_bomb() {
  std::string text = "#define A0 x;x;x;x;x;x;x;x;\n";
  for (char k = '1'; k <= '9'; ++k) {
    text += std::string("#define A") + k;
    for (int times = 0; times < 8; ++times) text += std::string(" A") + static_cast<char>(k - 1);
    text += "\n";
  }
  return text + "int x; void f(void) { A9 }\n";
}

}  // namespace simfarm::farm::test
