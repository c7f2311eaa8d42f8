#include "regress/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "farm/tensor_file.h"

namespace simfarm::regress {
namespace {

using farm::DType;
using farm::Tensor;
using farm::TensorFile;

constexpr i64 pack_format = 1;
constexpr u32 counter_columns = 3 + issue_class_count + stall_count;

/// Which number is where, for people and for the check that this build has the same.
std::string columns_text() {
  std::string text = "counters: case pe region";
  for (u32 k = 0; k < issue_class_count; ++k)
    text += fmt::format(" {}", name(static_cast<IssueClass>(k)));
  for (u32 k = 0; k < stall_count; ++k) text += fmt::format(" {}", name(static_cast<Stall>(k)));
  text += "\ndma: case pe";
  for (const std::string& column : dma_columns()) text += " " + column;
  text +=
      "\nresults: timing end cycles end_bytes\nexit_codes: case pe code_plus_1\n"
      "contents: case bytes digest_high digest_low is_output\n"
      "checkpoints: case pe number digest stride kept\nkept: cycle digest\noutputs: case address "
      "bytes\n";
  return text;
}

// --- Writing -----------------------------------------------------------------------------------

/// Rows of u64.
class Table {
 public:
  explicit Table(u32 columns) : columns_(columns) {}
  void add(const std::vector<u64>& row) {
    check(row.size() == columns_, "a row has its columns");
    values_.insert(values_.end(), row.begin(), row.end());
  }
  void put(std::vector<Tensor>& to, std::string name) const {
    if (values_.empty()) return;  // HDF5 files of ours have nothing empty
    Tensor tensor{std::move(name),
                  DType::uint64,
                  {static_cast<u32>(values_.size() / columns_), columns_},
                  {}};
    tensor.bytes.resize(values_.size() * 8);
    for (size_t k = 0; k < values_.size(); ++k)
      for (u32 byte = 0; byte < 8; ++byte)
        tensor.bytes[8 * k + byte] = static_cast<u8>(values_[k] >> (8 * byte));
    to.push_back(std::move(tensor));
  }

 private:
  u32 columns_;
  std::vector<u64> values_;
};

void put_text(std::vector<Tensor>& to, std::string name, const std::string& text) {
  if (text.empty()) return;
  to.push_back({std::move(name),
                DType::uint8,
                {static_cast<u32>(text.size())},
                std::vector<u8>(text.begin(), text.end())});
}

// --- Reading -----------------------------------------------------------------------------------

class Reader {
 public:
  Reader(const TensorFile& file, std::string path) : file_(file), path_(std::move(path)) {}

  Result<Pack> read() {
    const auto format = file_.attributes.find("format");
    if (format == file_.attributes.end()) return wrong("no goldens: it has no attribute `format`");
    if (format->second != pack_format)
      return wrong(
          fmt::format("format {}, and this simfarm reads {}", format->second, pack_format));
    std::vector<std::string> names = lines(text("names", false));
    std::set<std::string> seen;
    for (const std::string& name : names) {
      if (const auto problem = name_problem(name)) return wrong(*problem);
      if (!seen.insert(name).second) return wrong(fmt::format("{} is in it twice", name));
    }
    entries_.resize(names.size());
    for (size_t k = 0; k < names.size(); ++k) entries_[k].one.name = std::move(names[k]);
    if (auto result = read_cases(); !result) return result.error();
    const bool outdated = text("columns", true) != columns_text();
    if (!outdated)
      if (auto result = read_results(); !result) return result.error();
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.one.name < b.one.name; });
    return Pack{std::move(entries_), outdated};
  }

 private:
  Error wrong(const std::string& why) const { return input_error(path_ + ": " + why); }

