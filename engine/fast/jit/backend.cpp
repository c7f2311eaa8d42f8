#include "engine/fast/jit/backend.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

namespace simfarm::fast::jit {

Loaded load_backend() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return {nullptr, "/proc/self/exe: " + error.message()};
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
