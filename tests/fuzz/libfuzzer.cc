// libFuzzer's entry to one target: built by the preset `fuzz` alone, once a target, with
// SIMFARM_FUZZ_TARGET and SIMFARM_FUZZ_CORPUS defined (README.md). Not a .cpp, so that the tests do
// not take it in.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/check.h"
#include "tests/fuzz/targets.h"

namespace {

const simfarm::fuzz::Target& target() {
  const auto all = simfarm::fuzz::targets();
  const auto found = std::ranges::find(all, SIMFARM_FUZZ_TARGET, &simfarm::fuzz::Target::name);
  simfarm::check(found != all.end(), "no such fuzz target");
  return *found;
}

}  // namespace

/// Writes the seeds into the corpus folder, where libFuzzer finds them and keeps what it learns.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  std::filesystem::create_directories(SIMFARM_FUZZ_CORPUS);
  std::size_t number = 0;
  for (const auto& seed : target().seeds())
    std::ofstream(SIMFARM_FUZZ_CORPUS "/seed-" + std::to_string(number++), std::ios::binary)
        .write(reinterpret_cast<const char*>(seed.data()),
               static_cast<std::streamsize>(seed.size()));
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const simfarm::u8* data, std::size_t size) {
  target().run({data, size});
  return 0;
}
