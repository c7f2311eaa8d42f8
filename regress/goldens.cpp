#include "regress/goldens.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "regress/together.h"

namespace simfarm::regress {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view index_head =
    "# simfarm goldens 1: case, case digest, golden digest, "
    "timing, PEs, end, cycles, instructions\n";
constexpr u64 max_text = u64{64} << 20;
constexpr std::string_view log_file = "bless.log";

std::string pack_path(const std::string& folder, const std::string& group) {
  return folder + "/" + group + ".h5";
}
std::string index_path(const std::string& folder, const std::string& group) {
  return folder + "/" + group + ".txt";
}
std::string pending_path(const std::string& folder, const std::string& group) {
  return folder + "/" + group + ".pending.h5";
}

Result<std::string> read_text(const std::string& path) {
  const Result<std::vector<u8>> bytes = read_file(path, max_text);
  if (!bytes) return bytes.error();
  return std::string(bytes->begin(), bytes->end());
}

/// Words between single spaces.
std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> all;
  for (size_t at = 0; at <= line.size();) {
    const size_t end = std::min(line.find(' ', at), line.size());
    all.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

bool number(std::string_view text, u64& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

/// The groups that have any file.
Result<std::set<std::string>> groups_of(const std::string& folder) {
  std::error_code error;
  std::set<std::string> groups;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::string file = at->path().filename().string();
    for (const std::string_view ending : {".pending.h5", ".h5", ".txt"}) {
      if (!file.ends_with(ending)) continue;
      groups.insert(file.substr(0, file.size() - ending.size()));
      break;
    }
  }
  if (error)
    return Error{Error::Kind::input,
                 fmt::format("{}: {}; `simfarm regress record` makes a folder of goldens", folder,
                             error.message())};
  return groups;
}

void read_group(Goldens& goldens, Group& group) {
  const auto problem = [&](Problem::Kind kind, std::string where, std::string what) {
    goldens.problems.push_back({kind, std::move(where), std::move(what)});
  };
  const std::string file = index_path(goldens.folder, group.name);
  const std::string pack = pack_path(goldens.folder, group.name);
  std::vector<IndexLine> lines;
  if (const Result<std::string> text = read_text(file); !text) {
    if (fs::exists(pack)) problem(Problem::Kind::damaged, file, text.error().message);
  } else if (Result<std::vector<IndexLine>> parsed = parse_index(*text, file); !parsed) {
    problem(Problem::Kind::damaged, file, parsed.error().message);
  } else {
    lines = std::move(*parsed);
  }
  if (fs::exists(pack)) {
    Result<Pack> read = read_any_pack(pack);
    if (!read) return problem(Problem::Kind::damaged, pack, read.error().message);
    group.entries = std::move(read->entries);
    if (read->outdated)
      problem(Problem::Kind::outdated, pack,
              "recorded with other counters than this simfarm has: `simfarm regress record`, with "
              "the change that brought them and no other");
  }
  std::map<std::string_view, const IndexLine*> by_name;
  for (const IndexLine& line : lines) by_name.emplace(line.name, &line);
  for (const Entry& entry : group.entries) {
    const std::string where = group.name + ": " + entry.one.name;
    const auto found = by_name.find(entry.one.name);
    if (found == by_name.end()) {
      problem(Problem::Kind::orphan, where, "its golden is in no line of the index");
      continue;
    }
    const IndexLine now = index_line(entry);
    if (found->second->one != now.one || (entry.golden.known() && *found->second != now))
      problem(Problem::Kind::damaged, where, "its golden is not the one that the index names");
    by_name.erase(found);
  }
  for (const auto& [name, line] : by_name)
    problem(Problem::Kind::missing, group.name + ": " + line->name, "it has no golden");
  const std::string pending = pending_path(goldens.folder, group.name);
  if (!fs::exists(pending)) return;
  Result<std::vector<Entry>> waiting = read_pack(pending);
  if (!waiting) return problem(Problem::Kind::damaged, pending, waiting.error().message);
  group.pending = std::move(*waiting);
  for (const Entry& entry : group.pending)
    problem(Problem::Kind::pending, group.name + ": " + entry.one.name,
            "a new result waits: `simfarm regress review`, then `bless` or `discard`");
}

Result<void> write_group(Together& files, const std::string& group,
                         const std::vector<Entry>& entries) {
  const std::string pack = group + ".h5", index = group + ".txt";
  if (entries.empty()) {
    files.remove(pack);
    files.remove(index);
    return {};
  }
  if (auto written = write_pack(files.path(pack), entries); !written) return written.error();
  return write_text(files.path(index), print_index(entries));
}

Result<void> write_pending(const std::string& folder, const std::string& group,
                           const std::vector<Entry>& entries) {
  if (!entries.empty()) return write_pack(pending_path(folder, group), entries);
  std::error_code error;
  fs::remove(pending_path(folder, group), error);
  if (error) return io_error(pending_path(folder, group) + ": " + error.message());
  return {};
}

/// One line a case: what it was, what it is.
Result<void> write_log(Together& files, const std::string& folder, const Blessing& blessing,
                       const std::vector<std::string>& lines) {
  const std::string file(log_file), path = folder + "/" + file;
  std::string text;
  if (fs::exists(path)) {
    Result<std::string> before = read_text(path);
    if (!before) return before.error();
    text = std::move(*before);
  }
  text += fmt::format("{} {}: {}\n", blessing.when, blessing.who, blessing.reason);
  for (const std::string& line : lines) text += "  " + line + "\n";
  return write_text(files.path(file), text);
}

std::string short_digest(const std::string& digest) { return digest.substr(0, 16); }

/// The files take their places, and the log says why; without lines nothing has changed.
Result<void> conclude(Together& files, const std::string& folder, const Blessing& blessing,
                      const std::vector<std::string>& lines) {
  if (lines.empty()) {
    const Result<bool> nothing = finish(folder);
    return nothing ? Result<void>() : nothing.error();
  }
  if (auto written = write_log(files, folder, blessing, lines); !written) return written.error();
  return files.commit(blessing.step);
}

/// "was -> is cycles before -> after", of the log. `before`: null when it is new.
std::string change_text(const Entry* before, const Entry& after) {
  // Of one that was recorded with other counters nothing is known.
  const bool known = before != nullptr && before->golden.known();
  const std::string why = before == nullptr ? "new" : "outdated";
  return fmt::format(
      "{} -> {} cycles {} -> {}", known ? short_digest(index_line(*before).golden) : why,
      short_digest(index_line(after).golden),
      known ? fmt::format("{}", before->golden.cycles) : "none", after.golden.cycles);
}

/// The cases that the log speaks of and has not removed, as GROUP, CASE. None when there is no log.
Result<std::set<std::pair<std::string, std::string>>> logged(const std::string& folder) {
  std::set<std::pair<std::string, std::string>> cases;
  const std::string path = folder + "/" + std::string(log_file);
  if (!fs::exists(path)) return cases;
  const Result<std::string> text = read_text(path);
  if (!text) return text.error();
  for (size_t at = 0; at < text->size();) {
    const size_t end = std::min(text->find('\n', at), text->size());
    const std::string_view line = std::string_view(*text).substr(at, end - at);
    at = end + 1;
    if (!line.starts_with("  ")) continue;
    const std::vector<std::string_view> row = words(line.substr(2));  // GROUP: CASE was -> is ...
    if (row.size() < 5 || !row[0].ends_with(':')) continue;
    const std::pair<std::string, std::string> one(row[0].substr(0, row[0].size() - 1), row[1]);
    if (row[4] == "removed")
      cases.erase(one);
    else
      cases.insert(one);
  }
  return cases;
}

/// What no group can know of itself: that all of it is gone, or that another has its cases too.
void look_across(Goldens& goldens) {
  const auto problem = [&](Problem::Kind kind, std::string where, std::string what) {
    goldens.problems.push_back({kind, std::move(where), std::move(what)});
  };
  std::map<std::string_view, std::string_view> group_of;
  for (const Group& group : goldens.groups)
    for (const Entry& entry : group.entries)
      if (const auto [at, fresh] = group_of.emplace(entry.one.name, group.name); !fresh)
        problem(Problem::Kind::damaged, group.name + ": " + entry.one.name,
                fmt::format("group {} has a case of that name, too", at->second));
  const auto cases = logged(goldens.folder);
  if (!cases) return problem(Problem::Kind::damaged, std::string(log_file), cases.error().message);
  std::map<std::string, size_t> gone;
  for (const auto& [group, name] : *cases)
    if (goldens.find(group) == nullptr) ++gone[group];
  for (const auto& [group, count] : gone)
    problem(Problem::Kind::missing, group,
            fmt::format("{} has {} goldens in it, and there is no such group", log_file, count));
}

}  // namespace

std::string_view name(Problem::Kind kind) {
  constexpr std::array<std::string_view, 5> names{"missing", "orphan", "damaged", "outdated",
                                                  "pending"};
  return names[static_cast<u32>(kind)];
}

IndexLine index_line(const Entry& entry) {
  return {entry.one.name,      to_string(digest(entry.one)),   to_string(digest(entry.golden)),
          entry.golden.timing, entry.golden.exit_codes.size(), std::string(name(entry.golden.kind)),
          entry.golden.cycles, entry.golden.instructions()};
}

std::string print_index(const std::vector<Entry>& entries) {
  std::string text(index_head);
  std::vector<IndexLine> lines;
  for (const Entry& entry : entries) lines.push_back(index_line(entry));
  std::sort(lines.begin(), lines.end(),
            [](const IndexLine& a, const IndexLine& b) { return a.name < b.name; });
  for (const IndexLine& line : lines)
    text += fmt::format("{} {} {} {} {} {} {} {}\n", line.name, line.one, line.golden, line.timing,
                        line.pes, line.end, line.cycles, line.instructions);
  return text;
}

Result<std::vector<IndexLine>> parse_index(const std::string& text, const std::string& file) {
  const auto wrong = [&](u64 line, std::string_view what) {
    return input_error(fmt::format("{}:{}: {}", file, line, what));
  };
  if (!text.starts_with(index_head)) return wrong(1, "no index of goldens, or of another format");
  if (text.back() != '\n') return wrong(std::count(text.begin(), text.end(), '\n') + 1, "cut off");
  std::vector<IndexLine> lines;
  std::set<std::string> names;
  u64 at_line = 1;
  for (size_t at = index_head.size(); at < text.size();) {
    const size_t end = text.find('\n', at);
    const std::vector<std::string_view> row = words(std::string_view(text).substr(at, end - at));
    at = end + 1;
    ++at_line;
    IndexLine line;
    u64 timing = 0;
    if (row.size() != 8 || row[1].size() != 32 || row[2].size() != 32 || !number(row[3], timing) ||
        !number(row[4], line.pes) || !number(row[6], line.cycles) ||
        !number(row[7], line.instructions))
      return wrong(at_line, "not a line of an index");
    if (const auto problem = name_problem(row[0])) return wrong(at_line, *problem);
    line.name = row[0];
    line.one = row[1];
    line.golden = row[2];
    line.timing = static_cast<u32>(timing);
    line.end = row[5];
    if (!names.insert(line.name).second) return wrong(at_line, line.name + " is there twice");
    lines.push_back(std::move(line));
  }
  return lines;
}

const Group* Goldens::find(std::string_view group) const {
  for (const Group& one : groups)
    if (one.name == group) return &one;
  return nullptr;
}

Result<Goldens> open_goldens(const std::string& folder) {
  const Result<std::set<std::string>> names = groups_of(folder);
  if (!names) return names.error();
  Goldens goldens;
  goldens.folder = folder;
  if (is_unfinished(folder)) {
    goldens.problems.push_back(
        {Problem::Kind::damaged, folder,
         "a change of these goldens was cut off: `simfarm regress bless` finishes it"});
    return goldens;
  }
  for (const std::string& name : *names) {
    Group& group = goldens.groups.emplace_back();
    group.name = name;
    read_group(goldens, group);
  }
  look_across(goldens);
  return goldens;
}

Result<Lock> Lock::take(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  const std::string path = folder + "/.lock";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0)
    return io_error(fmt::format("{}: {}", path, std::generic_category().message(errno)));
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    close(file);
    return Error{Error::Kind::temporary,
                 folder + ": another simfarm changes these goldens; try again when it has ended"};
  }
  Lock lock(file);
  const Result<bool> finished = finish(folder);
  if (!finished) return finished.error();
  lock.finished_ = *finished;
  return lock;
}

