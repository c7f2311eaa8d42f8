// The program as the PEs fetch it: every halfword of an image's executable segments, decoded.
#pragma once
#include <optional>
#include <vector>

#include "base/types.h"
#include "isa/operation.h"
#include "memory/program.h"

namespace simfarm::reference {

/// One place from which a PE can fetch.
struct CodeWord {
  std::optional<Operation> operation;  ///< none: illegal
  u32 word = 0;                        ///< as fetched, 16 or 32 bits
  bool executable = false;             ///< false: nothing of an executable segment is here
};

class Code {
 public:
  explicit Code(const Image& image);

  /// What is at `pc`, or nullptr: an odd pc, or no executable byte.
  const CodeWord* at(u32 pc) const {
    if (pc < base_ || (pc & 1) != 0) return nullptr;
    const u32 index = (pc - base_) / 2;
    return index < words_.size() && words_[index].executable ? &words_[index] : nullptr;
  }

  /// True when a 32-bit instruction at `pc` is not word aligned: the core needs a second fetch.
  bool wide_at_halfword(u32 pc) const {
    if ((pc & 2) == 0) return false;
    const CodeWord* code = at(pc);
    return code != nullptr && (code->word & 3) == 3;
  }

 private:
  u32 base_ = 0;
  std::vector<CodeWord> words_;
};

}  // namespace simfarm::reference
