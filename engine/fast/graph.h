// Makes nodes as execution reaches them, and knows what each exit costs.
#pragma once
#include <memory>
#include <unordered_map>
#include <vector>

#include "decoder/program_code.h"
#include "engine/fast/meter.h"
#include "engine/fast/node.h"
#include "engine/profile.h"

namespace simfarm::fast {

/// What one exit adds to the counters of its region.
struct ExitCost {
  u8 region = 0;
  Counters counters;
  const Node* node = nullptr;
};

class Graph {
 public:
  /// `images`: the program's, decoded; they outlive the graph. `posts`: gp.posts are a part of
  /// nodes; without, they are the stepper's.
  Graph(const std::vector<DecodedImage>& images, bool posts) : images_(images), posts_(posts) {}

  const DecodedImage& image(u32 number) const { return images_[number]; }

  /// The node of that entry.
  Node& find(const Entry& entry);
  /// The node where `exit` leads.
  Node& follow(Exit& exit);
  /// The exit of an `indirect` node towards `target`; null: nothing may jump there, or no exit is
  /// left.
  Exit* towards(Node& node, u32 target);
  /// The exit of a `division` node for that divisor.
  Exit* after_division(Node& node, u32 divisor);

  u32 exits() const { return static_cast<u32>(costs_.size()); }
  const ExitCost& cost(u32 counter) const { return costs_[counter]; }

  /// Where a PE stands, and what it has paid, when only the first `instructions` of a node are
  /// done.
  struct Part {
    Entry entry;
    u32 cycles = 0;
    u32 instructions = 0;
    Counters costs;
  };
  Part part(const Node& node, u32 instructions) const;

  /// What one instruction of a node costs.
  struct Share {
    u32 pc = 0;
    Counters costs;
  };
  /// Of the first `instructions` of a node.
  std::vector<Share> shares(const Node& node, u32 instructions) const;
  void add_shares(const Node& node, u32 instructions, ProfileTally& to) const {
    if (!to.on()) return;
    for (const Share& share : shares(node, instructions))
      to.add(node.entry.region, share.pc, share.costs);
  }
  /// Of the counter: together they are its cost.
  std::vector<Share> shares(u32 counter) const;

 private:
  struct HashOfEntry {
    std::size_t operator()(const Entry& entry) const;
  };
  class Builder;
  /// No exit is left for one more node: what is not known yet is the stepper's from now on.
  bool full() const;
  void add_exit(Node& node, const Meter& meter, u32 target, const LoopContext& loops);
  /// A counter of cycles that are charged to `bin`.
  u32 add_wait(const Node& node, Stall bin);
  /// After all instructions of the body but the last.
  Meter before_last(const Node& node) const;

  const std::vector<DecodedImage>& images_;
  const bool posts_;
  std::unordered_map<Entry, std::unique_ptr<Node>, HashOfEntry> nodes_;  ///< only ever looked up
  std::vector<ExitCost> costs_;
};

/// True when the next instruction to run, at `pc`, is a 32-bit one that is not word aligned.
bool wide_at_halfword(const DecodedImage& image, u32 pc);

}  // namespace simfarm::fast
