// XCVmem: loads and stores with a post-incremented base or a register offset. Source: CV32E40P User
// Manual, "Load-Store operations".
#include "engine/reference/memory_access.h"

namespace simfarm::reference {
namespace {

constexpr Entry entries[] = {
    {Op::CV_LB_PI, load_rd<Width::byte, base_then_imm>},
    {Op::CV_LH_PI, load_rd<Width::half, base_then_imm>},
    {Op::CV_LW_PI, load_rd<Width::word, base_then_imm>},
    {Op::CV_LBU_PI, load_rd<Width::byte_unsigned, base_then_imm>},
    {Op::CV_LHU_PI, load_rd<Width::half_unsigned, base_then_imm>},

    {Op::CV_LB_PR, load_rd<Width::byte, base_then_rs2>},
    {Op::CV_LH_PR, load_rd<Width::half, base_then_rs2>},
    {Op::CV_LW_PR, load_rd<Width::word, base_then_rs2>},
    {Op::CV_LBU_PR, load_rd<Width::byte_unsigned, base_then_rs2>},
    {Op::CV_LHU_PR, load_rd<Width::half_unsigned, base_then_rs2>},

    {Op::CV_LB_RR, load_rd<Width::byte, base_plus_rs2>},
    {Op::CV_LH_RR, load_rd<Width::half, base_plus_rs2>},
    {Op::CV_LW_RR, load_rd<Width::word, base_plus_rs2>},
    {Op::CV_LBU_RR, load_rd<Width::byte_unsigned, base_plus_rs2>},
    {Op::CV_LHU_RR, load_rd<Width::half_unsigned, base_plus_rs2>},

    {Op::CV_SB_PI, store_rs2<Width::byte, base_then_imm>},
    {Op::CV_SH_PI, store_rs2<Width::half, base_then_imm>},
    {Op::CV_SW_PI, store_rs2<Width::word, base_then_imm>},

    {Op::CV_SB_PR, store_rs2<Width::byte, base_then_rs3>},
    {Op::CV_SH_PR, store_rs2<Width::half, base_then_rs3>},
    {Op::CV_SW_PR, store_rs2<Width::word, base_then_rs3>},

    {Op::CV_SB_RR, store_rs2<Width::byte, base_plus_rs3>},
    {Op::CV_SH_RR, store_rs2<Width::half, base_plus_rs3>},
    {Op::CV_SW_RR, store_rs2<Width::word, base_plus_rs3>},
};

}  // namespace

constinit const Bodies memory_bodies = bodies({Extension::xcvmem}, entries);

}  // namespace simfarm::reference
