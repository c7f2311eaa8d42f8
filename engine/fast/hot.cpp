#include "engine/fast/hot.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/fast/planted.h"
#include "engine/fast/storage.h"

namespace simfarm::fast {
namespace {

constexpr u64 samples_to_compile = 128;
constexpr u64 left_to_grow = u64{1} << 17;  // costs about what it does to compile a region
constexpr u32 arrivals_to_wait = 64;
constexpr u64 first_regions = 4;
constexpr u64 work_a_region = u64{1} << 23;  // a region costs about what these do without one
constexpr u32 meetings_to_compile = 3;  // of each tile: then it is known what is equal by chance
constexpr u32 disagreements = 4;        // of lanes about what they load, before it is believed
constexpr u64 instructions_a_disagreement = 20'000;  // to be worth it all the same
constexpr u32 most_variants = 4;                     // of the gangs at one gate
// Fewer where there is no warm-up, so that short programs come to generated code too.
constexpr u32 most_nodes_at_once = 64;
constexpr u32 most_disappointed = 16;

/// There may be generated code for it: of a gang, of one PE.
bool has_gang_code(const Node& node) {
  return node.ending != Ending::single && node.ending != Ending::link;
}
bool has_code(const Node& node) { return node.ending != Ending::single; }

/// Code for one PE may go through it.
bool may_join(const Node& node) {
  return has_code(node) && (node.hot == nullptr || !node.hot->gate);
}

void run_region(const MicroOp* m, u32* x, Running* r) {
  Hot& hot = *m->node->hot;
  const jit::Region& region = *hot.scalar;
  Frame frame{x, r->memory, r->counts, r->clock, r->stop, r->retired};
  frame.links = {r->out, r->in};
  frame.entry = m->imm;
  frame.posts = r->posts;
  frame.pe = r->pe;
  const jit::Leaf& leaf = region.leaves()[region.run(frame)];
  r->clock = frame.clock;
  r->retired = frame.retired;
  r->left = Left::at_entry;
  r->node = leaf.node;
  r->index = leaf.instruction;
  if (leaf.why == jit::Leaf::Why::stopped) r->left = Left::inside;
  if (leaf.why == jit::Leaf::Why::link) {
    const MicroOp* const op = leaf.node->code->ops.data();  // which tells why
    return op->run(op, x, r);
  }
  if (leaf.why != jit::Leaf::Why::exit) return;
  Node* const to = leaf.exit->to;
  if (to == nullptr) {
    r->left = Left::unresolved;
    r->exit = leaf.exit;
    return;
  }
  r->node = to;
  if (may_join(*to) && ++hot.left > hot.most_left) {
    r->outgrown = m->node;
    return;
  }
  if (r->clock + to->max_cycles > r->stop || --r->fuel == 0) return;
  to->start->run(to->start, x, r);
}

void wait_at_gate(const MicroOp* m, u32* x, Running* r) {
  const Node* const meet_at = r->meet_at;  // until that is a gate no more
  const bool other = meet_at != nullptr && meet_at != m->node && meet_at->hot->gate;
  if (!other && r->gates_to_pass == 0) {
    r->left = Left::at_gate;
    r->node = m->node;
    return;
  }
  if (!other) --r->gates_to_pass;
  const MicroOp* const inner = m->node->hot->inner;
  inner->run(inner, x, r);
}

}  // namespace

// Here, where Hot is known.
Node::Node() = default;
Node::~Node() = default;

Hotness::Hotness(const Machine& machine, const HostOptions& options, u32 width, u32 granule,
                 u32 tiles)
    : warm_up_(options.warm_up),
      nodes_at_once_(static_cast<u32>(std::clamp<u64>(warm_up_, 2, most_nodes_at_once))),
      samples_to_compile_(std::min(samples_to_compile, options.warm_up / 64)),
      left_to_grow_(std::clamp<u64>(options.warm_up / 64, 4, left_to_grow)),
      tiles_(tiles),
      gangs_(width == tile_lanes && tiles != 0),
      on_(options.generated_code && !machine.map.unified) {
  scalar_.width = 1;
  scalar_.stride = width;
  scalar_.local_base = machine.map.local.base;
  scalar_.local_bytes = static_cast<u32>(machine.map.local.bytes);
  scalar_.granule = granule;
  scalar_.pes = machine.pes();
  scalar_.link_depth = machine.link.depth;
  scalar_.link_latency = machine.link.latency;
  scalar_.link_credit_latency =
      machine.link.credit_latency + (planted(Planted::generated_receive) ? 1 : 0);
  scalar_.isa = options.isa.value_or(bodies::best_host_isa());
  gang_ = scalar_;
  gang_.width = tile_lanes;
  gang_.coldest = 4096;  // a way out of a region costs a gang more
}

void Hotness::sample(Node& node, u64 instructions, const u64* counts) {
  work_ += instructions;
  if (!on_ || work_ < warm_up_ || !has_code(node)) return;
  if (node.hot == nullptr) node.hot = std::make_unique<Hot>();
  Hot& hot = *node.hot;
  if (++hot.samples < samples_to_compile_ || hot.gate || hot.code != nullptr) return;
  // What code for one PE goes through need not be entered there: for a gang it is too late, and
  // code of its own must be worth its compilation.
  const bool covered = std::any_of(compiled_.begin(), compiled_.end(), [&](const Node* one) {
    const std::vector<const Node*>& nodes = one->hot->covered;
    return std::find(nodes.begin(), nodes.end(), &node) != nodes.end();
  });
  if (!covered && gangs_ && has_gang_code(node) && hot.disappointed < most_disappointed)
    return make_gate(node);
  const u64 times = covered ? 256 : regions_ < first_regions ? 2 : 16;
  if (hot.samples > times * samples_to_compile_) make_scalar(node, counts);
}

void Hotness::make_gate(Node& node) {
  if (node.hot == nullptr) node.hot = std::make_unique<Hot>();
  Hot& hot = *node.hot;
  if (hot.gate || hot.disappointed >= most_disappointed) return;
  uncover(node);  // it would pass the gate unseen
  hot.gate = true;
  hot.wait.run = wait_at_gate;
  hot.wait.node = &node;
  hot.inner = node.start;
  node.start = &hot.wait;
}

void Hotness::uncover(const Node& node) {
  std::erase_if(compiled_, [&](Node* one) {
    Hot& hot = *one->hot;
    if (std::find(hot.covered.begin(), hot.covered.end(), &node) == hot.covered.end()) return false;
    close(*one);
    return true;
  });
}

/// The code generator is there, and the run has done enough to ask it once more.
bool Hotness::generate() {
  if (warm_up_ != 0 && regions_ >= first_regions + work_ / work_a_region) return false;
  if (!loaded_) {
    loaded_ = true;
    jit::Loaded loaded = jit::load_backend();
    backend_ = std::move(loaded.backend);
    if (backend_ == nullptr) trouble_ = "no generated code: " + loaded.reason;
  }
  if (backend_ == nullptr) on_ = false;
  ++regions_;
  return on_;
}

jit::Plan Hotness::plan(Node& node, jit::Rows uniform, const jit::Config& config, const u64* counts,
                        const u64* tile_counts) const {
  return jit::make_plan(node, uniform, config, [&](const Exit& exit) -> u64 {
    const bool gate = exit.to != nullptr && exit.to->hot != nullptr && exit.to->hot->gate;
    if (config.width == 1 && gate) return 0;
    return counts[exit.counter] + (tile_counts == nullptr ? 0 : tile_counts[exit.counter]);
  });
}

bool Hotness::compile_scalar(Node& node, const u64* counts) {
  Hot& hot = *node.hot;
  if (!generate()) return false;
  const jit::Plan plan = this->plan(node, 0, scalar_, counts, nullptr);
  auto region = backend_->compile(plan, scalar_);
  if (region == nullptr) {
    trouble_ = backend_->error();
    return false;
  }
  if (hot.scalar != nullptr) close(node);
  hot.scalar = std::move(region);
  hot.covered.clear();
  for (const jit::PlannedNode& planned : plan.nodes) hot.covered.push_back(planned.node);
  open(node);
  return true;
}

void Hotness::open(Node& node) {
  const std::span<Node* const> entries = node.hot->scalar->entries();
  for (u32 k = 0; k < entries.size(); ++k) {
    Node& entry = *entries[k];
    if (entry.start == nullptr) continue;  // nobody has been there
    if (entry.hot == nullptr) entry.hot = std::make_unique<Hot>();
    Hot& hot = *entry.hot;
    if (hot.code != nullptr || hot.gate) continue;
    hot.code = node.hot->scalar.get();
    hot.enter.run = run_region;
    hot.enter.node = &node;
    hot.enter.imm = k;
    hot.inner = entry.start;
    entry.start = &hot.enter;
  }
}

void Hotness::close(Node& node) {
  for (Node* const entry : node.hot->scalar->entries()) {
    if (entry->hot == nullptr || entry->hot->code != node.hot->scalar.get()) continue;
    entry->hot->code = nullptr;
    entry->start = entry->hot->inner;
  }
  given_up_.push_back(std::move(node.hot->scalar));
}

void Hotness::make_scalar(Node& node, const u64* counts) {
  Hot& hot = *node.hot;
  hot.samples = 0;
  if (!compile_scalar(node, counts)) return;
  hot.left = 0;
  hot.most_left = left_to_grow_;
  compiled_.push_back(&node);
}

void Hotness::grow(Node& node, const u64* counts) {
  Hot& hot = *node.hot;
  hot.left = 0;
  hot.most_left *= 4;
  compile_scalar(node, counts);
}

void Hotness::left_code(const jit::Region& code, const Node& to, const u64* counts) {
  Node& owner = *code.entries()[0];
  Hot& hot = *owner.hot;
  if (hot.scalar.get() == &code && may_join(to) && ++hot.left > hot.most_left) grow(owner, counts);
}

GangCode* Hotness::gang(Node& node, jit::Rows uniform, const u64* counts, const u64* tile_counts) {
  Hot& hot = *node.hot;
  GangCode* best = nullptr;
  for (GangCode& code : hot.gangs)
    if ((code.uniform & ~uniform) == 0 &&
        (best == nullptr || std::popcount(code.uniform) > std::popcount(best->uniform)))
      best = &code;
  if (best == nullptr && hot.gangs.size() < most_variants && generate()) {
    // What is equal by chance now need not be the next time.
    const jit::Rows before = hot.gangs.empty() ? hot.equal : hot.gangs.back().uniform;
    const jit::Rows asked = uniform & before;
    auto region = backend_->compile(plan(node, asked, gang_, counts, tile_counts), gang_);
    if (region == nullptr) trouble_ = backend_->error();
    hot.gangs.push_back({.uniform = asked, .region = std::move(region)});
    best = &hot.gangs.back();
  }
  if (best != nullptr && best->region != nullptr) return best;
  gang_went(node, 0);
  return nullptr;
}

void Hotness::gang_disagreed(Node& node, GangCode& code, const jit::Leaf& leaf) {
  ++code.disagreed;
  if (code.disagreed < disagreements ||
      code.instructions / code.disagreed >= instructions_a_disagreement)
    return;
  // Each such load costs one region more than was meant, once.
  if (gang_.differing.insert({leaf.node->entry.image, leaf.node->pcs[leaf.instruction]}).second)
    --regions_;
  node.hot->disappointed = 0;  // the next code will do better
  std::vector<GangCode>& gangs = node.hot->gangs;
  gangs.erase(gangs.begin() + (&code - gangs.data()));
}

bool Hotness::go_together(Node& node, u32 tile, std::span<const Pe> lanes, jit::Rows equal) {
  Hot& hot = *node.hot;
  if (!hot.gangs.empty() || warm_up_ == 0) return true;
  ++hot.meetings;
  hot.equal &= equal;
  if (probes_.size() <= tile) probes_.resize(tile + 1);
  Probe& probe = probes_[tile];
  Node* const from = std::exchange(probe.from, &node);
  u64 least = ~u64{0}, most = 0;
  for (u32 k = 0; k < lanes.size(); ++k) {
    const u64 went =
        lanes[k].frame.retired - std::exchange(probe.retired[k], lanes[k].frame.retired);
    least = std::min(least, went);
    most = std::max(most, went);
  }
  if (from == nullptr) return false;
  if (least >= 4 * gang_worth) return true;  // perhaps
  if (least == most)
    return (probe.together += least) >= gang_worth && hot.meetings >= meetings_to_compile * tiles_;
  probe.together = 0;
  gang_went(*from, 0);
  return false;
}

void Hotness::parted(u32 tile) {
  if (tile >= probes_.size()) return;
  Probe& probe = probes_[tile];
  probe.together = 0;
  if (Node* const from = std::exchange(probe.from, nullptr)) gang_went(*from, 0);
}

bool Hotness::first_time(Node& node, u32 tile) {
  std::vector<bool>& seen = node.hot->seen;
  if (seen.size() <= tile) seen.resize(tile + 1);
  if (seen[tile]) return false;
  seen[tile] = true;
  return true;
}

void Hotness::gang_left(Node& node) {
  if (!has_gang_code(node)) return;
  if (node.hot == nullptr) node.hot = std::make_unique<Hot>();
  if (++node.hot->arrivals == arrivals_to_wait) make_gate(node);
}

void Hotness::gang_went(Node& node, u64 instructions) {
  Hot& hot = *node.hot;
  work_ += instructions;  // a lane of a gang costs about a sixteenth of a PE alone
  hot.disappointed = instructions >= gang_worth ? 0 : hot.disappointed + 1;
  if (!hot.gate || hot.disappointed < most_disappointed) return;
  hot.gate = false;
  node.start = hot.inner;
}

}  // namespace simfarm::fast
