#include "pe/bodies/gang_table.h"
#include "pe/bodies/level_baseline.h"

namespace simfarm::bodies {

static_assert(LaneContext<GangBaseline>);
constinit const GangBodies baseline_bodies = make_gang_bodies<GangBaseline>();

}  // namespace simfarm::bodies
