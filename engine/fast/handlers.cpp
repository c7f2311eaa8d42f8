#include "engine/fast/handlers.h"

#include "engine/fast/marks.h"
#include "engine/fast/planted.h"
#include "isa/traits.h"
#include "pe/bodies/scalar.h"
#include "pe/bodies/table.h"

namespace simfarm::fast {
namespace {

using bodies::Scalar;

void next(const MicroOp* op, u32* x, Running* r) { op[1].run(op + 1, x, r); }

/// The stepper does this instruction.
[[gnu::cold, gnu::noinline]] void leave_before(const MicroOp* op, Running* r) {
  r->left = Left::inside;
  r->node = op->node;
  r->index = op->index;
}

template <Op op>
bodies::Operands<u32> operands(const MicroOp* m, const u32* x, u32 width_row_low,
                               u32 width_row_high) {
  bodies::Operands<u32> o;
  if constexpr (reads(op, Field::rd)) o.rd = x[m->rd];
  if constexpr (reads(op, Field::rs1)) o.rs1 = x[m->rs1];
  if constexpr (reads(op, Field::rs2)) o.rs2 = x[m->rs2];
  if constexpr (reads(op, Field::rs3)) o.rs3 = x[m->rs3];
  if constexpr (bodies::reads_operand_buffer(op)) {
    o.x_low = x[width_row_low];
    o.x_high = x[width_row_high];
  }
  o.imm = m->imm;
  o.imm2 = m->imm2;
  o.pc = m->pc;
  o.length = m->length;
  return o;
}

u32 row_offset(const Running* r, u32 row) { return row << r->log2_width; }

template <Op op>
u32 computed(const MicroOp* m, const u32* x, const Running* r) {
  Scalar lanes;
  u32 low = 0, high = 0;
  if constexpr (bodies::reads_operand_buffer(op)) {
    low = row_offset(r, operand_low);
    high = row_offset(r, operand_high);
  }
  return bodies::result<op>(lanes, operands<op>(m, x, low, high));
}

template <Op op>
void compute(const MicroOp* m, u32* x, Running* r) {
  x[m->rd] = computed<op>(m, x, r);
  next(m, x, r);
}

// --- Memory ------------------------------------------------------------------------------------

template <u32 bytes>
bool reaches(const Running* r, u32 offset) {
  return offset <= r->local_bytes - bytes && offset % bytes == 0;
}
u8* byte_at(const Running* r, u32 offset) {
  return reinterpret_cast<u8*>(r->memory + (u64{offset / 4} << r->log2_width)) + offset % 4;
}
u32* word_at(const Running* r, u32 offset) {
  return r->memory + (u64{offset / 4} << r->log2_width);
}

template <u32 bytes, bool is_signed>
u32 loaded(const Running* r, u32 offset) {
  if constexpr (bytes == 4) return *word_at(r, offset);
  const u8* at = byte_at(r, offset);
  if constexpr (bytes == 1) return is_signed ? static_cast<u32>(i32{static_cast<i8>(*at)}) : *at;
  u16 half;
  __builtin_memcpy(&half, at, 2);
  return is_signed ? static_cast<u32>(i32{static_cast<i16>(half)}) : half;
}
template <u32 bytes>
void put(const Running* r, u32 offset, u32 value) {
  if constexpr (bytes == 4)
    *word_at(r, offset) = value;
  else
    __builtin_memcpy(byte_at(r, offset), &value, bytes);
}

/// A load or store at `offset` leaves its mark.
template <u32 granule, u32 bytes, bool stores>
void mark(const u32* x, const Running* r, u32 offset) {
  if constexpr (granule != no_marks) {
    const u32 epoch = x[row_offset(r, epoch_row)];
    const u64 first =
        stores ? store_marks_at(r->local_bytes, granule) : load_marks_at(r->local_bytes);
    for (u32 k = 0; k < bytes; k += granule)
      r->memory[(first + (offset + k) / granule) << r->log2_width] = epoch;
  }
}

/// Where an access is, and what its base becomes.
template <Op op>
struct Place {
  u32 offset;
  u32 moved;
};
template <Op op>
Place<op> place(const MicroOp* m, const u32* x, const Running* r) {
  constexpr MemoryAccess access = traits(op).memory;
  constexpr bool pointer = bodies::is_dot_and_load(op) || op == Op::GP_XLD;
  const auto of = [&](Field field) {
    return x[field == Field::rs1 ? m->rs1 : field == Field::rs2 ? m->rs2 : m->rs3];
  };
  const u32 base = of(access.base);
  u32 add = 8;
  if constexpr (!pointer) add = m->imm;
  if constexpr (access.register_offset) add = of(access.offset);
  return {(access.post_increment ? base : base + add) - r->local_base, base + add};
}

template <Op op, u32 granule>
void load(const MicroOp* m, u32* x, Running* r) {
  constexpr MemoryAccess access = traits(op).memory;
  const Place<op> at = place<op>(m, x, r);
  if (!reaches<access.bytes>(r, at.offset)) [[unlikely]]
    return leave_before(m, r);
  mark<granule, access.bytes, false>(x, r, at.offset);
  if constexpr (access.bytes == 8) {
    const u32 low = *word_at(r, at.offset), high = *word_at(r, at.offset + 4);
    if constexpr (bodies::is_dot_and_load(op)) x[m->rd] = computed<op>(m, x, r);
    if constexpr (bodies::is_dot_and_load(op) || op == Op::GP_XLD) {
      x[access.base == Field::rs1 ? m->rs1 : m->rs3] = at.moved;
      x[row_offset(r, operand_low)] = low;
      x[row_offset(r, operand_high)] = high;
    } else {
      if constexpr (access.post_increment) x[m->rs1] = at.moved;
      x[m->rd] = low;
      x[m->rs2] = high;
    }
  } else {
    const u32 value = loaded<access.bytes, access.is_signed>(r, at.offset);
    // When rd is the incremented base, the loaded value stays.
    if constexpr (access.post_increment) x[m->rs1] = at.moved;
    x[m->rd] = value;
  }
  next(m, x, r);
}

template <Op op, u32 granule>
void store(const MicroOp* m, u32* x, Running* r) {
  constexpr MemoryAccess access = traits(op).memory;
  const Place<op> at = place<op>(m, x, r);
  if (!reaches<access.bytes>(r, at.offset) ||
      at.offset + r->local_base - r->code_base < r->code_bytes) [[unlikely]]
    return leave_before(m, r);
  mark<granule, access.bytes, true>(x, r, at.offset);
  if constexpr (access.bytes == 8) {
    *word_at(r, at.offset) = x[m->rs2];
    *word_at(r, at.offset + 4) = x[m->rs3];
  } else {
    put<access.bytes>(r, at.offset, x[m->rs2]);
  }
  if constexpr (access.post_increment) x[m->rs1] = at.moved;
  next(m, x, r);
}

template <u32 granule>
void look_up(const MicroOp* m, u32* x, Running* r) {
  const u32 table = x[m->rs1] - r->local_base, which = x[m->rs2];
  u32 result = 0;
  for (u32 shift = 0; shift < 32; shift += 8) {
    const u32 offset = table + (which >> shift & 0xff);
    if (!reaches<1>(r, offset)) [[unlikely]]
      return leave_before(m, r);
    mark<granule, 1, false>(x, r, offset);
    result |= u32{*byte_at(r, offset)} << shift;
  }
  x[m->rd] = result;
  next(m, x, r);
}

void set_operand(const MicroOp* m, u32* x, Running* r) {
  const u32 low = x[m->rs1], high = x[m->rs2];
  x[row_offset(r, operand_low)] = low;
  x[row_offset(r, operand_high)] = high;
  next(m, x, r);
}

/// A gp.post to semaphore imm2, imm cycles after the node's entry.
void post(const MicroOp* m, u32* x, Running* r) {
  PostRoom<Post>& room = *r->posts;
  const u32 to = x[m->rs1];
  if (to >= r->pes || room.next == room.end) [[unlikely]]
    return leave_before(m, r);
  *room.next++ = {r->clock + m->imm, to, m->imm2, m->pc, r->pe};
  next(m, x, r);
}

void link_register(const MicroOp* m, u32* x, Running* r) {
  x[m->rd] = m->pc + m->length;
  next(m, x, r);
}

// --- Endings -----------------------------------------------------------------------------------

void take(Exit* exit, u32* x, Running* r) {
  ++r->counts[exit->counter];
  r->clock += exit->cycles;
  r->retired += exit->instructions;
  Node* const to = exit->to;
  if (to == nullptr) [[unlikely]] {
    r->left = Left::unresolved;
    r->exit = exit;
    return;
  }
  if (r->clock + to->max_cycles > r->stop || --r->fuel == 0) [[unlikely]] {
    r->left = Left::at_entry;
    r->node = to;
    return;
  }
  to->start->run(to->start, x, r);
}

void end_next(const MicroOp* m, u32* x, Running* r) { take(m->node->ways[0], x, r); }

void end_single(const MicroOp* m, u32*, Running* r) {
  r->left = Left::at_entry;
  r->node = m->node;
}

template <Op op>
void end_branch(const MicroOp* m, u32* x, Running* r) {
  Scalar lanes;
  const bool taken = bodies::holds<op>(lanes, x[m->rs1], x[m->rs2], m->imm2);
  take(m->node->ways[taken ? 1 : 0], x, r);
}

void end_indirect(const MicroOp* m, u32* x, Running* r) {
  const u32 target = (x[m->rs1] + m->imm) & ~1u;
  Exit* const exit = m->node->lookup[target / 2 % lookup_targets];
  if (exit == nullptr || exit->leads_to.pc != target) [[unlikely]] {
    r->left = Left::indirect;
    r->node = m->node;
    r->target = target;
    return;
  }
  x[m->rd] = m->pc + m->length;
  take(exit, x, r);
}

void end_loop(const MicroOp* m, u32* x, Running* r) {
  const u32 left = --x[row_offset(r, loop_count_0 + m->node->loop)];
  take(m->node->ways[left >= 2 ? 0 : 2 - left], x, r);
}

void end_set_loop(const MicroOp* m, u32* x, Running* r) {
  const u32 count = m->imm2 != 0 ? m->imm : x[m->rs1];
  x[row_offset(r, loop_count_0 + m->node->loop)] = count;
  take(m->node->ways[count >= 2 ? 0 : 2 - count], x, r);
}

template <Op op>
void end_division(const MicroOp* m, u32* x, Running* r) {
  const u32 divisor = x[m->rs2];
  Exit* const exit = m->node->lookup[timing::division_cycles(op, divisor) % lookup_divisions];
  if (exit == nullptr) [[unlikely]] {
    r->left = Left::division;
    r->node = m->node;
    r->target = divisor;
    return;
  }
  x[m->rd] = computed<op>(m, x, r);
  take(exit, x, r);
}

/// Off the array's edge, or later than the run: the stepper's.
void step_link(const MicroOp* m, Running* r) {
  r->left = Left::inside;
  r->node = m->node;
  r->index = 0;
}

/// Sends or receives, when it is known in which cycle that will be.
template <bool sends>
void end_link(const MicroOp* m, u32* x, Running* r) {
  Link* const link = sends ? r->out[m->imm] : r->in[m->imm];
  const Cycle since = r->clock + m->node->hazard;
  if (link != nullptr && (sends ? !link->can_send() : !link->can_receive())) {
    r->left = Left::link_blocks;
    r->node = m->node;
    return;
  }
  if (link == nullptr) return step_link(m, r);
  const Cycle latest = r->stop - 1;
  const Cycle at =
      sends ? link->send_by(x[m->rs1], since, latest) : link->receive_by(x[m->rd], since, latest);
  if (at == never) return step_link(m, r);
  r->counts[m->node->wait_counter] += at - since;
  r->clock += at - since;
  take(m->node->ways[0], x, r);
}

template <Op op, u32 granule>
constexpr Handler in_body() {
  if constexpr (row(op).compressed())
    return nullptr;
  else if constexpr (op == Op::GP_LUT8)
    return look_up<granule>;
  else if constexpr (op == Op::GP_XSET)
    return set_operand;
  else if constexpr (op == Op::GP_POST)
    return post;
  else if constexpr (op == Op::JAL)
    return link_register;
  else if constexpr (is_load(op))
    return load<op, granule>;
  else if constexpr (is_store(op))
    return store<op, granule>;
  else if constexpr (row(op).timing == TimingClass::division)
    return nullptr;
  else if constexpr (bodies::has_result(op))
    return compute<op>;
  else
    return nullptr;
}

template <Op op>
constexpr Handler at_end() {
  if constexpr (bodies::has_condition(op))
    return end_branch<op>;
  else if constexpr (row(op).timing == TimingClass::division && !row(op).compressed())
    return end_division<op>;
  else
    return nullptr;
}

constexpr auto body_handlers =
    bodies::by_op<Handler>([](auto op) { return in_body<decltype(op)::value, no_marks>(); });
constexpr auto coarse_handlers =
    bodies::by_op<Handler>([](auto op) { return in_body<decltype(op)::value, coarse_granule>(); });
constexpr auto fine_handlers =
    bodies::by_op<Handler>([](auto op) { return in_body<decltype(op)::value, fine_granule>(); });
constexpr auto end_handlers =
    bodies::by_op<Handler>([](auto op) { return at_end<decltype(op)::value>(); });

}  // namespace

Handler handler_of(Op op, u32 granule) {
  if (planted(Planted::dot_product_sign) && op == Op::CV_DOTSP_B) op = Op::CV_DOTUP_B;
  const u32 number = static_cast<u32>(op);
  if (granule == no_marks) return body_handlers[number];
  return granule == fine_granule ? fine_handlers[number] : coarse_handlers[number];
}

Handler ending_of(Ending ending, Op op) {
  switch (ending) {
    case Ending::next:
      return end_next;
    case Ending::indirect:
      return end_indirect;
    case Ending::loop:
      return end_loop;
    case Ending::set_loop:
      return end_set_loop;
    case Ending::link:
      return op == Op::GP_SEND ? end_link<true> : end_link<false>;
    case Ending::single:
      return end_single;
    default:
      return end_handlers[static_cast<u32>(op)];
  }
}

}  // namespace simfarm::fast
