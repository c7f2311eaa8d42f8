#include "tests/support/toolchain.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace simfarm::test {
namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

Image assemble(std::string_view text, u32 base) {
  std::string name = (std::filesystem::temp_directory_path() / "simfarm-asm-XXXXXX").string();
  if (!mkdtemp(name.data())) {
    ADD_FAILURE() << "cannot make a temporary directory";
    return {};
  }
  const std::filesystem::path folder = name;
  std::ofstream(folder / "a.s") << text;
  // A script, so that the file's headers are no part of the loaded image.
  std::ofstream(folder / "a.ld") << fmt::format("SECTIONS {{ .text 0x{:x} : {{ *(.text) }} }}\n",
                                                base);
  const std::string command = fmt::format(
      "cd '{}' && llvm-mc-19 -triple=riscv32 "
      "-mattr=+m,+c,+zicsr,+zifencei,+zba,+zbb,+xcvalu,+xcvbi,"
      "+xcvbitmanip,+xcvmac,+xcvmem,+xcvsimd -filetype=obj a.s -o a.o 2>log && "
      "ld.lld-19 -T a.ld -e _start --no-relax a.o -o a.elf 2>>log",
      folder.string());
  Image image;
  if (std::system(command.c_str()) != 0) {
    ADD_FAILURE() << "assembling failed:\n" << contents(folder / "log");
  } else {
    Result<Image> loaded = load_elf((folder / "a.elf").string());
    if (loaded)
      image = std::move(*loaded);
    else
      ADD_FAILURE() << loaded.error().message;
  }
  std::filesystem::remove_all(folder);
  return image;
}

}  // namespace simfarm::test
