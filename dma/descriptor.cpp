#include "dma/descriptor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/bytes.h"
#include "dma/layout.h"
#include "dma/limits.h"
#include "dma/local_bytes.h"

namespace simfarm::dma {
namespace {

template <class... Args>
Error bad(fmt::format_string<Args...> text, Args&&... args) {
  return input_error(fmt::format(text, std::forward<Args>(args)...));
}

Error at_descriptor(u32 address, const Error& error) {
  return {error.kind, fmt::format("descriptor {:#010x}: {}", address, error.message)};
}

/// A semaphore use is a bit that says it is there, a number, and an amount; without the bit,
/// neither.
Result<SemaphoreUse> read_use(const char* field, bool present, u32 semaphore, u32 amount) {
  if (present && amount == 0) return bad("{} amount: 0, from 1 to 65535 are possible", field);
  if (!present && amount != 0)
    return bad("{} amount: {}, but no {} is present", field, amount, field);
  if (!present && semaphore != 0)
    return bad("{} semaphore: {}, but no {} is present", field, semaphore, field);
  return SemaphoreUse{static_cast<u8>(semaphore), static_cast<u16>(amount)};
}

Result<void> read_control(u32 control, std::span<const u8> bytes, Descriptor& d) {
  if (layout::control_reserved.of(control) != 0)
    return bad("control bits 31:28: {:#x}, reserved", layout::control_reserved.of(control));
  const u32 operation = layout::operation.of(control);
  if (operation > static_cast<u32>(Operation::add_i8))
    return bad("operation: {}, from 0 to 5 exist", operation);
  const u32 mode = layout::out_of_bounds.of(control);
  if (mode > static_cast<u32>(OutOfBounds::fill))
    return bad("out-of-bounds mode: {}, from 0 to 2 exist", mode);
  d.operation = static_cast<Operation>(operation);
  d.out_of_bounds = static_cast<OutOfBounds>(mode);
  d.dims = static_cast<u8>(layout::dims_minus_1.of(control) + 1);
  d.element_bytes = static_cast<u8>(1u << layout::log2_element.of(control));
  d.multicast = layout::multicast.of(control);
  d.include_self = layout::include_self.of(control);
  d.extended = layout::extended.of(control);

  const auto amount = [&](u32 offset) { return static_cast<u32>(load_bytes(bytes, offset, 2)); };
  const auto acquire =
      read_use("acquire", layout::acquire_present.of(control),
               layout::acquire_semaphore.of(control), amount(layout::acquire_amount));
  if (!acquire) return acquire.error();
  const auto own = read_use("own release", layout::own_present.of(control),
                            layout::own_semaphore.of(control), amount(layout::own_amount));
  if (!own) return own.error();
  const auto receivers =
      read_use("receivers' release", layout::receivers_present.of(control),
               layout::receivers_semaphore.of(control), amount(layout::receivers_amount));
  if (!receivers) return receivers.error();
  d.acquire = *acquire;
  d.release_own = *own;
  d.release_receivers = *receivers;
  return {};
}

/// The bits of a descriptor, taken apart; `bytes` are 64, or 128 when extended.
Result<Descriptor> unpack(std::span<const u8> bytes, const Context& context) {
  const auto word = [&](u32 offset) { return static_cast<u32>(load_bytes(bytes, offset, 4)); };
  const auto half = [&](u32 offset) { return static_cast<u16>(load_bytes(bytes, offset, 2)); };
  Descriptor d;
  if (auto ok = read_control(word(layout::control), bytes, d); !ok) return ok.error();
  d.source = word(layout::source);
  d.destination = word(layout::destination);
  if (const u32 next = half(layout::next) * descriptor_bytes; next != 0) {
    if (next + descriptor_bytes > context.map.local.bytes)
      return bad("next: a descriptor at local offset {:#x} leaves local memory of {} bytes", next,
                 context.map.local.bytes);
    d.next = context.map.local.base + next;
  }
  for (u32 k = 0; k < 4; ++k) {
    d.sizes[k] = half(layout::sizes + 2 * k);
    d.source_strides[k] = static_cast<i32>(word(layout::source_strides + 4 * k));
    d.destination_strides[k] = static_cast<i32>(word(layout::destination_strides + 4 * k));
    d.rectangle[k] = bytes[layout::rectangle + k];
  }
  if (!d.extended) return d;
  for (u32 k = 0; k < 4; ++k) {
    d.pad_before[k] = half(layout::pad_before + 2 * k);
    d.pad_after[k] = half(layout::pad_after + 2 * k);
  }
  std::ranges::copy(bytes.subspan(layout::fill, 8), d.fill.begin());
  d.index_base = word(layout::index_base);
  d.index_count = word(layout::index_count);
  d.index_stride = static_cast<i32>(word(layout::index_stride));
  d.index_scale = static_cast<i32>(word(layout::index_scale));
  d.index_limit = word(layout::index_limit);
  for (u32 i = layout::reserved; i < extended_descriptor_bytes; ++i)
    if (bytes[i] != 0) return bad("byte {}: {:#x}, reserved", i, bytes[i]);
  return d;
}

/// Finds the bytes of the descriptor at `address`, takes them apart and checks the limits.
Result<Descriptor> read(u32 address, const LocalBytes& local, const Context& context) {
  if (address % descriptor_bytes != 0)
    return bad("address: not a multiple of {}", descriptor_bytes);
  if (!context.map.local.contains(address, descriptor_bytes))
    return bad("address: not inside local memory");
  std::array<u8, extended_descriptor_bytes> halves;
  std::span<u8> bytes = std::span(halves).first(descriptor_bytes);
  local.read(address, bytes);
  if (layout::extended.of(static_cast<u32>(load_bytes(bytes, layout::control, 4)))) {
    if (!context.map.local.contains(address, extended_descriptor_bytes))
      return bad("extended: the second half leaves local memory");
    local.read(address + descriptor_bytes, std::span(halves).subspan(descriptor_bytes));
    bytes = halves;
  }
  auto descriptor = unpack(bytes, context);
  if (!descriptor) return descriptor;
  descriptor->address = address;
  if (auto ok = check_limits(*descriptor, context); !ok) return ok.error();
  return descriptor;
}

Result<Descriptor> parse(u32 address, const LocalBytes& local, const Context& context) {
  auto descriptor = read(address, local, context);
  if (!descriptor) return at_descriptor(address, descriptor.error());
  return descriptor;
}

}  // namespace

u64 Descriptor::source_elements() const {
  u64 product = 1;
  for (u32 k = 0; k < dims; ++k) product *= sizes[k];
  return product;  // below (2^16)^4
}

u64 Descriptor::destination_elements() const {
  if (source_elements() == 0) return 0;
  u64 product = 1;
  for (u32 k = 0; k < dims; ++k) {
    if (product > ~u64{0} / destination_size(k)) return ~u64{0};
    product *= destination_size(k);
  }
  return product;
}

Result<Descriptor> parse(u32 address, std::span<const u8> local, const Context& context) {
  return parse(address, LinearBytes(local, context.map), context);
}

Result<std::vector<Descriptor>> parse_chain(u32 address, std::span<const u8> local,
                                            const Context& context) {
  return parse_chain(address, LinearBytes(local, context.map), context);
}

Result<std::vector<Descriptor>> parse_chain(u32 address, const LocalBytes& local,
                                            const Context& context) {
  std::vector<Descriptor> chain;
  u32 at = address;
  do {
    if (std::ranges::find(chain, at, &Descriptor::address) != chain.end())
      return at_descriptor(chain.back().address, bad("next: back to {:#010x} of the chain", at));
    if (chain.size() == max_chain)
      return at_descriptor(chain.back().address,
                           bad("next: the chain has more than {} descriptors", max_chain));
    auto descriptor = parse(at, local, context);
    if (!descriptor) return descriptor.error();
    chain.push_back(*descriptor);
    at = descriptor->next;
  } while (at != 0);
  return chain;
}

std::vector<u8> encode(const Descriptor& d, const AddressMap& map) {
  std::vector<u8> bytes(d.extended ? extended_descriptor_bytes : descriptor_bytes);
  const auto put = [&](u32 offset, u32 count, u64 value) {
    store_bytes(bytes, offset, count, value);
  };
  put(layout::control, 4,
      layout::operation.at(static_cast<u32>(d.operation)) | layout::dims_minus_1.at(d.dims - 1u) |
          layout::log2_element.at(static_cast<u32>(std::countr_zero(d.element_bytes))) |
          layout::multicast.at(d.multicast) | layout::include_self.at(d.include_self) |
          layout::extended.at(d.extended) | layout::acquire_present.at(d.acquire.amount != 0) |
          layout::own_present.at(d.release_own.amount != 0) |
          layout::receivers_present.at(d.release_receivers.amount != 0) |
          layout::out_of_bounds.at(static_cast<u32>(d.out_of_bounds)) |
          layout::acquire_semaphore.at(d.acquire.semaphore) |
          layout::own_semaphore.at(d.release_own.semaphore) |
          layout::receivers_semaphore.at(d.release_receivers.semaphore));
  put(layout::source, 4, d.source);
  put(layout::destination, 4, d.destination);
  if (d.next != 0) put(layout::next, 2, (d.next - map.local.base) / descriptor_bytes);
  put(layout::acquire_amount, 2, d.acquire.amount);
  put(layout::own_amount, 2, d.release_own.amount);
  put(layout::receivers_amount, 2, d.release_receivers.amount);
  for (u32 k = 0; k < 4; ++k) {
    put(layout::sizes + 2 * k, 2, d.sizes[k]);
    put(layout::source_strides + 4 * k, 4, static_cast<u32>(d.source_strides[k]));
    put(layout::destination_strides + 4 * k, 4, static_cast<u32>(d.destination_strides[k]));
    put(layout::rectangle + k, 1, d.rectangle[k]);
  }
  if (!d.extended) return bytes;
  for (u32 k = 0; k < 4; ++k) {
    put(layout::pad_before + 2 * k, 2, d.pad_before[k]);
    put(layout::pad_after + 2 * k, 2, d.pad_after[k]);
  }
  std::ranges::copy(d.fill, bytes.begin() + layout::fill);
  put(layout::index_base, 4, d.index_base);
  put(layout::index_count, 4, d.index_count);
  put(layout::index_stride, 4, static_cast<u32>(d.index_stride));
  put(layout::index_scale, 4, static_cast<u32>(d.index_scale));
  put(layout::index_limit, 4, d.index_limit);
  return bytes;
}

}  // namespace simfarm::dma