Lock::~Lock() {
  if (file_ >= 0) close(file_);
}

Result<void> add_pending(const std::string& folder, const std::string& group,
                         std::vector<Entry> entries) {
  std::map<std::string, Entry> all;
  if (fs::exists(pending_path(folder, group))) {
    Result<std::vector<Entry>> there = read_pack(pending_path(folder, group));
    if (!there) return there.error();
    for (Entry& entry : *there) all[entry.one.name] = std::move(entry);
  }
  for (Entry& entry : entries) all[entry.one.name] = std::move(entry);
  std::vector<Entry> waiting;
  for (auto& [name, entry] : all) waiting.push_back(std::move(entry));
  return write_pending(folder, group, waiting);
}

Result<void> discard_pending(const std::string& folder, const std::string& group) {
  return write_pending(folder, group, {});
}

Result<std::vector<std::string>> bless(const std::string& folder,
                                       const std::function<bool(const Entry&)>& accepts,
                                       const Blessing& blessing) {
  const Result<Goldens> goldens = open_goldens(folder);
  if (!goldens) return goldens.error();
  for (const Problem& problem : goldens->problems)
    if (problem.kind == Problem::Kind::damaged)
      return input_error(problem.where + ": " + problem.what);
  Result<Together> files = Together::begin(folder);
  if (!files) return files.error();
  std::vector<std::string> names, log;
  for (const Group& group : goldens->groups) {
    std::map<std::string, Entry> all;
    for (const Entry& entry : group.entries) all[entry.one.name] = entry;
    std::vector<Entry> waiting;
    bool any = false;
    for (const Entry& entry : group.pending) {
      if (!accepts(entry)) {
        waiting.push_back(entry);
        continue;
      }
      any = true;
      const auto before = all.find(entry.one.name);
      log.push_back(
          fmt::format("{}: {} {}", group.name, entry.one.name,
                      change_text(before == all.end() ? nullptr : &before->second, entry)));
      names.push_back(entry.one.name);
      all[entry.one.name] = entry;
    }
    if (!any) continue;
    std::vector<Entry> entries;
    for (auto& [name, entry] : all) entries.push_back(std::move(entry));
    if (auto written = write_group(*files, group.name, entries); !written) return written.error();
    const std::string pending = group.name + ".pending.h5";
    if (waiting.empty())
      files->remove(pending);
    else if (auto written = write_pack(files->path(pending), waiting); !written)
      return written.error();
    if (blessing.step) blessing.step();
  }
  if (auto done = conclude(*files, folder, blessing, log); !done) return done.error();
  return names;
}

