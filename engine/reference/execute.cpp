#include "engine/reference/execute.h"

#include "base/check.h"
#include "engine/reference/body.h"
#include "engine/reference/hardware_loop.h"

namespace simfarm::reference {
namespace {

/// Every extension has its group; a new one does not compile until it is here.
const Bodies& group(Extension extension) {
  switch (extension) {
    case Extension::i:
    case Extension::m:
    case Extension::zifencei:
      return base_bodies;
    case Extension::zicsr:
      return csr_bodies;
    case Extension::zba:
    case Extension::zbb:
    case Extension::xcvbitmanip:
      return bit_bodies;
    case Extension::xcvalu:
    case Extension::xcvmac:
      return scalar_bodies;
    case Extension::xcvsimd:
      return simd_bodies;
    case Extension::xcvmem:
      return memory_bodies;
    case Extension::xcvbi:
    case Extension::xcvhwlp:
      return flow_bodies;
    case Extension::xgp:
      return xgp_bodies;
    case Extension::c:
      break;  // compressed forms are expanded before they come here
  }
  check_failed("execute() of a compressed form", std::source_location::current());
}

}  // namespace

bool Step::jump(u32 target) {
  if ((done.fault = jump_into_loop(hart, target))) return false;
  done.next_pc = target;
  jumped = true;
  return true;
}

bool Step::load(u32 address, u32 bytes, u64& value) {
  done.fault = memory.load(address, bytes, value);
  done.facts.misaligned = needs_two_accesses(address, bytes);
  return !done.fault;
}

bool Step::store(u32 address, u32 bytes, u64 value) {
  done.fault = memory.store(address, bytes, value);
  done.facts.misaligned = needs_two_accesses(address, bytes);
  return !done.fault;
}

Executed execute(Hart& hart, const Operation& op, const Surroundings& around, DataPort& memory) {
  check(!executed_elsewhere(row(op.op)), "execute() of an instruction that is the array's");
  Executed done;
  if ((done.fault = loop_violation(hart, op))) return done;
  Step step{hart, op, around, memory, done};
  group(row(op.op).extension)[static_cast<u32>(op.op)](step);
  if (!done.fault && !step.jumped) done.next_pc = next_pc(hart, op.length);
  return done;
}

}  // namespace simfarm::reference
