// Reading what print_case (run_case.cpp) writes.
#include <fmt/format.h>

#include <charconv>

#include "base/file.h"
#include "profile/run_case.h"

namespace simfarm::profile {
namespace {

constexpr u64 max_file_bytes = 256u << 20;
constexpr u64 max_zeros = 64u << 20;

class CaseReader {
 public:
  explicit CaseReader(std::string_view file) : file_(file) {}

  Result<RunCase> read(std::string_view text) {
    while (!text.empty()) {
      ++number_;
      const size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (auto ok = read_line(line); !ok) return ok.error();
    }
    if (number_ == 0) return wrong("the file is empty");
    Result<Machine> machine = parse_machine(machine_, fmt::format("{} (machine)", file_));
    if (!machine) return machine.error();
    case_.input.machine = std::move(*machine);
    for (const auto& image : images_) case_.input.program.images.push_back(image);
    return std::move(case_);
  }

 private:
  Error wrong(std::string_view what) const {
    return input_error(fmt::format("{}:{}: {}", file_, number_, what));
  }

  /// The next word of the line.
  std::string_view word() {
    const size_t start = std::min(line_.find_first_not_of(' '), line_.size());
    line_.remove_prefix(start);
    const size_t end = std::min(line_.find(' '), line_.size());
    const std::string_view found = line_.substr(0, end);
    line_.remove_prefix(end);
    return found;
  }

  bool number(u64& value) {
    std::string_view digits = word();
    const int base = digits.starts_with("0x") ? 16 : 10;
    if (base == 16) digits.remove_prefix(2);
    const auto [end, failed] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    return !digits.empty() && failed == std::errc() && end == digits.data() + digits.size();
  }
  bool number(u32& value) {
    u64 wide = 0;
    if (!number(wide) || wide > ~u32{0}) return false;
    value = static_cast<u32>(wide);
    return true;
  }
  bool number(bool& value) {
    u64 wide = 0;
    if (!number(wide) || wide > 1) return false;
    value = wide == 1;
    return true;
  }

  Result<void> read_line(std::string_view line) {
    if (number_ == 1)
      return line == "simfarm case 1" ? Result<void>()
                                      : wrong("the first line is not \"simfarm case 1\"");
    if (line.starts_with("| ") || line == "|") {
      machine_ += line.substr(std::min<size_t>(2, line.size()));
      machine_ += '\n';
      return {};
    }
    if (line.starts_with("note")) {
      case_.note += line.substr(std::min<size_t>(5, line.size()));
      case_.note += '\n';
      return {};
    }
    line_ = line.substr(0, line.find('#'));
    const std::string_view key = word();
    if (key.empty() || key == "machine") return {};
    if (!read_key(key)) return wrong(fmt::format("{}: cannot be read", key));
    if (!word().empty()) return wrong(fmt::format("{}: too many words", key));
    return {};
  }

  bool read_key(std::string_view key) {
    RunOptions& options = case_.options;
    if (key == "cycle_limit") return number(options.cycle_limit);
    if (key == "check_races") return number(options.check_races);
    if (key == "console") return number(options.console);
    if (key == "console_limit") return number(options.console_limit);
    if (key == "poison") return number(case_.input.poison.emplace());
    if (key == "image") return read_image();
    if (key == "segment") return read_segment();
    if (key == "place") return read_place();
    if (key == "memory") {
      bytes_ = &case_.input.memory.emplace_back().bytes;
      return number(case_.input.memory.back().address);
    }
    if (key == "arguments") {
      bytes_ = &case_.input.arguments;
      return true;
    }
    if (bytes_ == nullptr) return false;
    if (key == "zeros") return read_zeros();
    return key == ":" && read_hex(word());
  }

  bool read_image() {
    u32 index = 0;
    auto image = std::make_shared<Image>();
    image->file = "case";
    images_.push_back(image);
    bytes_ = nullptr;
    return number(index) && index + 1 == images_.size() && word() == "entry" &&
           number(image->entry);
  }

  bool read_segment() {
    if (images_.empty()) return false;
    Segment& segment = images_.back()->segments.emplace_back();
    bytes_ = &segment.bytes;
    if (!number(segment.address) || !number(segment.memory_bytes)) return false;
    for (std::string_view flag = word(); !flag.empty(); flag = word()) {
      if (flag != "x" && flag != "w") return false;
      (flag == "x" ? segment.executable : segment.writable) = true;
    }
    return true;
  }

  bool read_place() {
    Placement& place = case_.input.program.placements.emplace_back();
    return number(place.image) && number(place.row0) && number(place.column0) &&
           number(place.row1) && number(place.column1);
  }

  bool read_zeros() {
    u64 count = 0;
    if (!number(count) || count > max_zeros) return false;
    bytes_->resize(bytes_->size() + count);
    return true;
  }

  bool read_hex(std::string_view digits) {
    if (digits.size() % 2 != 0) return false;
    for (; !digits.empty(); digits.remove_prefix(2)) {
      u8 byte = 0;
      const auto [end, failed] = std::from_chars(digits.data(), digits.data() + 2, byte, 16);
      if (failed != std::errc() || end != digits.data() + 2) return false;
      bytes_->push_back(byte);
    }
    return true;
  }

  std::string_view file_;
  u32 number_ = 0;
  std::string_view line_;  ///< what is left of the line being read
  std::string machine_;
  std::vector<std::shared_ptr<Image>> images_;
  std::vector<u8>* bytes_ = nullptr;  ///< where data lines go
  RunCase case_;
};

}  // namespace

Result<RunCase> parse_case(std::string_view text, std::string_view file_name) {
  return CaseReader(file_name).read(text);
}

Result<RunCase> load_case(const std::string& path) {
  const Result<std::vector<u8>> bytes = read_file(path, max_file_bytes);
  if (!bytes) return bytes.error();
  return parse_case({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, path);
}

}  // namespace simfarm::profile
