// Descriptors as text for people.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dma/descriptor.h"

namespace simfarm::dma {
namespace {

std::string_view name(OutOfBounds mode) {
  switch (mode) {
    case OutOfBounds::trap:
      return "trap";
    case OutOfBounds::skip:
      return "skip";
    case OutOfBounds::fill:
      return "fill";
  }
  return "?";
}

class Text {
 public:
  template <class... Args>
  void line(std::string_view field, fmt::format_string<Args...> value, Args&&... args) {
    text_ += fmt::format("{:<20} {}\n", field, fmt::format(value, std::forward<Args>(args)...));
  }
  void use(std::string_view field, const SemaphoreUse& use) {
    if (use.amount != 0) line(field, "{} on semaphore {}", use.amount, use.semaphore);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string_view name(Operation operation) {
  switch (operation) {
    case Operation::copy:
      return "copy";
    case Operation::fill:
      return "fill";
    case Operation::gather:
      return "gather";
    case Operation::scatter:
      return "scatter";
    case Operation::add_i32:
      return "copy-add int32";
    case Operation::add_i8:
      return "copy-add int8";
  }
  return "?";
}

std::string print(const Descriptor& d) {
  Text text;
  const auto used = [&](const auto& list) { return fmt::join(std::span(list).first(d.dims), " "); };
  text.line("address", "{:#010x}", d.address);
  text.line("operation", "{}", name(d.operation));
  text.line("element bytes", "{}", d.element_bytes);
  text.line("sizes", "{}", used(d.sizes));
  if (d.operation != Operation::fill) {
    text.line("source", "{:#010x}", d.source);
    text.line("source strides", "{}", used(d.source_strides));
  }
  text.line("destination", "{:#010x}{}", d.destination, d.multicast ? " (local offset)" : "");
  text.line("destination strides", "{}", used(d.destination_strides));
  if (d.multicast)
    text.line("rectangle", "columns {}..{}, rows {}..{}, {} self", d.rectangle[0], d.rectangle[2],
              d.rectangle[1], d.rectangle[3], d.include_self ? "with" : "without");
  text.use("acquire", d.acquire);
  text.use("own release", d.release_own);
  text.use("receivers' release", d.release_receivers);
  if (d.extended) {
    if (d.operation == Operation::copy) {
      text.line("padding before", "{}", used(d.pad_before));
      text.line("padding after", "{}", used(d.pad_after));
    }
    text.line("fill value", "{:02x}", fmt::join(std::span(d.fill).first(d.element_bytes), " "));
    if (d.operation == Operation::gather || d.operation == Operation::scatter) {
      text.line("out of bounds", "{}", name(d.out_of_bounds));
      text.line("index base", "{:#010x}", d.index_base);
      text.line("index count", "{}", d.index_count);
      text.line("index stride", "{}", d.index_stride);
      text.line("index scale", "{}", d.index_scale);
      text.line("index limit", "{}", d.index_limit);
    }
  }
  if (d.next != 0) text.line("next", "{:#010x}", d.next);
  return text.take();
}

}  // namespace simfarm::dma
