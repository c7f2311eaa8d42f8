#include "farm/toml_reader.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <set>

#include "farm/text.h"

namespace simfarm::farm {

/// The document, its name and its first error, shared by the readers of its tables.
struct TomlReader::Shared {
  std::string file_name;
  toml::table root;
  std::optional<Error> error;

  void fail(const toml::source_region& at, std::string_view key, std::string_view why) {
    if (error) return;
    const std::string line = at.begin.line == 0 ? "" : fmt::format(":{}", at.begin.line);
    error = key.empty() ? input_error(fmt::format("{}{}: {}", file_name, line, why))
                        : input_error(fmt::format("{}{}: {}: {}", file_name, line, key, why));
  }
};

struct TomlReader::Table {
  const toml::table* node = nullptr;
  std::string path;  ///< "limits." for what is in [limits]; empty at the root
  std::set<std::string, std::less<>> used;

  const toml::node* get(std::string_view key) {
    used.emplace(key);
    return node->get(key);
  }
};

namespace {

/// Why `value` breaks the rule; empty: it does not.
std::string broken_rule(std::string_view value, TextRule rule) {
  if (value.empty() && !rule.may_be_empty) return "is empty";
  if (const std::optional<std::string> bad = text_problem(value, rule.lines)) return *bad;
  const size_t characters = utf8_characters(value);
  if (characters > rule.max_characters)
    return fmt::format("has {} characters, at most {} are accepted", characters,
                       rule.max_characters);
  return {};
}

}  // namespace

TomlReader::TomlReader(std::shared_ptr<Shared> shared, std::unique_ptr<Table> table)
    : shared_(std::move(shared)), table_(std::move(table)) {}
TomlReader::TomlReader(TomlReader&&) noexcept = default;
TomlReader::~TomlReader() = default;

TomlReader TomlReader::parse(std::string_view text, const std::string& file_name) {
  auto shared = std::make_shared<Shared>();
  shared->file_name = file_name;
  try {
    shared->root = toml::parse(text, file_name);
  } catch (const toml::parse_error& error) {
    shared->fail(error.source(), "", error.description());
  }
  auto table = std::make_unique<Table>();
  table->node = &shared->root;
  return TomlReader(std::move(shared), std::move(table));
}

bool TomlReader::failed() const { return shared_->error.has_value(); }

bool TomlReader::has(std::string_view key) const { return table_->node->contains(key); }

bool TomlReader::is_table(std::string_view key) const {
  const toml::node* const node = table_->node->get(key);
  return node != nullptr && node->is_table();
}

void TomlReader::fail(std::string_view key, std::string_view why) {
  const toml::node* node = key.empty() ? nullptr : table_->node->get(key);
  const std::string path = key.empty()
                               ? table_->path.substr(0, table_->path.size() - !table_->path.empty())
                               : table_->path + std::string(key);
  shared_->fail(node != nullptr ? node->source() : table_->node->source(), path, why);
}

std::string TomlReader::text(std::string_view key, TextRule rule,
                             std::optional<std::string> absent) {
  const toml::node* node = table_->get(key);
  if (node == nullptr) {
    if (!absent) fail(key, "is missing");
    return absent.value_or("");
  }
  const auto value = node->value_exact<std::string>();
  if (!value) {
    fail(key, "must be a string");
    return {};
  }
  if (const std::string broken = broken_rule(*value, rule); !broken.empty()) fail(key, broken);
  return *value;
}

i64 TomlReader::integer(std::string_view key, i64 smallest, i64 largest,
                        std::optional<i64> absent) {
  const toml::node* node = table_->get(key);
  if (node == nullptr) {
    if (!absent) fail(key, "is missing");
    return absent.value_or(smallest);
  }
  const auto value = node->value_exact<i64>();
  if (!value)
    fail(key, "must be an integer");
  else if (*value < smallest || *value > largest)
    fail(key, fmt::format("is {}, {} to {} are accepted", *value, smallest, largest));
  else
    return *value;
  return smallest;
}

bool TomlReader::flag(std::string_view key, bool absent) {
  const toml::node* node = table_->get(key);
  if (node == nullptr) return absent;
  const auto value = node->value_exact<bool>();
  if (!value) fail(key, "must be true or false");
  return value.value_or(absent);
}

size_t TomlReader::choice(std::string_view key, std::span<const std::string_view> words,
                          std::optional<size_t> absent) {
  if (absent && !has(key)) return *absent;
  const std::string word = text(key, {.max_characters = 64, .may_be_empty = true});
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<size_t>(found - words.begin());
  fail(key, fmt::format("is \"{}\", accepted are {}", word, fmt::join(words, ", ")));
  return 0;
}

std::vector<std::string> TomlReader::texts_or_integers(std::string_view key, TextRule rule,
                                                       size_t smallest, size_t largest) {
  std::vector<std::string> result;
  const toml::node* node = table_->get(key);
  if (node == nullptr) {
    if (smallest > 0) fail(key, "is missing");
    return result;
  }
  if (!node->is_array()) {
    fail(key, "must be an array");
    return result;
  }
  const toml::array& array = *node->as_array();
  if (array.size() < smallest || array.size() > largest)
    fail(key,
         fmt::format("has {} entries, {} to {} are accepted", array.size(), smallest, largest));
  for (size_t k = 0; k < array.size() && !failed(); ++k) {
    const auto value = array[k].value_exact<std::string>();
    const auto number = array[k].value_exact<i64>();
    if (!value && !number)
      fail(key, fmt::format("entry {} has the wrong type", k));
    else if (number)
      result.push_back(fmt::format("{}", *number));
    else if (const std::string broken = broken_rule(*value, rule); !broken.empty())
      fail(key, fmt::format("entry {} {}", k, broken));
    else
      result.push_back(*value);
  }
  return result;
}

std::vector<std::string> TomlReader::texts(std::string_view key, TextRule rule, size_t smallest,
                                           size_t largest) {
  const toml::node* node = table_->get(key);
  if (node != nullptr && node->is_array())
    for (const toml::node& entry : *node->as_array())
      if (!entry.is_string()) fail(key, "must be an array of strings");
  return texts_or_integers(key, rule, smallest, largest);
}

void TomlReader::table(std::string_view key, const std::function<void(TomlReader&)>& read) {
  const toml::node* node = table_->get(key);
  if (node == nullptr || failed()) return;
  if (!node->is_table()) {
    fail(key, "must be a table");
    return;
  }
  auto inner = std::make_unique<Table>();
  inner->node = node->as_table();
  inner->path = table_->path + std::string(key) + ".";
  TomlReader reader(shared_, std::move(inner));
  read(reader);
  reader.check_unused();
}

void TomlReader::tables(std::string_view key, size_t largest,
                        const std::function<void(TomlReader&)>& read) {
  const toml::node* node = table_->get(key);
  if (node == nullptr || failed()) return;
  if (!node->is_array()) {
    fail(key, "must be an array of tables");
    return;
  }
  const toml::array& array = *node->as_array();
  if (array.size() > largest)
    fail(key, fmt::format("has {} entries, at most {} are accepted", array.size(), largest));
  for (size_t k = 0; k < array.size() && !failed(); ++k) {
    if (!array[k].is_table()) {
      fail(key, "must be an array of tables");
      return;
    }
    auto inner = std::make_unique<Table>();
    inner->node = array[k].as_table();
    inner->path = fmt::format("{}{}[{}].", table_->path, key, k);
    TomlReader reader(shared_, std::move(inner));
    read(reader);
    reader.check_unused();
  }
}

std::map<std::string, std::string> TomlReader::text_table(std::string_view key, TextRule rule,
                                                          size_t largest) {
  std::map<std::string, std::string> result;
  table(key, [&](TomlReader& inner) {
    if (inner.table_->node->size() > largest)
      inner.fail("", fmt::format("has {} entries, at most {} are accepted",
                                 inner.table_->node->size(), largest));
    for (const auto& [name, node] : *inner.table_->node) {
      if (inner.failed()) return;
      result.emplace(name.str(), inner.text(name.str(), rule));
    }
  });
  return result;
}

void TomlReader::check_unused() {
  if (failed()) return;
  for (const auto& [key, node] : *table_->node)
    if (!table_->used.contains(key.str()))
      return shared_->fail(node.source(), table_->path + printable_key(key.str()), "unknown key");
}

Result<void> TomlReader::finish() {
  check_unused();
  if (shared_->error) return *shared_->error;
  return {};
}

}  // namespace simfarm::farm
