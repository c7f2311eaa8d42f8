#include "tests/support/differential/image_maker.h"

#include <algorithm>

#include "base/bytes.h"
#include "isa/row.h"
#include "tests/support/random_descriptor.h"
#include "tests/support/transfers.h"

namespace simfarm::test {
namespace {

constexpr u32 descriptor_slot = 128;
constexpr u32 private_bytes = 128;  // of a copy that nothing else touches
constexpr u32 data_bytes = 768;     // with something in them at the start

u32 code_base_of(const Machine& machine, Random& random) {
  // Unified: in the upper half of local memory, away from data.
  const u32 base =
      machine.map.unified ? machine.map.local.base + 0x8000u : machine.map.instructions.base;
  return base + 2 * static_cast<u32>(random.one_in(2) ? 0 : random.below(40));
}

}  // namespace

LocalLayout::LocalLayout(const Machine& machine) {
  bytes = static_cast<u32>(std::min<u64>(machine.map.local.bytes, 32u << 10));
  base = descriptors = machine.map.local.base;
  indices = base + (4u << 10);
  data = base + (6u << 10);
  centre = base + bytes - (5u << 10);
}

ImageMaker::ImageMaker(const Machine& machine, Random& random, const Style& style, PeId pe)
    : code(code_base_of(machine, random), random, style.compressed),
      blocks(machine, code, random, style),
      layout(machine),
      machine_(machine),
      random_(random),
      pe_(pe),
      local_(layout.bytes),
      next_descriptor_(layout.descriptors),
      next_index_(layout.indices),
      next_private_(layout.data) {
  for (u32 k = 0; k < data_bytes; ++k)
    local_[layout.data - layout.base + k] = static_cast<u8>(random.next());
  for (u32 k = 0; k < 256; ++k)
    local_[layout.centre - layout.base + k] = static_cast<u8>(random.next());
  blocks.prologue(layout.centre);
}

std::optional<u32> ImageMaker::descriptor_room() {
  if (next_descriptor_ + descriptor_slot > layout.indices) return std::nullopt;
  return std::exchange(next_descriptor_, next_descriptor_ + descriptor_slot);
}

void ImageMaker::put(const dma::Descriptor& descriptor) {
  const std::vector<u8> bytes = dma::encode(descriptor, machine_.map);
  std::ranges::copy(bytes, local_.begin() + (descriptor.address - layout.base));
}

std::optional<dma::Descriptor> ImageMaker::random_descriptor(bool everywhere) {
  const std::optional<u32> room = descriptor_room();
  if (!room) return std::nullopt;
  if (random_.one_in(10)) return padded_rows(*room);
  const dma::Context context{machine_.map, machine_.rows, machine_.columns, pe_};
  for (;;) {
    RandomTransfer transfer = random_transfer(random_, context, *room - layout.base);
    dma::Descriptor& d = transfer.descriptor;
    d.acquire = {};
    // All PEs of a large array at once: fewer elements, or the run is nothing but their transfers.
    if (machine_.pes() >= 15 && !random_.one_in(6))
      for (u32 k = transfer.indices.empty() ? 0 : 1; k < d.dims; ++k)
        if (d.sizes[k] > 1) d.sizes[k] = static_cast<u16>((d.sizes[k] + 3) / 4);
    if (everywhere && d.multicast) {
      // From everywhere to everywhere takes long on a large array.
      if (machine_.pes() > 16 && !random_.one_in(25)) continue;
      if (random_.one_in(2))
        d.rectangle = {0, 0, static_cast<u8>(machine_.columns - 1),
                       static_cast<u8>(machine_.rows - 1)};
      const bool all = d.rectangle == std::array<u8, 4>{0, 0, static_cast<u8>(machine_.columns - 1),
                                                        static_cast<u8>(machine_.rows - 1)};
      d.include_self = all && d.include_self;
    }
    if (!transfer.indices.empty()) {
      // Every list in a place of its own.
      const u32 list = 4 + static_cast<u32>(std::abs(d.index_stride)) *
                               (static_cast<u32>(transfer.indices.size()) - 1);
      if (next_index_ + list > layout.data) continue;
      d.index_base += next_index_ - layout.indices;
      next_index_ += list;
    }
    test::place(transfer, machine_.map, local_);
    return d;
  }
}

dma::Descriptor ImageMaker::padded_rows(u32 room) {
  constexpr u16 row_elements = 16;
  dma::Descriptor d;
  d.address = room;
  d.dims = 2;
  d.element_bytes = 8;
  d.sizes = {static_cast<u16>(random_.between(1, 4)), static_cast<u16>(random_.between(1, 4))};
  d.source_strides = {8 * d.sizes[1], 8};
  d.destination_strides = {8 * row_elements, 8};
  d.extended = true;
  d.pad_after = {0, static_cast<u16>(row_elements - d.sizes[1])};
  d.fill[0] = static_cast<u8>(random_.next());
  const u32 from[] = {layout.data, machine_.map.ocm.base, machine_.map.dram.base};
  const u32 to[] = {layout.data + 512, machine_.map.ocm.base + 512, machine_.map.dram.base + 512};
  d.source = from[random_.below(3)] + 8 * static_cast<u32>(random_.below(16));
  d.destination = to[random_.below(3)] + 64 * static_cast<u32>(random_.below(4));
  d.release_own = {static_cast<u8>(random_.below(8)), 1};
  put(d);
  return d;
}

std::optional<dma::Descriptor> ImageMaker::private_copy(u32 shared, bool into_local) {
  if (next_private_ + private_bytes > layout.centre - (3u << 10)) return std::nullopt;
  const std::optional<u32> room = descriptor_room();
  if (!room) return std::nullopt;
  const u32 local = std::exchange(next_private_, next_private_ + private_bytes);
  const u16 elements = static_cast<u16>(random_.between(1, private_bytes / 4));
  dma::Descriptor d = into_local ? linear_copy(shared, local, elements, 4)
                                 : linear_copy(local, shared, elements, 4);
  d.address = *room;
  d.release_own.semaphore = static_cast<u8>(random_.below(8));
  put(d);
  return d;
}

void ImageMaker::spoil_descriptor(u32 address) {
  const u64 bit = random_.below(8 * descriptor_slot);
  local_[address - layout.base + bit / 8] ^= static_cast<u8>(1u << bit % 8);
}

void ImageMaker::queue(u32 descriptor) {
  code.li(role::temporary, descriptor).emit(Op::GP_DMA, {.rs1 = role::temporary});
}

void ImageMaker::wait(u32 semaphore, u32 amount) {
  code.li(role::temporary, amount);
  // A load just before it makes it drain.
  if (random_.one_in(4)) code.emit(Op::LW, {.rd = t1, .rs1 = role::centre});
  code.emit(Op::GP_WAIT, {.rs1 = role::temporary, .imm = static_cast<i32>(semaphore)});
}

void ImageMaker::touch_data() {
  static constexpr Op ops[] = {Op::LW, Op::SW, Op::LBU, Op::SB, Op::LH, Op::SH};
  code.li(role::temporary, layout.data + static_cast<u32>(random_.below(300)));
  for (u64 k = random_.between(1, 3); k > 0; --k) {
    Operation access{.op = ops[random_.below(std::size(ops))], .rs1 = role::temporary};
    access.imm = static_cast<i32>(random_.below(80));
    if (row(access.op).timing == TimingClass::load)
      access.rd = blocks.operations().destination();
    else
      access.rs2 = blocks.operations().source();
    if (access.rd != role::temporary) code.emit(access);
  }
}

std::shared_ptr<const Image> ImageMaker::image() {
  code.finish();
  auto image = std::make_shared<Image>();
  image->file = "case";  // as a case file that is read back has it
  image->entry = code.base();
  Segment text;
  text.address = code.base();
  text.bytes = code.bytes();
  text.memory_bytes = static_cast<u32>(text.bytes.size());
  text.executable = true;
  Segment data;
  data.address = layout.base;
  data.bytes = local_;
  while (!data.bytes.empty() && data.bytes.back() == 0) data.bytes.pop_back();
  data.memory_bytes = static_cast<u32>(data.bytes.size());
  data.writable = true;
  image->segments = {std::move(text), std::move(data)};
  if (layout.base < code.base()) std::swap(image->segments[0], image->segments[1]);
  return image;
}

}  // namespace simfarm::test
