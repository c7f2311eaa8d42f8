// Kernels built with the SDK's own simfarm-cc, and the instructions of their functions.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/types.h"
#include "isa/decode.h"
#include "isa/disassemble.h"
#include "memory/program.h"

namespace simfarm::test {

/// A folder that is removed with its contents when the object dies.
class Folder {
 public:
  Folder() {
    std::string name = ::testing::TempDir() + "simfarm-XXXXXX";
    path_ = ::mkdtemp(name.data()) != nullptr ? name : std::string("no temporary folder");
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }
  /// Writes a file and returns its path. `name` may have folders in it.
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = std::filesystem::path(path_) / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
  }

 private:
  std::string path_;
};

inline std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Runs a shell command in `folder`; `output` gets what it printed, on either stream.
inline int run_in(const Folder& folder, const std::string& command, std::string& output) {
  const std::string log = folder.path() + "/log.txt";
  const int status =
      std::system(("cd '" + folder.path() + "' && { " + command + "; } >log.txt 2>&1").c_str());
  output = read_file(log);
  return status;
}

/// simfarm-cc with `arguments`, in `folder`.
inline int simfarm_cc(const Folder& folder, const std::string& arguments, std::string& output) {
  return run_in(folder, "'" SIMFARM_SOURCE_DIR "/sdk/bin/simfarm-cc' " + arguments, output);
}

/// One source to an image; the test fails, and the image is empty, when it does not compile.
inline Image build(const std::string& file_name, const std::string& text,
                   const std::string& options) {
  Folder folder;
  folder.write(file_name, text);
  std::string output;
  EXPECT_EQ(simfarm_cc(folder, options + " " + file_name + " -o out.elf", output), 0) << output;
  EXPECT_EQ(output, "");
  Result<Image> image = load_elf(folder.path() + "/out.elf");
  if (!image) ADD_FAILURE() << image.error().message;
  return image ? *image : Image{};
}

/// The instructions of a function, one a string, as the disassembler writes them.
inline std::vector<std::string> listing(const Image& image, const std::string& function) {
  std::vector<std::string> lines;
  for (const Symbol& symbol : image.symbols) {
    if (symbol.name != function || !symbol.function) continue;
    for (const Segment& segment : image.segments) {
      if (symbol.address < segment.address ||
          symbol.address - segment.address + symbol.size > segment.bytes.size())
        continue;
      u32 at = symbol.address - segment.address;
      const u32 end = at + symbol.size;
      while (at + 2 <= end) {
        u32 word = segment.bytes[at] | u32{segment.bytes[at + 1]} << 8;
        if (!is_compressed(word) && at + 4 <= end)
          word |= u32{segment.bytes[at + 2]} << 16 | u32{segment.bytes[at + 3]} << 24;
        const auto operation = decode_any(word);
        lines.push_back(operation ? disassemble(*operation) : "<unknown>");
        at += is_compressed(word) ? 2 : 4;
      }
    }
  }
  EXPECT_FALSE(lines.empty()) << "no function " << function;
  return lines;
}

}  // namespace simfarm::test
