// simfarm dma explain: a descriptor's fields, bursts and beats, by running it.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/run_options.h"
#include "dma/descriptor.h"
#include "isa/encode.h"
#include "profile/dma_timeline.h"
#include "profile/json.h"
#include "profile/report.h"

namespace simfarm::cli {
namespace {

struct DmaFlags : RunFlags {
  PeId pe = 0;
  size_t beats = 64;
  bool json = false;
};

Result<std::vector<u8>> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return io_error(path + ": cannot be opened");
  std::vector<u8> bytes{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return io_error(path + ": cannot be read");
  return bytes;
}

bool is_elf(const std::vector<u8>& bytes) {
  return bytes.size() >= 4 && bytes[0] == 0x7f && bytes[1] == 'E' && bytes[2] == 'L' &&
         bytes[3] == 'F';
}

// Raw bytes, or text of 32-bit words in hexadecimal ('#' starts a comment).
Result<std::vector<u8>> descriptor_bytes(const std::string& path, const std::vector<u8>& file) {
  const auto good_size = [](size_t size) {
    return size == dma::descriptor_bytes || size == dma::extended_descriptor_bytes;
  };
  const bool text = std::all_of(file.begin(), file.end(), [](u8 c) {
    return c == '\n' || c == '\r' || c == '\t' || (c >= 0x20 && c < 0x7f);
  });
  if (!text) {
    if (good_size(file.size())) return file;
    return input_error(fmt::format("{}: {} bytes; a descriptor has 64, or 128 with its second half",
                                   path, file.size()));
  }
  std::vector<u8> bytes;
  std::string word;
  bool comment = false;
  for (size_t k = 0; k <= file.size(); ++k) {
    const char c = k < file.size() ? static_cast<char>(file[k]) : '\n';
    if (c == '#') comment = true;
    if (!comment && std::isxdigit(static_cast<unsigned char>(c)))
      word += c;
    else if (!comment && (c == 'x' || c == 'X') && word == "0")
      word.clear();
    else if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',' || comment) {
      if (word.size() > 8) return input_error(path + ": '" + word + "' has more than 32 bits");
      if (!word.empty()) {
        const u32 value = static_cast<u32>(std::stoul(word, nullptr, 16));
        for (u32 byte = 0; byte < 4; ++byte) bytes.push_back(static_cast<u8>(value >> (8 * byte)));
      }
      word.clear();
      if (c == '\n') comment = false;
    } else
      return input_error(fmt::format("{}: '{}' in a text of hexadecimal words", path, c));
  }
  if (good_size(bytes.size())) return bytes;
  return input_error(fmt::format("{}: {} words; a descriptor has 16, or 32 with its second half",
                                 path, bytes.size() / 4));
}

Segment code(const Machine& machine, const std::vector<Operation>& operations) {
  Segment segment;
  segment.address = machine.map.instructions.base;
  segment.executable = true;
  for (const Operation& operation : operations) {
    const Result<u32> word = encode(operation);
    check(static_cast<bool>(word), "an instruction of the explaining program does not encode");
    for (u32 byte = 0; byte < 4; ++byte)
      segment.bytes.push_back(static_cast<u8>(*word >> (8 * byte)));
  }
  segment.memory_bytes = static_cast<u32>(segment.bytes.size());
  return segment;
}

// A program that queues the descriptor on one PE; all others end at once.
Result<Program> program_of(const Machine& machine, PeId pe, std::vector<u8> descriptor) {
  const u32 address = machine.map.local.base + 64;  // local offset 0 could not be chained to
  constexpr u8 t0 = 5, a7 = 17;
  const Operation end{.op = Op::ECALL};
  const Operation set_exit{.op = Op::ADDI, .rd = a7, .imm = 93};
  auto idle = std::make_shared<Image>();
  idle->file = "(idle)";
  idle->entry = machine.map.instructions.base;
  idle->segments.push_back(code(machine, {set_exit, end}));
  auto queue = std::make_shared<Image>();
  queue->file = "(descriptor)";
  queue->entry = machine.map.instructions.base;
  const u32 low = address & 0xfff;
  const u32 high = address + (low >= 0x800 ? 0x1000 : 0);
  queue->segments.push_back(code(
      machine, {{.op = Op::LUI, .rd = t0, .imm = static_cast<i32>(high & ~0xfffu)},
                {.op = Op::ADDI, .rd = t0, .rs1 = t0, .imm = static_cast<i32>(low << 20) >> 20},
                {.op = Op::GP_DMA, .rs1 = t0},
                set_exit,
                end}));
  Segment data;
  data.address = address;
  data.memory_bytes = static_cast<u32>(descriptor.size());
  data.bytes = std::move(descriptor);
  data.writable = true;
  queue->segments.push_back(std::move(data));
  Program program;
  program.images = {idle, queue};
  const u32 row = machine.row_of(pe), column = machine.column_of(pe);
  program.placements = {{1, row, column, row, column}};
  // Everywhere else: the rows above and below, and the two ends of the PE's own row.
  const u32 last_row = machine.rows - 1, last_column = machine.columns - 1;
  if (row > 0) program.placements.push_back({0, 0, 0, row - 1, last_column});
  if (row < last_row) program.placements.push_back({0, row + 1, 0, last_row, last_column});
  if (column > 0) program.placements.push_back({0, row, 0, row, column - 1});
  if (column < last_column) program.placements.push_back({0, row, column + 1, row, last_column});
  return program;
}

Result<RunInput> load(DmaFlags& flags, std::string& notes) {
  Result<std::vector<u8>> file = read_file(flags.program);
  if (!file) return file.error();
  if (is_elf(*file)) {
    Result<RunInput> input = load_run(flags);
    if (!input) return input;
    if (const auto tensors = load_tensors(flags, *input); !tensors) return tensors.error();
    return input;
  }
  Result<std::vector<u8>> bytes = descriptor_bytes(flags.program, *file);
  if (!bytes) return bytes.error();
  RunInput input;
  Result<Machine> machine = load_machine(flags.machine);
  if (!machine) return machine.error();
  input.machine = std::move(*machine);
  if (flags.pe >= input.machine.pes())
    return usage_error(
        fmt::format("--pe {}: the machine has PEs 0 to {}", flags.pe, input.machine.pes() - 1));
  // Alone, nothing would ever meet its acquire, and the chain's next descriptor is not in the file.
  std::vector<u8>& raw = *bytes;
  if (raw[1] & 0x08) notes += "the acquire is taken as met: nothing else runs here\n";
  if (raw[12] | raw[13]) notes += "next is ignored: only this descriptor is in the file\n";
  raw[1] &= 0xf7;
  raw[2] &= 0xf0;
  raw[12] = raw[13] = raw[14] = raw[15] = 0;
  std::vector<u8> local(input.machine.map.local.bytes);
  std::copy(raw.begin(), raw.end(), local.begin() + 64);
  const dma::Context context{input.machine.map, input.machine.rows, input.machine.columns,
                             flags.pe};
  Result<dma::Descriptor> descriptor =
      dma::parse(input.machine.map.local.base + 64, local, context);
  if (!descriptor) return descriptor.error();
  notes += dma::print(*descriptor);
  Result<Program> program = program_of(input.machine, flags.pe, raw);
  if (!program) return program.error();
  input.program = std::move(*program);
  return input;
}

profile::Json to_json(const std::map<u64, profile::DmaTimeline::Transfer>& transfers) {
  profile::Json list = profile::Json::array();
  for (const auto& [sequence, transfer] : transfers) {
    profile::Json events = profile::Json::array(), beats = profile::Json::array();
    for (const auto& event : transfer.events)
      events.push_back({{"cycle", event.cycle}, {"what", event.what}});
    for (const auto& beat : transfer.beats)
      beats.push_back({{"cycle", beat.cycle}, {"burst", beat.burst}, {"resource", beat.resource}});
    list.push_back({{"sequence", sequence},
                    {"descriptor", transfer.descriptor},
                    {"events", std::move(events)},
                    {"beats", std::move(beats)}});
  }
  return {{"schema", "simfarm.dma"}, {"version", 1}, {"transfers", std::move(list)}};
}

int explain(DmaFlags& flags) {
  std::string notes;
  const Result<RunInput> input = load(flags, notes);
  if (!input) return report(input.error());
  if (flags.pe >= input->machine.pes())
    return report(usage_error(
        fmt::format("--pe {}: the machine has PEs 0 to {}", flags.pe, input->machine.pes() - 1)));
  profile::DmaTimeline timeline(flags.pe);
  auto simulation = make_simulation(EngineKind::reference, *input, run_options(flags, &timeline));
  if (!simulation) return report(simulation.error());
  const Outcome outcome = (*simulation)->run();
  if (flags.json) return print(to_json(timeline.transfers()).dump(2) + "\n");
  std::string text = notes;
  if (timeline.transfers().empty()) text += fmt::format("PE {} started no transfer\n", flags.pe);
  for (const auto& [sequence, transfer] : timeline.transfers())
    text += "\n" + profile::print(sequence, transfer, flags.beats);
  text += "\n" + profile::summary(input->machine, input->program, outcome);
  return print(text);
}

}  // namespace

void add_dma(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("dma", "Explain DMA transfers");
  command->require_subcommand(1);
  CLI::App* sub = command->add_subcommand(
      "explain", "Show the fields of a descriptor, and the cycle of every beat of its transfer");
  auto flags = std::make_shared<DmaFlags>();
  add_run_flags(*sub, *flags);
  sub->get_option("program")->description(
      "A descriptor (64 or 128 bytes, raw or as hexadecimal words), or an ELF file whose transfers "
      "are shown");
  sub->add_option("--pe", flags->pe, "The PE whose DMA engine is watched")->capture_default_str();
  sub->add_option("--beats", flags->beats, "Lines of beats to show for a transfer")
      ->capture_default_str();
  sub->add_flag("--json", flags->json, "Print one JSON document (docs/json.md)");
  sub->callback([flags, &exit_code] { exit_code = explain(*flags); });
}

}  // namespace simfarm::cli
