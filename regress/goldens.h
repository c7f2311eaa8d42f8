// A folder of goldens:
//
//   GROUP.h5          cases and their goldens (regress/pack.h)
//   GROUP.txt         its index, a line a case, that git can diff and a reviewer can read
//   GROUP.pending.h5  new results that wait for `bless`
//   bless.log         who accepted what, and why
//   .lock             held by who changes something
//   .new, .decided    a change that is being made (regress/together.h)
//
// The index says which cases there are; a case without a golden, a golden without a line and one
// that is not what its line says are problems.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "regress/pack.h"

namespace simfarm::regress {

/// One case as the index has it.
struct IndexLine {
  std::string name;
  std::string one;     ///< digest of the case, 32 digits
  std::string golden;  ///< of the golden
  u32 timing = 0;
  u64 pes = 0;
  std::string end;  ///< "finished"
  Cycle cycles = 0;
  u64 instructions = 0;
  friend bool operator==(const IndexLine&, const IndexLine&) = default;
};
IndexLine index_line(const Entry& entry);
std::string print_index(const std::vector<Entry>& entries);
/// Errors name file and line.
Result<std::vector<IndexLine>> parse_index(const std::string& text, const std::string& file);

struct Problem {
  enum class Kind : u8 {
    missing,   ///< a line of the index has no golden
    orphan,    ///< a golden has no line
    damaged,   ///< a file cannot be read, or a golden is not what its line says
    outdated,  ///< recorded with other counters
    pending,   ///< a new result waits to be accepted
  } kind{};
  std::string where;  ///< a file, or GROUP: CASE
  std::string what;
};
std::string_view name(Problem::Kind kind);

struct Group {
  std::string name;
  std::vector<Entry> entries;
  std::vector<Entry> pending;
};

struct Goldens {
  std::string folder;
  std::vector<Group> groups;  ///< by name
  std::vector<Problem> problems;
  const Group* find(std::string_view group) const;
};

/// Reads all groups. What is wrong with a group is a problem; the error is of the folder.
Result<Goldens> open_goldens(const std::string& folder);

/// Nobody else changes anything while it lives.
class Lock {
 public:
  /// Finishes a change that was cut off, too. Error: temporary, somebody else has it.
  static Result<Lock> take(const std::string& folder);
  /// There was one.
  bool finished() const { return finished_; }
  Lock(Lock&& other) noexcept : file_(other.file_), finished_(other.finished_) { other.file_ = -1; }
  Lock& operator=(Lock&&) = delete;
  ~Lock();

 private:
  explicit Lock(int file) : file_(file) {}
  int file_;
  bool finished_ = false;
};

/// Adds to what waits in a group, in place of what is there by the same names. With the lock.
Result<void> add_pending(const std::string& folder, const std::string& group,
                         std::vector<Entry> entries);

/// A change of goldens, as the log has it.
struct Blessing {
  std::string who;
  std::string when;  ///< "2026-11-30T12:00:00Z"
  std::string reason;
  std::function<void()> step;  ///< called between its steps
};

/// Makes what waits in those groups their goldens, writes the indices and the log. With the lock.
/// `accepts(entry)`: whether it is to be taken; others go on waiting. Returns the names.
Result<std::vector<std::string>> bless(const std::string& folder,
                                       const std::function<bool(const Entry&)>& accepts,
                                       const Blessing& blessing);

/// Takes cases out of the goldens, likewise.
Result<std::vector<std::string>> remove(const std::string& folder,
                                        const std::function<bool(const Entry&)>& chosen,
                                        const Blessing& blessing);

/// Throws away what waits. With the lock.
Result<void> discard_pending(const std::string& folder, const std::string& group);

/// "gemm*" and the like: '*' stands for anything, '?' for one character.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace simfarm::regress
