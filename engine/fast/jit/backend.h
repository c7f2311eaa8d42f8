// The code generator is a shared library of its own, beside the program: a process linked to LLVM
// needs 75 to 90 ms more to start. It is loaded when the first region is compiled. Without it the
// engine does the same, slower.
#pragma once
#include <memory>
#include <string>

#include "engine/fast/jit/plan.h"

namespace simfarm::fast::jit {

/// Compiles plans. Not to be used by two threads at the same time; its regions may run on any.
class Backend {
 public:
  virtual ~Backend() = default;
  /// Null when the code generator fails, or the host does not run code for config.isa; error() says
  /// why. The plan's nodes must live as long as the region. Regions may outlive the backend.
  virtual std::unique_ptr<Region> compile(const Plan& plan, const Config& config) = 0;
  virtual const char* error() const = 0;
};

/// The library's one function; null for a version that it is not.
using MakeBackend = Backend* (*)(u32 version);
inline constexpr u32 backend_version = 5;
inline constexpr const char* backend_function = "simfarm_jit_backend";
inline constexpr const char* backend_library = "libsimfarm_jit.so";

struct Loaded {
  std::unique_ptr<Backend> backend;
  std::string reason;  ///< why there is none
};

/// Loads the library from the running program's folder; it stays loaded.
Loaded load_backend();
/// From that file, an absolute path.
Loaded load_backend(const std::string& path);

}  // namespace simfarm::fast::jit
