#include "dma/limits.h"

#include <fmt/format.h>

#include "dma/box.h"

namespace simfarm::dma {
namespace {

template <class... Args>
Error bad(fmt::format_string<Args...> text, Args&&... args) {
  return input_error(fmt::format(text, std::forward<Args>(args)...));
}

bool is_indexed(Operation operation) {
  return operation == Operation::gather || operation == Operation::scatter;
}

/// The dimensions that the descriptor does not have must be empty everywhere.
Result<void> check_unused_dimensions(const Descriptor& d) {
  for (u32 k = d.dims; k < 4; ++k) {
    const auto unused = [&](const char* field) {
      return bad("{}[{}]: not zero, and there are {} dimensions", field, k, d.dims);
    };
    if (d.sizes[k] != 0) return unused("sizes");
    if (d.source_strides[k] != 0) return unused("source strides");
    if (d.destination_strides[k] != 0) return unused("destination strides");
    if (d.pad_before[k] != 0) return unused("padding before");
    if (d.pad_after[k] != 0) return unused("padding after");
  }
  return {};
}

/// Fields that belong to another operation.
Result<void> check_operation(const Descriptor& d) {
  if (d.operation == Operation::add_i32 && d.element_bytes != 4)
    return bad("element bytes: {}, copy-add int32 has 4", d.element_bytes);
  if (d.operation == Operation::add_i8 && d.element_bytes != 1)
    return bad("element bytes: {}, copy-add int8 has 1", d.element_bytes);
  if (d.operation == Operation::fill) {
    if (d.source != 0) return bad("source: {:#x}, a fill has none", d.source);
    for (u32 k = 0; k < 4; ++k)
      if (d.source_strides[k] != 0) return bad("source strides[{}]: a fill has none", k);
  }
  if (d.operation != Operation::copy) {
    for (u32 k = 0; k < 4; ++k) {
      if (d.pad_before[k] != 0) return bad("padding before[{}]: only a copy has padding", k);
      if (d.pad_after[k] != 0) return bad("padding after[{}]: only a copy has padding", k);
    }
  }
  for (u32 i = d.element_bytes; i < 8; ++i)
    if (d.fill[i] != 0)
      return bad("fill value: byte {} is not zero, an element has {}", i, d.element_bytes);
  if (is_indexed(d.operation)) return {};
  if (d.out_of_bounds != OutOfBounds::trap)
    return bad("out-of-bounds mode: only gather and scatter have one");
  const std::pair<const char*, bool> index_fields[] = {
      {"index base", d.index_base != 0},     {"index count", d.index_count != 0},
      {"index stride", d.index_stride != 0}, {"index scale", d.index_scale != 0},
      {"index limit", d.index_limit != 0},
  };
  for (const auto& [field, set] : index_fields)
    if (set) return bad("{}: only gather and scatter have indices", field);
  return {};
}

Result<void> check_alignment(const Descriptor& d) {
  if (d.source % d.element_bytes != 0)
    return bad("source: {:#x} is not a multiple of {}, the element size", d.source,
               d.element_bytes);
  if (d.destination % d.element_bytes != 0)
    return bad("destination: {:#x} is not a multiple of {}, the element size", d.destination,
               d.element_bytes);
  for (u32 k = 0; k < d.dims; ++k) {
    if (d.source_strides[k] % d.element_bytes != 0)
      return bad("source strides[{}]: {} is not a multiple of {}, the element size", k,
                 d.source_strides[k], d.element_bytes);
    if (d.destination_strides[k] % d.element_bytes != 0)
      return bad("destination strides[{}]: {} is not a multiple of {}, the element size", k,
                 d.destination_strides[k], d.element_bytes);
  }
  return {};
}

Result<void> check_indices(const Descriptor& d, const Context& context) {
  if (!is_indexed(d.operation)) return {};
  if (!d.extended) return bad("extended: gather and scatter need the second half");
  if (d.operation == Operation::scatter && d.out_of_bounds == OutOfBounds::fill)
    return bad("out-of-bounds mode: a scatter cannot fill");
  const bool gather = d.operation == Operation::gather;
  if ((gather ? d.source_strides : d.destination_strides)[0] != 0)
    return bad("{} strides[0]: not zero, the indices take its place",
               gather ? "source" : "destination");
  if (d.index_count != d.sizes[0])
    return bad("index count: {}, sizes[0] is {}", d.index_count, d.sizes[0]);
  if (d.index_base % 4 != 0) return bad("index base: {:#x} is not a multiple of 4", d.index_base);
  if (d.index_stride % 4 != 0)
    return bad("index stride: {} is not a multiple of 4", d.index_stride);
  if (d.index_scale % d.element_bytes != 0)
    return bad("index scale: {} is not a multiple of {}, the element size", d.index_scale,
               d.element_bytes);
  if (d.source_elements() == 0) return {};
  const i64 reach = i64{d.index_stride} * (i64{d.index_count} - 1);
  const Extent list{d.index_base + std::min<i64>(reach, 0),
                    d.index_base + std::max<i64>(reach, 0) + 4};
  if (find(context.map, list) != AddressMap::Space::local)
    return bad("index base: the list {:#x}..{:#x} leaves local memory", list.low, list.high - 1);
  return {};
}

Result<void> check_multicast(const Descriptor& d, const Context& context) {
  const auto [x0, y0, x1, y1] = d.rectangle;
  if (!d.multicast) {
    if (d.include_self) return bad("include self: only a multicast has it");
    if (d.rectangle != std::array<u8, 4>{}) return bad("rectangle: only a multicast has one");
    if (d.release_receivers.amount != 0)
      return bad("receivers' release: only a multicast has receivers");
    return {};
  }
  if (x0 > x1 || y0 > y1)
    return bad("rectangle: columns {}..{}, rows {}..{} run backwards", x0, x1, y0, y1);
  if (x1 >= context.columns || y1 >= context.rows)
    return bad("rectangle: columns {}..{}, rows {}..{} leave the {} x {} array", x0, x1, y0, y1,
               context.rows, context.columns);
  const u32 row = context.pe / context.columns, column = context.pe % context.columns;
  if (d.include_self && (column < x0 || column > x1 || row < y0 || row > y1))
    return bad("include self: the rectangle does not hold PE {}", context.pe);
  return {};
}

Result<void> check_semaphores(const Descriptor& d) {
  if (d.acquire.semaphore > 15)
    return bad("acquire semaphore: {}, 0 to 15 exist", d.acquire.semaphore);
  if (d.release_own.semaphore > 7)
    return bad("own release semaphore: {}, a DMA engine releases 0 to 7 at home",
               d.release_own.semaphore);
  if (d.release_receivers.amount != 0 &&
      (d.release_receivers.semaphore < 8 || d.release_receivers.semaphore > 15))
    return bad("receivers' release semaphore: {}, pushes release 8 to 15",
               d.release_receivers.semaphore);
  return {};
}

Result<void> check_ranges(const Descriptor& d, const Context& context) {
  const u64 elements = d.destination_elements();
  if (elements > max_elements)
    return bad("sizes: {} elements in the destination box, at most {} are possible", elements,
               max_elements);
  if (elements == 0) return {};
  // The side that indices address is judged with their values (dma/indices).
  if (d.operation != Operation::fill && d.operation != Operation::gather) {
    const Extent box = source_extent(d);
    if (find(context.map, box) == AddressMap::Space::none)
      return bad("source: the box {:#x}..{:#x} is not inside local memory, OCM or DRAM", box.low,
                 box.high - 1);
  }
  if (d.operation == Operation::scatter) return {};
  const Extent box = destination_extent(d);
  if (d.multicast) {
    if (box.low < 0 || box.high > static_cast<i64>(context.map.local.bytes))
      return bad(
          "destination: the box of local offsets {:#x}..{:#x} leaves local memory of {} bytes",
          box.low, box.high - 1, context.map.local.bytes);
  } else if (find(context.map, box) == AddressMap::Space::none) {
    return bad("destination: the box {:#x}..{:#x} is not inside local memory, OCM or DRAM", box.low,
               box.high - 1);
  }
  return {};
}

}  // namespace

Result<void> check_limits(const Descriptor& d, const Context& context) {
  if (auto ok = check_unused_dimensions(d); !ok) return ok;
  if (auto ok = check_operation(d); !ok) return ok;
  if (auto ok = check_semaphores(d); !ok) return ok;
  if (auto ok = check_multicast(d, context); !ok) return ok;
  if (auto ok = check_alignment(d); !ok) return ok;
  if (auto ok = check_indices(d, context); !ok) return ok;
  return check_ranges(d, context);
}

}  // namespace simfarm::dma
