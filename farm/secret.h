// What a farm knows and its authors do not: where the seeds of held-out cases come from.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace simfarm::farm {

/// 32 random bytes. They lie in one file that its owner alone may read, and go nowhere else: not
/// into a database, a log, a document or a message.
class Secret {
 public:
  /// A fresh one, from the kernel's random numbers.
  static Result<Secret> make();
  /// Error: no such file, one that others may read, or not what save() writes.
  static Result<Secret> load(const std::string& path);
  /// Replaces the file, mode 0600, on the disk when it returns.
  Result<void> save(const std::string& path) const;

  /// Sixteen hexadecimal digits by which results name it; says nothing about it.
  const std::string& id() const { return id_; }
  /// The first 8 bytes, little-endian, of HMAC-SHA256 over the parts; none of them runs into
  /// another.
  u64 seed(const std::vector<std::string>& parts) const;

 private:
  explicit Secret(const std::array<u8, 32>& bytes);
  std::array<u8, 32> bytes_;
  std::string id_;
};

}  // namespace simfarm::farm
