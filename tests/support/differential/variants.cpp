#include "tests/support/differential/variants.h"

namespace simfarm::test {
namespace {

using bodies::HostIsa;
using profile::Side;

Side fast_side(const char* name, HostOptions host) {
  return {name, [host](RunInput input, RunOptions options) {
            options.host = host;
            return make_simulation(EngineKind::fast, std::move(input), options);
          }};
}

/// Only what runs on this host.
void add(std::vector<Side>& sides, const char* name, const HostOptions& host) {
  if (!host.isa || bodies::runs_here(*host.isa)) sides.push_back(fast_side(name, host));
}

}  // namespace

std::vector<Side> variants() {
  std::vector<Side> sides = {profile::side_of(EngineKind::fast)};
  add(sides, "fast, interpreted", {.generated_code = false});
  add(sides, "fast, two threads", {.threads = 2});
  sides.push_back(trusting_variant());
  for (const profile::Side& side : shuffled_variants()) sides.push_back(side);
  return sides;
}

std::vector<Side> shuffled_variants() {
  std::vector<Side> sides;
  add(sides, "fast, one thread, shuffled", {.shuffle = 1, .trust = 0});
  add(sides, "fast, two threads, shuffled", {.threads = 2, .shuffle = 2, .trust = 1});
  add(sides, "fast, as many threads as PEs can use, shuffled",
      {.threads = 1024, .shuffle = 3, .trust = std::nullopt});
  return sides;
}

Side trusting_variant() { return fast_side("fast, trusting every wait", {.trust = 0}); }

std::vector<Side> slow_variants() {
  std::vector<Side> sides;
  add(sides, "fast, generated code", {.warm_up = 0});
  add(sides, "fast, generated code, AVX2", {.warm_up = 0, .isa = HostIsa::avx2});
  add(sides, "fast, generated code, baseline", {.warm_up = 0, .isa = HostIsa::baseline});
  add(sides, "fast, generated code after a while", {.warm_up = 64});
  add(sides, "fast, generated code, three threads", {.threads = 3, .warm_up = 0, .shuffle = 4});
  return sides;
}

}  // namespace simfarm::test
