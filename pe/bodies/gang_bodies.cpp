#include "pe/bodies/gang_bodies.h"

namespace simfarm::bodies {

const GangBodies& gang_bodies(HostIsa isa) {
  switch (isa) {
    case HostIsa::avx512:
      return avx512_bodies;
    case HostIsa::avx2:
      return avx2_bodies;
    case HostIsa::baseline:
      break;
  }
  return baseline_bodies;
}

}  // namespace simfarm::bodies
