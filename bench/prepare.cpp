#include "bench/prepare.h"

#include <fmt/format.h>

#include <algorithm>

#include "farm/layout.h"

namespace simfarm::bench {
namespace {

std::vector<u8> input_bytes(u32 count) {
  std::vector<u8> bytes(count);
  for (u32 i = 0; i < count; i += 4) {
    const u32 word = (i ^ seed) * 0x9e37'79b1u;
    for (u32 k = 0; k < 4; ++k) bytes[i + k] = static_cast<u8>((word ^ word >> 15) >> 8 * k);
  }
  return bytes;
}

}  // namespace

std::vector<Seat> seats(const Machine& machine, u32 rounds) {
  std::vector<Seat> all;
  for (u32 row = 0; row < machine.rows; ++row)
    for (u32 column = 0; column < machine.columns; ++column)
      all.push_back({machine.rows, machine.columns, row, column, rounds});
  return all;
}

Result<Prepared> prepare(const Case& which, const Machine& machine, u32 rounds,
                         std::shared_ptr<const Image> image) {
  Prepared ready;
  ready.input.machine = machine;
  ready.input.program.images.push_back(std::move(image));

  const std::vector<u8> input = input_bytes(which.input_bytes);
  const u32 output_bytes = which.output_bytes * machine.pes();
  std::vector<farm::PlacedTensor> tensors;
  std::vector<std::vector<u8>> contents;
  const auto add = [&](const char* name, farm::TensorKind kind, farm::Place place, u32 bytes) {
    if (bytes != 0)
      tensors.push_back({name, kind, farm::DType::uint8, {bytes}, place, 0, u64{bytes}});
  };
  add("input", farm::TensorKind::input, farm::Place::ocm, which.input_bytes);
  add("output", farm::TensorKind::output, farm::Place::dram, output_bytes);
  contents.resize(tensors.size());
  if (!input.empty()) contents[0] = input;
  Result<farm::Layout> layout = farm::lay_out(
      std::move(tensors), {static_cast<i32>(rounds), static_cast<i32>(seed)}, machine.map);
  if (!layout) return layout.error();
  ready.input.memory = farm::initial_memory(*layout, contents, std::nullopt);
  ready.input.arguments = farm::argument_block(*layout);

  ready.output.resize(output_bytes);
  if (output_bytes != 0) ready.output_address = layout->tensors.back().address;
  for (const Seat& seat : seats(machine, rounds)) {
    ready.exit_codes.push_back(which.answer(seat, input));
    if (which.output != nullptr)
      which.output(
          seat, input,
          std::span(ready.output).subspan(u64{which.output_bytes} * seat.pe(), which.output_bytes));
  }
  return ready;
}

std::string wrong_answer(const Prepared& ready, const Outcome& outcome,
                         std::span<const u8> output) {
  if (outcome.kind != Outcome::Kind::finished)
    return fmt::format("the run ended with {} at cycle {}{}", name(outcome.kind), outcome.cycles,
                       outcome.trap ? ": " + outcome.trap->detail : "");
  for (u32 pe = 0; pe < outcome.pes.size(); ++pe)
    if (outcome.pes[pe].exit_code != ready.exit_codes[pe])
      return fmt::format("PE {} computed {:#010x}, right is {:#010x}", pe,
                         outcome.pes[pe].exit_code.value_or(0), ready.exit_codes[pe]);
  const auto [wrong, right] = std::mismatch(output.begin(), output.end(), ready.output.begin());
  if (wrong != output.end())
    return fmt::format("output byte {} is {:#04x}, right is {:#04x}", wrong - output.begin(),
                       *wrong, *right);
  return {};
}

}  // namespace simfarm::bench
