#include "engine/fast/hot.h"

#include <algorithm>
#include <bit>

#include "engine/fast/storage.h"

namespace simfarm::fast {
namespace {

constexpr u64 samples_to_compile = 128;
constexpr u32 arrivals_to_wait = 64;
constexpr u64 first_regions = 4;
constexpr u64 work_a_region = u64{1} << 23;  // a region costs about what these do without one
constexpr u32 most_variants = 4;             // of the gangs at one gate
// Fewer where there is no warm-up, so that short programs come to generated code too.
constexpr u32 most_nodes_at_once = 64;
constexpr u32 most_disappointed = 16;

void run_region(const MicroOp* m, u32* x, Running* r) {
  const jit::Region& region = *m->node->hot->scalar;
  Frame frame{x, r->memory, r->counts, r->clock, r->stop, r->retired};
  const jit::Leaf& leaf = region.leaves()[region.run(frame)];
  r->clock = frame.clock;
  r->retired = frame.retired;
  r->left = Left::at_entry;
  r->node = leaf.node;
  r->index = leaf.instruction;
  if (leaf.why == jit::Leaf::Why::stopped) r->left = Left::inside;
  if (leaf.why != jit::Leaf::Why::exit) return;
  Node* const to = leaf.exit->to;
  if (to == nullptr) {
    r->left = Left::unresolved;
    r->exit = leaf.exit;
    return;
  }
  r->node = to;
  if (r->clock + to->max_cycles > r->stop || --r->fuel == 0) return;
  to->start->run(to->start, x, r);
}

void wait_at_gate(const MicroOp* m, u32* x, Running* r) {
  const bool other = r->meet_at != nullptr && r->meet_at != m->node;
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

Hotness::Hotness(const Machine& machine, const HostOptions& options, u32 width, u32 granule)
    : warm_up_(options.warm_up),
      nodes_at_once_(static_cast<u32>(std::clamp<u64>(warm_up_, 2, most_nodes_at_once))),
      samples_to_compile_(std::min(samples_to_compile, options.warm_up / 64)),
      gangs_(width == tile_lanes && machine.pes() >= tile_lanes),
      on_(options.generated_code && !machine.map.unified) {
  scalar_.width = 1;
  scalar_.stride = width;
  scalar_.local_base = machine.map.local.base;
  scalar_.local_bytes = static_cast<u32>(machine.map.local.bytes);
  scalar_.granule = granule;
  scalar_.isa = options.isa.value_or(bodies::best_host_isa());
  gang_ = scalar_;
  gang_.width = tile_lanes;
  gang_.coldest = 4096;  // a way out of a region costs a gang more
}

void Hotness::sample(Node& node, u64 instructions, const u64* counts) {
  work_ += instructions;
  if (!on_ || work_ < warm_up_ || node.ending == Ending::single || node.ending == Ending::link)
    return;
  if (node.hot == nullptr) node.hot = std::make_unique<Hot>();
  Hot& hot = *node.hot;
  if (++hot.samples < samples_to_compile_) return;
  if (gangs_ && !hot.gate && hot.disappointed < most_disappointed) {
    make_gate(node);
  } else if (!hot.gate && hot.scalar == nullptr && hot.samples > 2 * samples_to_compile_) {
    compile_scalar(node, counts);
  }
}

void Hotness::make_gate(Node& node) {
  if (node.hot == nullptr) node.hot = std::make_unique<Hot>();
  Hot& hot = *node.hot;
  if (hot.gate || hot.disappointed >= most_disappointed) return;
  // Code for one PE that goes through here would pass the gate unseen.
  for (Node* one : compiled_) {
    one->hot->scalar = nullptr;
    one->start = one->hot->inner;
  }
  compiled_.clear();
  hot.gate = true;
  hot.wait.run = wait_at_gate;
  hot.wait.node = &node;
  hot.inner = node.start;
  node.start = &hot.wait;
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

void Hotness::compile_scalar(Node& node, const u64* counts) {
  Hot& hot = *node.hot;
  hot.samples = 0;
  if (!generate()) return;
  hot.scalar = backend_->compile(plan(node, 0, scalar_, counts, nullptr), scalar_);
  if (hot.scalar == nullptr) {
    trouble_ = backend_->error();
    return;
  }
  hot.enter.run = run_region;
  hot.enter.node = &node;
  hot.inner = node.start;
  node.start = &hot.enter;
  compiled_.push_back(&node);
}

const jit::Region* Hotness::gang(Node& node, jit::Rows uniform, const u64* counts,
                                 const u64* tile_counts) {
  Hot& hot = *node.hot;
  const GangCode* best = nullptr;
  for (const GangCode& code : hot.gangs)
    if ((code.uniform & ~uniform) == 0 &&
        (best == nullptr || std::popcount(code.uniform) > std::popcount(best->uniform)))
      best = &code;
  if (best == nullptr && hot.gangs.size() < most_variants && generate()) {
    // What is equal by chance now need not be the next time.
    const jit::Rows asked = hot.gangs.empty() ? uniform : uniform & hot.gangs.back().uniform;
    auto region = backend_->compile(plan(node, asked, gang_, counts, tile_counts), gang_);
    if (region == nullptr) trouble_ = backend_->error();
    hot.gangs.push_back({asked, std::move(region)});
    best = &hot.gangs.back();
  }
  return best == nullptr ? nullptr : best->region.get();
}

bool Hotness::first_time(Node& node, u32 tile) {
  std::vector<bool>& seen = node.hot->seen;
  if (seen.size() <= tile) seen.resize(tile + 1);
  if (seen[tile]) return false;
  seen[tile] = true;
  return true;
}

void Hotness::gang_left(Node& node) {
  if (node.ending == Ending::single || node.ending == Ending::link) return;
  if (node.hot == nullptr) node.hot = std::make_unique<Hot>();
  if (++node.hot->arrivals == arrivals_to_wait) make_gate(node);
}

void Hotness::gang_went(Node& node, u64 instructions) {
  Hot& hot = *node.hot;
  work_ += instructions;  // a lane of a gang costs about a sixteenth of a PE alone
  hot.disappointed = instructions >= gang_worth ? 0 : hot.disappointed + 1;
  if (hot.disappointed < most_disappointed) return;
  hot.gate = false;
  node.start = hot.inner;
}

}  // namespace simfarm::fast
