#include "engine/fast/jit/backend.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

namespace simfarm::fast::jit {

Loaded load_backend() {
  // Once: a process that may open no file any more can still use a library that is loaded.
  static const std::filesystem::path program = [] {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error);
  }();
  if (program.empty()) return {nullptr, "/proc/self/exe cannot be read"};
  return load_backend((program.parent_path() / backend_library).string());
}

Loaded load_backend(const std::string& path) {
  // RTLD_NODELETE: LLVM has registered itself all over the process.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return {nullptr, dlerror()};
  const auto make = reinterpret_cast<MakeBackend>(dlsym(library, backend_function));
  if (make == nullptr) return {nullptr, dlerror()};
  std::unique_ptr<Backend> backend(make(backend_version));
  if (backend == nullptr) return {nullptr, path + " belongs to another version of simfarm"};
  return {std::move(backend), ""};
}

}  // namespace simfarm::fast::jit
