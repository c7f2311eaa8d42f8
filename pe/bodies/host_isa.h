// Instruction sets of the host that the gang's bodies are compiled for.
#pragma once
#include <optional>
#include <string_view>

#include "base/types.h"

namespace simfarm::bodies {

enum class HostIsa : u8 {
  baseline,  ///< x86-64
  avx2,      ///< with BMI1, BMI2 and LZCNT
  avx512,    ///< F BW DQ VL CD VBMI VNNI BITALG VPOPCNTDQ
};
inline constexpr u32 host_isa_count = 3;

/// "avx2", as on the command line.
std::string_view name(HostIsa isa);
std::optional<HostIsa> find_host_isa(std::string_view name);

/// The best that this processor and its operating system support.
HostIsa best_host_isa();

/// True when code of that level runs here.
inline bool runs_here(HostIsa isa) { return isa <= best_host_isa(); }

}  // namespace simfarm::bodies
