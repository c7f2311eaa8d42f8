#include "pe/bodies/host_isa.h"

namespace simfarm::bodies {
namespace {

constexpr std::string_view names[host_isa_count] = {"baseline", "avx2", "avx512"};

}  // namespace

std::string_view name(HostIsa isa) { return names[static_cast<u32>(isa)]; }

std::optional<HostIsa> find_host_isa(std::string_view name) {
  for (u32 k = 0; k < host_isa_count; ++k)
    if (names[k] == name) return static_cast<HostIsa>(k);
  return std::nullopt;
}

// __builtin_cpu_supports() asks XGETBV too: a level is there only if the system saves its
// registers.
HostIsa best_host_isa() {
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt") &&
                    __builtin_cpu_supports("popcnt");
  if (!avx2) return HostIsa::baseline;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi") &&
                      __builtin_cpu_supports("avx512vnni") &&
                      __builtin_cpu_supports("avx512bitalg") &&
                      __builtin_cpu_supports("avx512vpopcntdq");
  return avx512 ? HostIsa::avx512 : HostIsa::avx2;
}

}  // namespace simfarm::bodies
