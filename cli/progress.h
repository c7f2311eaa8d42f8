// How far a batch is, on stderr: one line that is rewritten on a terminal, plain lines otherwise.
#pragma once
#include <chrono>
#include <string>

namespace simfarm::cli {

class Progress {
 public:
  explicit Progress(size_t total);
  ~Progress() { clear(); }
  /// So many there are altogether, it is known now.
  void expect(size_t total) { total_ = total; }
  /// Something began; "gemm kernel".
  void started(const std::string& what);
  /// Something ended; `good` counts as passed.
  void done(const std::string& what, bool good);
  /// Takes the rewritten line away, so that other output can follow.
  void clear();

 private:
  std::string line(const std::string& what) const;
  void show(const std::string& what, bool always);

  size_t total_;
  size_t running_ = 0;
  size_t passed_ = 0;
  size_t other_ = 0;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace simfarm::cli
