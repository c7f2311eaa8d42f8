// bench/expected.json: cycles, instructions and digest that a case must have on its own machine.
// Answers are checked against the host's in any case; this holds the cycles of kernels as one
// compiler compiles them, and says nothing about another's.
#pragma once
#include <map>
#include <string>
#include <utility>

#include "base/result.h"
#include "bench/measure.h"

namespace simfarm::bench {

class Expectations {
 public:
  /// The file's; a missing file is empty.
  static Result<Expectations> load(const std::string& path);
  Result<void> save(const std::string& path) const;

  /// Compares; sets row.recorded, and row.failure when the row is another one.
  void check(Row& row) const;
  /// Takes the row's answer. Rows of other machines than the case's own are left out.
  void record(const Row& row);

 private:
  struct Entry {
    Digest program;
    Answer answer;
  };
  /// By case and size.
  std::map<std::pair<std::string, std::string>, Entry> entries_;
};

}  // namespace simfarm::bench
