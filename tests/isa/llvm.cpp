#include "llvm.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "isa/decode.h"

namespace simfarm::test {
namespace {

// XCVelw is left out on purpose: cv.elw is no instruction of this machine.
constexpr const char* attributes =
    "+m,+c,+zba,+zbb,+xcvmac,+xcvalu,+xcvsimd,+xcvmem,+xcvbi,+xcvbitmanip";

/// A folder that goes away with its owner.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "simfarm-isa-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

void run(const std::string& command, const std::string& errors) {
  if (std::system((command + " 2> " + errors).c_str()) == 0) return;
  std::ifstream in(errors);
  std::string first;
  for (std::string line; first.size() < 2000 && std::getline(in, line);) first += line + "\n";
  ADD_FAILURE() << command << "\n" << first;
}

std::string normalise(std::string text) {
  const u64 symbol = text.find(" <.text");
  if (symbol != std::string::npos) text.resize(symbol);
  std::istringstream words(text);
  std::string result;
  for (std::string word; words >> word;) result += (result.empty() ? "" : " ") + word;
  return result;
}

/// Assembles `source`, disassembles the result, and sorts the lines into slots.
std::vector<Disassembled> assemble_and_disassemble(const std::string& source, u64 count) {
  const ScratchFolder scratch;
  std::ofstream(scratch.file("in.s")) << source;
  run(fmt::format("llvm-mc-19 --triple=riscv32 -mattr={} -filetype=obj {} -o {}", attributes,
                  scratch.file("in.s"), scratch.file("out.o")),
      scratch.file("errors"));
  run(fmt::format("llvm-objdump-19 -d -j .text -M no-aliases --adjust-vma={} --mattr={} {} > {}",
                  batch_start, attributes, scratch.file("out.o"), scratch.file("out.txt")),
      scratch.file("errors"));
  std::vector<Disassembled> result(count);
  std::ifstream in(scratch.file("out.txt"));
  for (std::string line; std::getline(in, line);) {
    const u64 colon = line.find(": ");
    const u64 tab = line.find('\t');
    if (colon == std::string::npos || tab == std::string::npos) continue;
    const u32 address = static_cast<u32>(std::stoul(line.substr(0, colon), nullptr, 16));
    const u32 offset = address - batch_start;
    if (offset % slot != 0 || offset / slot >= count) continue;
    const std::string bytes = normalise(line.substr(colon + 2, tab - colon - 2));
    Disassembled& one = result[offset / slot];
    one.word = static_cast<u32>(std::stoul(bytes, nullptr, 16));
    one.bytes = static_cast<u32>(bytes.size() / 2);
    one.text = normalise(line.substr(tab + 1));
  }
  return result;
}

}  // namespace

std::vector<Disassembled> llvm_disassemble(const std::vector<u32>& words) {
  std::string source;
  for (u32 word : words) {
    // The rest of a slot is c.nop, so that a word that LLVM takes for a longer instruction cannot
    // shift what follows.
    source += is_compressed(word) ? fmt::format(".2byte {},1,1,1\n", word & 0xffff)
                                  : fmt::format(".4byte {}\n.2byte 1,1\n", word);
  }
  return assemble_and_disassemble(source, words.size());
}

std::vector<u32> llvm_assemble(const std::vector<std::string>& lines, bool compressed) {
  // 32-bit forms must stay 32 bits wide: no automatic compression.
  std::string source = compressed ? ".option rvc\n" : ".option norvc\n";
  for (const std::string& line : lines)
    source += fmt::format("{}\n.2byte {}\n", line, compressed ? "1,1,1" : "1,1");
  std::vector<u32> result;
  for (const Disassembled& one : assemble_and_disassemble(source, lines.size()))
    result.push_back(one.word);
  return result;
}

}  // namespace simfarm::test