  const Tensor* find(std::string_view name, bool expected) const {
    for (const Tensor& tensor : expected ? file_.expected : file_.inputs)
      if (tensor.name == name) return &tensor;
    return nullptr;
  }
  std::string text(std::string_view name, bool expected) const {
    const Tensor* const tensor = find(name, expected);
    if (tensor == nullptr || tensor->dtype != DType::uint8 || tensor->shape.size() != 1) return {};
    return {tensor->bytes.begin(), tensor->bytes.end()};
  }
  static std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> all;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      all.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return all;
  }
  /// Calls visit(row) for each row; its first value is a case's number, where `of_case`. The error
  /// of the first row that is wrong.
  template <class Visit>
  Result<void> rows(std::string_view name, bool expected, u32 columns, bool of_case, Visit visit) {
    const Tensor* const tensor = find(name, expected);
    if (tensor == nullptr) return {};
    if (tensor->dtype != DType::uint64 || tensor->shape.size() != 2 || tensor->shape[1] != columns)
      return wrong(fmt::format("`{}` is not uint64[n, {}]", name, columns));
    std::vector<u64> row(columns);
    for (u32 k = 0; k < tensor->shape[0]; ++k) {
      for (u32 column = 0; column < columns; ++column) {
        const u8* const at = tensor->bytes.data() + 8 * (u64{k} * columns + column);
        row[column] = 0;
        for (u32 byte = 0; byte < 8; ++byte) row[column] |= u64{at[byte]} << (8 * byte);
      }
      if (of_case && row[0] >= entries_.size())
        return wrong(fmt::format("`{}`, row {}: there is no case {}", name, k, row[0]));
      if (!visit(k, row)) return wrong(fmt::format("`{}`, row {}: makes no sense", name, k));
    }
    return {};
  }

  Result<void> read_cases() {
    const std::string texts = text("texts", false);
    u64 used = 0;
    size_t known = 0;
    if (auto result = rows("text_bytes", false, 1, false,
                           [&](u32 k, const std::vector<u64>& row) {
                             if (k >= entries_.size() || row[0] > texts.size() - used) return false;
                             entries_[k].one.text = texts.substr(used, row[0]);
                             used += row[0];
                             ++known;
                             return true;
                           });
        !result)
      return result.error();
    if (known != entries_.size() || used != texts.size())
      return wrong("names and texts do not fit each other");
    const std::vector<std::string> names = lines(text("output_names", false));
    return rows("outputs", false, 3, true, [&](u32 k, const std::vector<u64>& row) {
      if (k >= names.size() || row[1] > ~u32{0}) return false;
      entries_[row[0]].one.outputs.push_back({names[k], static_cast<u32>(row[1]), row[2]});
      return true;
    });
  }

  Result<void> read_results() {
    const std::string ends = text("ends", true);
    u64 used = 0;
    size_t known = 0;
    if (auto result = rows("results", true, 4, false,
                           [&](u32 k, const std::vector<u64>& row) {
                             if (k >= entries_.size() || row[0] > ~u32{0} ||
                                 row[1] > static_cast<u64>(Outcome::Kind::cycle_limit) ||
                                 row[3] > ends.size() - used)
                               return false;
                             Golden& golden = entries_[k].golden;
                             golden.timing = static_cast<u32>(row[0]);
                             golden.kind = static_cast<Outcome::Kind>(row[1]);
                             golden.cycles = row[2];
                             golden.end = ends.substr(used, row[3]);
                             used += row[3];
                             ++known;
                             return true;
                           });
        !result)
      return result.error();
    if (known != entries_.size()) return wrong("cases without a result are in it");
    if (auto result = rows("counters", true, counter_columns, true,
                           [&](u32, const std::vector<u64>& row) {
                             if (row[1] > ~u32{0} || row[2] > 0xff) return false;
                             RegionRow one{static_cast<PeId>(row[1]), static_cast<u8>(row[2]), {}};
                             const auto issued = row.begin() + 3;
                             std::copy_n(issued, issue_class_count, one.counters.issued.begin());
                             std::copy_n(issued + issue_class_count, stall_count,
                                         one.counters.stalls.begin());
                             entries_[row[0]].golden.counters.push_back(one);
                             return true;
                           });
        !result)
      return result.error();
    if (auto result =
            rows("exit_codes", true, 3, true,
                 [&](u32, const std::vector<u64>& row) {
                   std::vector<std::optional<u32>>& codes = entries_[row[0]].golden.exit_codes;
                   if (row[1] != codes.size() || row[2] > u64{1} << 32) return false;
                   codes.push_back(row[2] == 0 ? std::nullopt
                                               : std::optional(static_cast<u32>(row[2] - 1)));
                   return true;
                 });
        !result)
      return result.error();
    if (auto result = rows("dma", true, 2 + static_cast<u32>(dma_columns().size()), true,
                           [&](u32, const std::vector<u64>& row) {
                             std::vector<std::vector<u64>>& dma = entries_[row[0]].golden.dma;
                             if (row[1] != dma.size()) return false;
                             dma.emplace_back(row.begin() + 2, row.end());
                             return true;
                           });
        !result)
      return result.error();
    if (auto result = read_checkpoints(); !result) return result.error();
    const std::vector<std::string> names = lines(text("content_names", true));
    return rows("contents", true, 5, true, [&](u32 k, const std::vector<u64>& row) {
      if (k >= names.size() || row[4] > 1) return false;
      entries_[row[0]].golden.contents.push_back({names[k], row[1], {row[2], row[3]}, row[4] == 1});
      return true;
    });
  }

  Result<void> read_checkpoints() {
    std::vector<Checkpoint> all;
    if (auto result = rows("kept", true, 2, false,
                           [&](u32, const std::vector<u64>& row) {
                             all.push_back({row[0], row[1]});
                             return true;
                           });
        !result)
      return result.error();
    u64 used = 0;
    if (auto result = rows("checkpoints", true, 6, true,
                           [&](u32, const std::vector<u64>& row) {
                             std::vector<Checkpoints>& of = entries_[row[0]].golden.checkpoints;
                             const u64 count = row[2], stride = row[4], kept = row[5];
                             if (row[1] != of.size() || !std::has_single_bit(stride) ||
                                 kept != count / stride || kept > all.size() - used)
                               return false;
                             const auto first = all.begin() + static_cast<i64>(used);
                             of.push_back(Checkpoints::read(
                                 count, row[3], stride, {first, first + static_cast<i64>(kept)}));
                             used += kept;
                             return true;
                           });
        !result)
      return result.error();
    if (used != all.size()) return wrong("checkpoints of no PE are in it");
    for (const Entry& entry : entries_)
      if (entry.golden.checkpoints.size() != entry.golden.exit_codes.size())
        return wrong(entry.one.name + ": not all PEs have their checkpoints");
    return {};
  }

  const TensorFile& file_;
  std::string path_;
  std::vector<Entry> entries_;
};

}  // namespace

