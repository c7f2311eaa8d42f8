#include "engine/fast/interpreter.h"

#include <bit>
#include <utility>

#include "base/check.h"
#include "engine/fast/handlers.h"
#include "engine/fast/hot.h"
#include "engine/fast/storage.h"
#include "isa/traits.h"
#include "pe/bodies/scalar.h"

namespace simfarm::fast {
namespace {

constexpr u32 most_rounds = 1u << 10;

/// The last instruction of the body is done by the micro-operation that ends the node.
bool ends_itself(Ending ending) {
  switch (ending) {
    case Ending::branch:
    case Ending::indirect:
    case Ending::set_loop:
    case Ending::link:
    case Ending::division:
      return true;
    default:
      return false;
  }
}

/// Instructions without effect but their time.
bool does_nothing(const Operation& op) {
  if (bodies::has_result(op.op) && !is_load(op.op)) return op.rd == 0;
  return op.op == Op::JAL && op.rd == 0;
}

/// A loop's start or end is set: a part of the next node's entry.
bool is_known_beforehand(const Operation& op) {
  return op.op == Op::CV_STARTI || op.op == Op::CV_ENDI;
}

}  // namespace

Interpreter::Interpreter(Graph& graph, const Machine& machine, u32 width, u32 granule,
                         Hotness& hotness, Posts& posts)
    : graph_(graph),
      local_(machine.map.local),
      width_(width),
      granule_(granule),
      hotness_(hotness),
      posts_(posts),
      pes_(machine.pes()) {}

void Interpreter::translate(Node& node) const {
  auto code = std::make_shared<MicroOps>();
  const auto make = [&](u32 index, Handler handler) {
    MicroOp micro;
    micro.run = handler;
    micro.node = &node;
    micro.index = static_cast<u16>(index);
    if (index < node.body.size()) {
      const Operation& op = node.body[index];
      const auto source = [&](u32 number) { return static_cast<u16>(number * width_); };
      const auto field = [&](Field one) {
        const u32 number = get(op, one);
        return source(number == 0 && writes(op.op, one) ? discard_row : number);
      };
      micro.rd = field(Field::rd);
      micro.rs1 = source(op.rs1);
      micro.rs2 = field(Field::rs2);
      micro.rs3 = source(op.rs3);
      micro.imm = static_cast<u32>(op.imm);
      micro.imm2 = op.imm2;
      micro.pc = node.pcs[index];
      micro.length = op.length;
      if (op.op == Op::GP_POST) {
        micro.imm2 = static_cast<u8>(op.imm);
        micro.imm = node.issues_at(index);
      }
      if (node.ending == Ending::set_loop && index + 1 == node.body.size())
        micro.imm2 = op.op == Op::CV_SETUPI || op.op == Op::CV_COUNTI;
    }
    code->ops.push_back(micro);
  };
  const u32 size = static_cast<u32>(node.body.size());
  const u32 in_body = ends_itself(node.ending) ? size - 1 : size;
  for (u32 k = 0; k < in_body; ++k) {
    const Operation& op = node.body[k];
    if (does_nothing(op) || is_known_beforehand(op)) continue;
    const Handler handler = handler_of(op.op, granule_);
    check(handler != nullptr, "an instruction in a node's body without a handler");
    make(k, handler);
  }
  const Op last = size == 0 ? Op{} : node.body.back().op;
  make(in_body, ending_of(node.ending, last));
  node.start = code->ops.data();
  node.code = std::move(code);
}

Node& Interpreter::follow(Exit& exit) {
  Node& node = graph_.find(exit.leads_to);
  if (node.start == nullptr) translate(node);
  exit.to = &node;
  return node;
}

/// The first `index` instructions of the node are done; the stepper goes on.
void Interpreter::leave_inside(Pe& pe, Cycle& clock, u64& retired, const Node& node,
                               u32 index) const {
  const Graph::Part part = graph_.part(node, index);
  clock += part.cycles;
  retired += part.instructions;
  pe.stepped[part.entry.region] += part.costs;
  graph_.add_shares(node, index, pe.profile);
  pe.entry = part.entry;
  pe.node = nullptr;
}

/// Where the PE stands: most often where it went on from there before.
Node& Interpreter::find(Pe& pe) const {
  Node* const from = std::exchange(pe.stepped_from, nullptr);
  if (from == nullptr) return graph_.find(pe.entry);
  if (from->behind == nullptr || from->behind->entry != pe.entry)
    from->behind = &graph_.find(pe.entry);
  if (from->meets != nullptr && (pe.entry.loops.count[0] | pe.entry.loops.count[1]) == 0)
    from->passed = from->behind;
  return *from->behind;
}

Interpreter::Why Interpreter::run(Pe& pe, Cycle at_once, Cycle stop,
                                  const std::array<Link*, direction_count>& out,
                                  const std::array<Link*, direction_count>& in, u32 code_base,
                                  u32 code_bytes) {
  Running r;
  r.memory = pe.frame.memory;
  r.counts = pe.frame.counts;
  r.clock = pe.frame.clock;
  r.retired = pe.frame.retired;
  r.stop = std::min(stop, r.clock + at_once);
  r.gates_to_pass = pe.gates_to_pass;
  r.meet_at = pe.meet_at;
  r.local_base = local_.base;
  r.local_bytes = static_cast<u32>(local_.bytes);
  r.log2_width = static_cast<u32>(std::countr_zero(width_));
  r.code_base = code_base;
  r.code_bytes = code_bytes;
  r.out = out.data();
  r.in = in.data();
  r.posts = &posts_.room();
  r.pe = pe.id;
  r.pes = pes_;

  Node* node = pe.node != nullptr ? pe.node : &find(pe);
  if (node->start == nullptr) translate(*node);
  Why why = Why::step;
  bool goes_on = true;
  u32 rounds = most_rounds;
  while (goes_on && --rounds > 0) {
    pe.node = node;
    if (node->ending == Ending::single) break;
    if (r.clock + node->max_cycles > r.stop) {
      if (r.stop < stop) why = Why::a_lot;
      break;
    }
    r.fuel = fuel_ != 0 ? fuel_ : hotness_.nodes_at_once();
    const u64 retired = r.retired;
    node->start->run(node->start, pe.frame.x, &r);
    const auto take = [&](Exit& exit) {
      ++r.counts[exit.counter];
      r.clock += exit.cycles;
      r.retired += exit.instructions;
      node = &follow(exit);
    };
    fuel_ = r.fuel;
    not_sampled_ += r.retired - retired;
    switch (r.left) {
      case Left::at_entry:
        node = r.node;
        if (r.outgrown != nullptr)
          hotness_.grow(*std::exchange(r.outgrown, nullptr), r.counts);
        else if (r.fuel == 0)
          hotness_.sample(*node, std::exchange(not_sampled_, 0), r.counts);
        break;
      case Left::link_blocks:
        node = r.node;
        hotness_.sample_at_link(*node, r.retired - pe.frame.retired, r.counts);
        fuel_ = 0;
        not_sampled_ = 0;
        why = Why::link;
        goes_on = false;
        break;
      case Left::at_gate:
        node = r.node;
        why = Why::gate;
        goes_on = false;
        break;
      case Left::unresolved:
        node = &follow(*r.exit);
        break;
      case Left::indirect: {
        Exit* const exit = graph_.towards(*r.node, r.target);
        if (exit == nullptr) {
          leave_inside(pe, r.clock, r.retired, *r.node, static_cast<u32>(r.node->body.size()) - 1);
          goes_on = false;
          break;
        }
        r.node->lookup[r.target / 2 % lookup_targets] = exit;
        pe.set_x(r.node->body.back().rd, r.node->pcs.back() + r.node->body.back().length);
        take(*exit);
        break;
      }
      case Left::division: {
        Exit* const exit = graph_.after_division(*r.node, r.target);
        if (exit == nullptr) {
          leave_inside(pe, r.clock, r.retired, *r.node, static_cast<u32>(r.node->body.size()) - 1);
          goes_on = false;
          break;
        }
        r.node->lookup[exit->division_cycles] = exit;
        const Operation& op = r.node->body.back();
        pe.set_x(op.rd, bodies::scalar_result(op.op)({.rs1 = pe.x(op.rs1), .rs2 = pe.x(op.rs2)}));
        take(*exit);
        break;
      }
      case Left::inside:
        leave_inside(pe, r.clock, r.retired, *r.node, r.index);
        goes_on = false;
        break;
    }
  }
  if (r.left != Left::inside && pe.node != nullptr) pe.node = node;
  pe.frame.clock = r.clock;
  pe.frame.retired = r.retired;
  pe.gates_to_pass = r.gates_to_pass;
  return rounds > 0 ? why : Why::a_lot;
}

void Interpreter::left_code(Pe& pe, const jit::Leaf& leaf) {
  pe.node = leaf.node;
  if (leaf.why == jit::Leaf::Why::exit) {
    pe.node = &follow(*leaf.exit);
    hotness_.left_code(*pe.code, *pe.node, pe.frame.counts);
  }
  if (leaf.why == jit::Leaf::Why::stopped)
    leave_inside(pe, pe.frame.clock, pe.frame.retired, *leaf.node, leaf.instruction);
}

}  // namespace simfarm::fast