Result<std::vector<std::string>> remove(const std::string& folder,
                                        const std::function<bool(const Entry&)>& chosen,
                                        const Blessing& blessing) {
  const Result<Goldens> goldens = open_goldens(folder);
  if (!goldens) return goldens.error();
  Result<Together> files = Together::begin(folder);
  if (!files) return files.error();
  std::vector<std::string> names, log;
  for (const Group& group : goldens->groups) {
    std::vector<Entry> entries;
    for (const Entry& entry : group.entries) {
      if (!chosen(entry)) {
        entries.push_back(entry);
        continue;
      }
      names.push_back(entry.one.name);
      log.push_back(fmt::format("{}: {} {} -> removed", group.name, entry.one.name,
                                short_digest(index_line(entry).golden)));
    }
    if (entries.size() == group.entries.size()) continue;
    if (auto written = write_group(*files, group.name, entries); !written) return written.error();
    if (blessing.step) blessing.step();
  }
  if (auto done = conclude(*files, folder, blessing, log); !done) return done.error();
  return names;
}

bool matches(std::string_view pattern, std::string_view name) {
  // Where the last '*' was, and what it has swallowed so far.
  size_t p = 0, n = 0, star = std::string_view::npos, swallowed = 0;
  while (n < name.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n]) && pattern[p] != '*') {
      ++p;
      ++n;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      swallowed = n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++swallowed;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace simfarm::regress
