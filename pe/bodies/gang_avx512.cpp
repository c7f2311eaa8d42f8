#include "pe/bodies/gang_table.h"
#include "pe/bodies/level_avx512.h"

namespace simfarm::bodies {

static_assert(LaneContext<GangAvx512>);
constinit const GangBodies avx512_bodies = make_gang_bodies<GangAvx512>();

}  // namespace simfarm::bodies
