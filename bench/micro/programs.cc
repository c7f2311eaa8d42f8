#include "bench/micro/programs.h"

#include "base/check.h"
#include "isa/encode.h"

namespace simfarm::bench::micro {
namespace {

enum Register : u8 { zero, t0 = 5, t1 = 6, t2 = 7, a0 = 10, a7 = 17 };

void append_load(std::vector<Operation>& operations, u8 rd, u32 value) {
  const i32 low = static_cast<i32>(value << 20) >> 20;
  const u32 high = value - static_cast<u32>(low);
  operations.push_back({.op = Op::LUI, .rd = rd, .imm = static_cast<i32>(high)});
  operations.push_back({.op = Op::ADDI, .rd = rd, .rs1 = rd, .imm = low});
}

}  // namespace

std::shared_ptr<const Image> image_of(const std::vector<Operation>& operations,
                                      std::vector<u8> local) {
  const AddressMap map;
  auto image = std::make_shared<Image>();
  image->entry = map.instructions.base;
  Segment code{.address = image->entry, .executable = true};
  for (Operation operation : operations) {
    operation.length = 4;
    const u32 word = *encode(operation);
    for (u32 k = 0; k < 4; ++k) code.bytes.push_back(static_cast<u8>(word >> 8 * k));
  }
  code.memory_bytes = static_cast<u32>(code.bytes.size());
  image->segments.push_back(std::move(code));
  if (!local.empty()) {
    Segment data{.address = map.local.base, .writable = true};
    data.memory_bytes = static_cast<u32>(local.size());
    data.bytes = std::move(local);
    image->segments.push_back(std::move(data));
  }
  return image;
}

void append_exit(std::vector<Operation>& operations) {
  operations.push_back({.op = Op::ADDI, .rd = a0});
  operations.push_back({.op = Op::ADDI, .rd = a7, .imm = 93});
  operations.push_back({.op = Op::ECALL});
}

std::vector<Operation> loop_of(const std::vector<Operation>& body, u32 iterations) {
  std::vector<Operation> operations;
  append_load(operations, t0, iterations);
  operations.insert(operations.end(), body.begin(), body.end());
  operations.push_back({.op = Op::ADDI, .rd = t0, .rs1 = t0, .imm = -1});
  const i32 back = -4 * static_cast<i32>(body.size() + 1);
  operations.push_back({.op = Op::BNE, .rs1 = t0, .rs2 = zero, .imm = back});
  append_exit(operations);
  return operations;
}

RunInput transfer_run(const Machine& machine, dma::Descriptor descriptor, u32 times) {
  descriptor.address = machine.map.local.base;
  descriptor.release_own = {0, 1};
  std::vector<Operation> head;
  append_load(head, t1, descriptor.address);
  head.push_back({.op = Op::ADDI, .rd = t2, .imm = 1});
  const std::vector<Operation> rest =
      loop_of({{.op = Op::GP_DMA, .rs1 = t1}, {.op = Op::GP_WAIT, .rs1 = t2, .imm = 0}}, times);
  head.insert(head.end(), rest.begin(), rest.end());
  RunInput input;
  input.machine = machine;
  input.program.images.push_back(image_of(head, dma::encode(descriptor, machine.map)));
  return input;
}

Outcome run_to_end(EngineKind engine, const RunInput& input) {
  auto simulation = make_simulation(engine, input, {});
  check(static_cast<bool>(simulation), "a micro benchmark's program does not load");
  Outcome outcome = (*simulation)->run();
  check(outcome.kind == Outcome::Kind::finished, "a micro benchmark's program does not finish");
  return outcome;
}

}  // namespace simfarm::bench::micro
