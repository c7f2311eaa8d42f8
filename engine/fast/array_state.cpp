#include "engine/fast/array_state.h"

#include <cstring>

#include "engine/start.h"

namespace simfarm::fast {
namespace {

/// The memory is zero before; most of it stays so.
void write_sparsely(const std::vector<u8>& bytes, LocalStore& local) {
  constexpr u64 piece = 64;
  static constexpr std::array<u8, piece> zeros{};
  for (u64 at = 0; at < bytes.size(); at += piece)
    if (std::memcmp(bytes.data() + at, zeros.data(), piece) != 0)
      local.write(static_cast<u32>(local.region().base + at), std::span(bytes).subspan(at, piece));
}

}  // namespace

ArrayState::ArrayState(const RunInput& input, const RunOptions& options, Cycle run_end, u32 granule)
    : end(run_end),
      images(decoded_images(input.program)),
      storage(input.machine, granule),
      pes(input.machine.pes()),
      held(storage.tiles()),
      links(input.machine) {
  const std::vector<u32> image_of = place_images(input);
  for (PeId id = 0; id < pes.size(); ++id) {
    Pe& pe = pes[id];
    const Image& image = *input.program.images[image_of[id]];
    pe.id = id;
    pe.image = image_of[id];
    pe.width = storage.width();
    pe.granule = granule;
    pe.checkpoints = Checkpoints(options.checkpoints);
    pe.profile = ProfileTally(options.profile);
    pe.frame.x = storage.registers(id);
    pe.frame.memory = storage.memory(id);
    pe.frame.counts = storage.counts(id);
    pe.local = LocalStore(input.machine.map.local, pe.frame.memory, pe.width);
    write_sparsely(local_memory_at_start(input, id, image), pe.local);
    const StartRegisters start = registers_at_start(input, id, image);
    for (u32 row = 1; row < 32; ++row) pe.set_x(row, start.x[row]);
    pe.set_x(epoch_row, first_epoch);
    pe.set_x(operand_low, static_cast<u32>(start.operand));
    pe.set_x(operand_high, static_cast<u32>(start.operand >> 32));
    pe.entry.pc = start.pc;
    pe.entry.image = pe.image;
  }
  ports.resize(pes.size());
  for (PeId id = 0; id < pes.size(); ++id) {
    pes[id].frame.links = {ports[id].out.data(), ports[id].in.data()};
    for (u32 k = 0; k < direction_count; ++k) {
      const Direction direction = static_cast<Direction>(k);
      if (!links.next_to(id, direction)) continue;
      ports[id].out[k] = &links.out(id, direction);
      ports[id].in[k] = &links.in(id, direction);
    }
  }
}

}  // namespace simfarm::fast
