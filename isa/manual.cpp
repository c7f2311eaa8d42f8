#include "isa/manual.h"

#include <fmt/format.h>

#include <vector>

#include "isa/csr.h"
#include "isa/names.h"
#include "isa/row.h"

namespace simfarm {
namespace {

constexpr std::string_view introduction =
    "# The instruction set\n"
    "\n"
    "<!-- Printed by `simfarm isa`; a test holds this file to it. Edit isa/rows/*.def instead. "
    "-->\n"
    "\n"
    "RV32IMC with Zicsr, Zifencei, Zba, Zbb, OpenHW's CORE-V extensions (XCV) without `cv.elw`, "
    "and this\n"
    "machine's own Xgp. Every word that is not in a table below is an illegal instruction.\n"
    "\n"
    "In an encoding, most significant bit first, `d` `s` `t` `r` are the fields of rd, rs1, rs2, "
    "rs3 (`b`:\n"
    "rd and rs1 in one), `i` and `j` the bits of the first and second immediate, `-` a bit that "
    "is\n"
    "ignored. Immediates are read as their format says: the value's bits in the order of the "
    "letters. In a\n"
    "meaning, `>>` shifts zeros in and `>>>` the sign; `round` is half of the last place that "
    "stays;\n"
    "`x.h[i]`, `x.b[i]` are the halves and bytes of x, lowest first.\n"
    "\n"
    "*Issued as* is the class under which reports count the instruction; *timing* is the class "
    "that\n"
    "docs/timing.md gives cycles to.\n";

/// A cell must not end at a '|' of its text.
std::string cell(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string assembly(const Row& one) {
  return one.syntax.empty() ? std::string(one.name) : fmt::format("{} {}", one.name, one.syntax);
}

std::string immediate_note(const Row& one) {
  if (one.immediate == Immediate::none) return "";
  const ImmediateFormat& format = immediate_format(one.immediate);
  std::string note(format.bits);
  if (format.is_signed) note += ", signed";
  if (format.base != 0) note += fmt::format(", plus {}", format.base);
  return note;
}

std::string meaning(const Row& one) {
  std::string text = cell(one.meaning);
  if (!one.rule.empty()) text += fmt::format(" ({})", one.rule);
  return text;
}

std::string table(Extension extension, const std::vector<const Row*>& list) {
  const bool compressed = extension == Extension::c;
  std::string text = fmt::format("\n## {}\n\n", name(extension));
  text += compressed
              ? "| instruction | encoding | imm | expands to | meaning |\n|---|---|---|---|---|\n"
              : "| instruction | encoding | imm | meaning | issued as | timing |\n"
                "|---|---|---|---|---|---|\n";
  for (const Row* one : list) {
    text +=
        fmt::format("| `{}` | `{}` | {} | ", assembly(*one), one->pattern, immediate_note(*one));
    text += compressed ? fmt::format("`{}` | {} |\n", row(one->expands_to).name, meaning(*one))
                       : fmt::format("{} | {} | {} |\n", meaning(*one),
                                     issue_class_names[static_cast<u32>(one->issue)],
                                     timing_class_names[static_cast<u32>(one->timing)]);
  }
  return text;
}

std::string tables(std::string_view part) {
  std::string text;
  for (u32 k = 0; k < extension_names.size(); ++k) {
    const Extension extension = static_cast<Extension>(k);
    std::vector<const Row*> list;
    for (const Row& one : rows())
      if (one.extension == extension && one.name.find(part) != std::string_view::npos)
        list.push_back(&one);
    if (!list.empty()) text += table(extension, list);
  }
  return text;
}

std::string csr_section() {
  std::string text =
      "\n## Control and status registers\n"
      "\n"
      "Any other number, and a write to a read-only one, is an illegal instruction.\n"
      "\n"
      "| number | name | access |\n|---|---|---|\n";
  for (const CsrInfo& info : csr_table) {
    const std::string first = csr_name(info.first).value_or("");
    const std::string_view access = csr_is_read_only(info.first) ? "read-only" : "read, write";
    text += info.first == info.last
                ? fmt::format("| 0x{:03x} | {} | {} |\n", info.first, first, access)
                : fmt::format("| 0x{:03x} .. 0x{:03x} | {} .. {} | {} |\n", info.first, info.last,
                              first, csr_name(info.last).value_or(""), access);
  }
  return text;
}

}  // namespace

std::string manual() { return std::string(introduction) + tables("") + csr_section(); }

std::string manual_matching(std::string_view text) {
  const std::string found = tables(text);
  return found.empty() ? found : found.substr(1);
}

}  // namespace simfarm
