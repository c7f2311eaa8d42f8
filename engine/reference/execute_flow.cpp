// XCVbi and XCVhwlp. Source: CV32E40P User Manual, "Immediate Branching operations" and "Hardware
// Loops".
#include "engine/reference/body.h"
#include "engine/reference/hardware_loop.h"

namespace simfarm::reference {
namespace {

template <bool when_equal>
constexpr Body branch_on_imm2 = [](Step& s) {
  const bool equal = s.rs1() == static_cast<u32>(i32{static_cast<i8>(s.op.imm2)});
  if (equal == when_equal) s.done.facts.taken = s.jump(s.hart.pc + s.imm());
};

/// `words` instructions of 4 bytes beyond this one's start.
u32 ahead(const Step& s, u32 words) { return s.hart.pc + 4 * words; }

template <auto make_update>
constexpr Body loop_registers = [](Step& s) {
  const LoopUpdate update = make_update(s);
  s.done.fault = update_loop(s.hart, s.op.rd, update);
};

constexpr Entry entries[] = {
    {Op::CV_BEQIMM, branch_on_imm2<true>},
    {Op::CV_BNEIMM, branch_on_imm2<false>},

    {Op::CV_STARTI, loop_registers<[](Step& s) {
       return LoopUpdate{.start = ahead(s, s.imm()), .relative_to_pc = true};
     }>},
    {Op::CV_START, loop_registers<[](Step& s) { return LoopUpdate{.start = s.rs1()}; }>},
    {Op::CV_ENDI, loop_registers<[](Step& s) {
       return LoopUpdate{.end = ahead(s, s.imm()), .relative_to_pc = true};
     }>},
    {Op::CV_END, loop_registers<[](Step& s) { return LoopUpdate{.end = s.rs1()}; }>},
    {Op::CV_COUNTI, loop_registers<[](Step& s) { return LoopUpdate{.count = s.imm()}; }>},
    {Op::CV_COUNT, loop_registers<[](Step& s) { return LoopUpdate{.count = s.rs1()}; }>},
    {Op::CV_SETUPI, loop_registers<[](Step& s) {
       return LoopUpdate{ahead(s, 1), ahead(s, s.op.imm2), s.imm(), true};
     }>},
    {Op::CV_SETUP, loop_registers<[](Step& s) {
       return LoopUpdate{ahead(s, 1), ahead(s, s.imm()), s.rs1(), true};
     }>},
};

}  // namespace

constinit const Bodies flow_bodies = bodies({Extension::xcvbi, Extension::xcvhwlp}, entries);

}  // namespace simfarm::reference