Result<Pack> read_any_pack(const std::string& path) {
  const Result<TensorFile> file = farm::read_tensor_file(path);
  if (!file) return file.error();
  return Reader(*file, path).read();
}

Result<std::vector<Entry>> read_pack(const std::string& path) {
  Result<Pack> pack = read_any_pack(path);
  if (!pack) return pack.error();
  if (pack->outdated)
    return input_error(path + ": it was recorded with other counters than this simfarm has");
  return std::move(pack->entries);
}

Result<void> write_pack(const std::string& path, std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.one.name < b.one.name; });
  TensorFile file;
  file.attributes["format"] = pack_format;
  std::string names, texts, output_names, ends, content_names;
  Table text_bytes(1), outputs(3), results(4), counters(counter_columns), exit_codes(3),
      contents(5), checkpoints(6), kept(2);
  Table dma(2 + static_cast<u32>(dma_columns().size()));
  for (u64 k = 0; k < entries.size(); ++k) {
    const auto& [one, golden] = entries[k];
    names += one.name + "\n";
    texts += one.text;
    text_bytes.add({one.text.size()});
    for (const Output& output : one.outputs) {
      outputs.add({k, output.address, output.bytes});
      output_names += output.name + "\n";
    }
    results.add({golden.timing, static_cast<u64>(golden.kind), golden.cycles, golden.end.size()});
    ends += golden.end;
    for (const RegionRow& row : golden.counters) {
      std::vector<u64> values{k, row.pe, row.region};
      values.insert(values.end(), row.counters.issued.begin(), row.counters.issued.end());
      values.insert(values.end(), row.counters.stalls.begin(), row.counters.stalls.end());
      counters.add(values);
    }
    for (u64 pe = 0; pe < golden.exit_codes.size(); ++pe)
      exit_codes.add({k, pe, golden.exit_codes[pe] ? u64{*golden.exit_codes[pe]} + 1 : 0});
    for (u64 pe = 0; pe < golden.dma.size(); ++pe) {
      std::vector<u64> values{k, pe};
      values.insert(values.end(), golden.dma[pe].begin(), golden.dma[pe].end());
      dma.add(values);
    }
    for (u64 pe = 0; pe < golden.checkpoints.size(); ++pe) {
      const Checkpoints& of = golden.checkpoints[pe];
      checkpoints.add({k, pe, of.count(), of.digest(), of.stride(), of.kept().size()});
      for (const Checkpoint& point : of.kept()) kept.add({point.cycle, point.digest});
    }
    for (const Content& content : golden.contents) {
      contents.add(
          {k, content.bytes, content.digest.high, content.digest.low, u64{content.output}});
      content_names += content.name + "\n";
    }
  }
  put_text(file.inputs, "names", names);
  put_text(file.inputs, "texts", texts);
  text_bytes.put(file.inputs, "text_bytes");
  outputs.put(file.inputs, "outputs");
  put_text(file.inputs, "output_names", output_names);
  put_text(file.expected, "columns", columns_text());
  results.put(file.expected, "results");
  put_text(file.expected, "ends", ends);
  counters.put(file.expected, "counters");
  exit_codes.put(file.expected, "exit_codes");
  dma.put(file.expected, "dma");
  checkpoints.put(file.expected, "checkpoints");
  kept.put(file.expected, "kept");
  contents.put(file.expected, "contents");
  put_text(file.expected, "content_names", content_names);
  return farm::write_tensor_file(path, file, true);
}

}  // namespace simfarm::regress
