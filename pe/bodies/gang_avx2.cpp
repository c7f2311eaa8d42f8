#include "pe/bodies/gang_table.h"
#include "pe/bodies/level_avx2.h"

namespace simfarm::bodies {

static_assert(LaneContext<GangAvx2>);
constinit const GangBodies avx2_bodies = make_gang_bodies<GangAvx2>();

}  // namespace simfarm::bodies
