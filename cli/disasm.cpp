// simfarm disasm: a program's instructions as this machine reads them.
#include <fmt/format.h>

#include <cstring>
#include <map>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "isa/decode.h"
#include "isa/disassemble.h"
#include "memory/program.h"
#include "profile/source.h"

namespace simfarm::cli {
namespace {

u32 word_at(const std::vector<u8>& bytes, size_t offset, u32 length) {
  u32 word = 0;
  std::memcpy(&word, bytes.data() + offset, std::min<size_t>(length, bytes.size() - offset));
  return word;
}

std::string disassemble_segment(const Segment& segment, const std::map<u32, std::string>& labels,
                                const LineTable* lines) {
  std::string out;
  SourceLine last;
  for (size_t offset = 0; offset + 2 <= segment.bytes.size();) {
    const u32 pc = segment.address + static_cast<u32>(offset);
    if (const auto label = labels.find(pc); label != labels.end())
      out += fmt::format("\n{:08x} <{}>:\n", pc, profile::printable(label->second));
    if (lines) {
      const SourceLine line = lines->find(pc);
      if (!line.file.empty() && (line.line != last.line || line.file != last.file)) {
        out += fmt::format("; {}:{}\n", profile::printable(line.file), line.line);
        last = line;
      }
    }
    const u32 length = is_compressed(word_at(segment.bytes, offset, 2)) ? 2 : 4;
    const u32 word = word_at(segment.bytes, offset, length);
    out += length == 2 ? fmt::format("{:8x}: {:04x}      ", pc, word)
                       : fmt::format("{:8x}: {:08x}  ", pc, word);
    out += disassemble_word(word, pc) + "\n";
    offset += length;
  }
  return out;
}

}  // namespace

void add_disasm(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("disasm", "Disassemble a program");
  auto file = std::make_shared<std::string>();
  auto source = std::make_shared<bool>(false);
  command->add_option("program", *file, "ELF file")->required();
  command->add_flag("-l,--lines", *source, "Show source lines (needs -g)");
  command->callback([file, source, &exit_code] {
    const Result<Image> image = load_elf(*file);
    if (!image) {
      exit_code = report(image.error());
      return;
    }
    std::map<u32, std::string> labels;
    for (const Symbol& symbol : image->symbols)
      if (symbol.function) labels.emplace(symbol.address, symbol.name);
    std::string text;
    for (const Segment& segment : image->segments)
      if (segment.executable)
        text += disassemble_segment(segment, labels, *source ? image->lines.get() : nullptr);
    exit_code = print(text);
  });
}

}  // namespace simfarm::cli
