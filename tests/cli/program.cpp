#include "tests/cli/program.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace simfarm::test {
namespace {

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Folder::Folder() {
  path_ = (std::filesystem::temp_directory_path() / "simfarm-cli-XXXXXX").string();
  if (!mkdtemp(path_.data())) ADD_FAILURE() << "cannot make a temporary directory";
}

Folder::~Folder() { std::filesystem::remove_all(path_); }

std::string Folder::write(const std::string& name, const std::string& content) const {
  std::ofstream(path(name), std::ios::binary) << content;
  return path(name);
}

Said run_program(const std::string& program, const std::vector<std::string>& arguments) {
  const Folder folder;
  std::string command = quoted(program);
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  command += " >" + quoted(folder.path("out")) + " 2>" + quoted(folder.path("err")) + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(folder.path("out")),
          read_text(folder.path("err"))};
}

Said simfarm(const std::vector<std::string>& arguments) {
  return run_program(SIMFARM_PROGRAM, arguments);
}

std::string compile(const Folder& folder, const std::string& c_source) {
  const std::string source = folder.write("program.c", c_source);
  const std::string elf = folder.path("program.elf");
  const std::string command = quoted(SIMFARM_SOURCE_DIR "/sdk/bin/simfarm-cc") + " -g -O2 " +
                              quoted(source) + " -o " + quoted(elf) + " 2>" +
                              quoted(folder.path("log"));
  if (std::system(command.c_str()) != 0) ADD_FAILURE() << read_text(folder.path("log"));
  return elf;
}

}  // namespace simfarm::test
