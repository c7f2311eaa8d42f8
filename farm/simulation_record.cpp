#include "farm/simulation_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "farm/lint.h"
#include "farm/wire.h"
#include "profile/source.h"

namespace simfarm::farm {
namespace {

constexpr u64 request_magic = 0x3271'6572'6d69'7300;  // "\0simreq2"
constexpr u64 record_magic = 0x3263'6572'6d69'7300;   // "\0simrec2"
constexpr u64 counter_count = issue_class_count + stall_count;
constexpr u64 case_integers = 6 + counter_count;
constexpr u64 max_tensor_bytes = u64{1} << 32;
constexpr u64 max_cases = 4096;
constexpr u64 max_name = 4096;
constexpr u64 page = 4096;  // local memories of machine files are a multiple of

/// Magic number, hash of the rest, the rest.
std::vector<u8> seal(u64 magic, std::vector<u8> body) {
  WireWriter sealed;
  sealed.integer(magic);
  sealed.integer(hash64(body, magic));
  std::vector<u8> bytes = sealed.take();
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

/// The rest; nothing when it is not that, or damaged.
std::span<const u8> unseal(u64 magic, std::span<const u8> bytes) {
  constexpr u64 head = 16;
  if (bytes.size() <= head || load_bytes(bytes, 0, 8) != magic) return {};
  const std::span<const u8> body = bytes.subspan(head);
  return load_bytes(bytes, 8, 8) == hash64(body, magic) ? body : std::span<const u8>();
}

void write_placed(WireWriter& to, const PlacedTensor& tensor) {
  to.text(tensor.name);
  to.integer(static_cast<u64>(tensor.kind));
  to.integer(static_cast<u64>(tensor.dtype));
  to.integer(tensor.shape.size());
  for (const u32 size : tensor.shape) to.integer(size);
  to.integer(static_cast<u64>(tensor.place));
  to.integer(tensor.address);
  to.integer(tensor.bytes);
}

PlacedTensor read_placed(WireReader& from) {
  PlacedTensor tensor;
  tensor.name = from.text(max_name);
  tensor.kind = static_cast<TensorKind>(from.integer(static_cast<u64>(TensorKind::inout)));
  tensor.dtype = static_cast<DType>(from.integer(dtype_count));
  tensor.shape.resize(from.integer(max_rank));
  for (u32& size : tensor.shape) size = static_cast<u32>(from.integer(~u32{0}));
  tensor.place = static_cast<Place>(from.integer(static_cast<u64>(Place::ocm)));
  tensor.address = static_cast<u32>(from.integer(~u32{0}));
  tensor.bytes = from.integer(max_tensor_bytes);
  return tensor;
}

void write_case(WireWriter& to, const Case& one) {
  to.text(one.name);
  to.integer(one.layout.tensors.size());
  for (const PlacedTensor& tensor : one.layout.tensors) write_placed(to, tensor);
  to.integer(one.layout.params.size());
  for (const i32 param : one.layout.params) to.integer(static_cast<u32>(param));
  to.integer(one.layout.arenas.size());
  for (const Arena& arena : one.layout.arenas) {
    to.integer(arena.address);
    to.integer(arena.bytes);
  }
  to.block(one.arguments);
  for (const auto* const contents : {&one.before, &one.after})
    for (const std::vector<u8>& bytes : *contents) to.block(bytes);
  to.integer(one.units);
  to.integer(one.reference.has_value());
  if (!one.reference) return;
  const LogitRule& rule = one.reference->rule;
  to.integer(rule.tensor);
  to.integer(rule.fraction_bits);
  to.integer(static_cast<u64>(rule.scale));
  to.integer(static_cast<u64>(rule.zero_point));
  to.integer(rule.bound);
  to.integer(one.reference->values.size());
  for (const i64 value : one.reference->values) to.integer(static_cast<u64>(value));
}

std::vector<u8> read_block(WireReader& from, u64 most) {
  const std::span<const u8> bytes = from.block(most);
  return {bytes.begin(), bytes.end()};
}

Case read_case(WireReader& from) {
  Case one;
  one.name = from.text(max_name);
  one.layout.tensors.resize(from.integer(max_tensors));
  for (PlacedTensor& tensor : one.layout.tensors) tensor = read_placed(from);
  one.layout.params.resize(from.integer(max_params));
  for (i32& param : one.layout.params)
    param = static_cast<i32>(static_cast<u32>(from.integer(~u32{0})));
  one.layout.arenas.resize(from.integer(2));
  for (Arena& arena : one.layout.arenas) {
    arena.address = static_cast<u32>(from.integer(~u32{0}));
    arena.bytes = from.integer(max_tensor_bytes);
  }
  one.arguments = read_block(from, max_tensor_bytes);
  for (auto* const contents : {&one.before, &one.after})
    for (size_t k = 0; k < one.layout.tensors.size(); ++k)
      contents->push_back(read_block(from, max_tensor_bytes));
  one.units = from.integer();
  if (from.integer(1) == 0) return one;
  Reference reference;
  reference.rule.tensor = static_cast<u32>(from.integer(max_tensors - 1));
  reference.rule.fraction_bits = static_cast<u32>(from.integer(63));
  reference.rule.scale = static_cast<i64>(from.integer());
  reference.rule.zero_point = static_cast<i64>(from.integer());
  reference.rule.bound = from.integer();
  reference.values.resize(from.integer(max_tensor_bytes / 8));
  for (i64& value : reference.values) value = static_cast<i64>(from.integer());
  one.reference = std::move(reference);
  return one;
}

/// Whether judge() finds it: the program's own doing, or counters that do not add up.
bool is_programs(Verdict verdict) {
  switch (verdict) {
    case Verdict::accepted:
    case Verdict::wrong_output:
    case Verdict::nondeterministic:
    case Verdict::output_limit:
    case Verdict::cycle_limit:
    case Verdict::deadlock:
    case Verdict::runtime_trap:
    case Verdict::memory_limit:
    case Verdict::rejected:
    case Verdict::judge_error:
      return true;
    default:
      return false;
  }
}

/// Reads the score of a case; nothing when it cannot be true.
std::optional<CaseScore> read_score(WireReader& from, const Task& task, const Case& one,
                                    u64 local_bytes) {
  CaseScore score;
  score.name = one.name;
  score.units = one.units;
  score.boot_cycles = boot_cycles(local_bytes, one.arguments.size());
  score.cycles = from.integer(task.limits.cycles);
  score.instructions = from.integer();
  score.dma_bytes = from.integer();
  score.ocm_bytes = from.integer(score.dma_bytes);
  score.dram_bytes = from.integer(score.dma_bytes - score.ocm_bytes);
  score.outputs = one.reference ? one.reference->values.size() : 0;
  score.error = from.integer(one.reference ? score.outputs * one.reference->rule.bound : 0);
  // No sum of these can overflow.
  const u64 most = task.limits.cycles * task.machine.pes();
  for (u64& count : score.total.issued) count = from.integer(most);
  for (u64& count : score.total.stalls) count = from.integer(most);
  if (!from.good() || score.total.instructions() != score.instructions ||
      score.total.cycles() != score.cycles * task.machine.pes())
    return std::nullopt;
  return score;
}

Error wrong_record(std::string_view what) {
  return input_error(fmt::format("its record is not one: {}", what));
}

}  // namespace

std::vector<u8> pack_request(const Task& task, const std::vector<Case>& cases,
                             std::span<const u8> elf, const JudgeOptions& options) {
  WireWriter to;
  to.text(task.name);
  // What a submission declares of local memory no machine file could say.
  Machine machine = task.machine;
  machine.map.local.bytes = (machine.map.local.bytes + page - 1) / page * page;
  to.text(print_machine(machine));
  to.integer(task.machine.map.local.bytes);
  to.integer(task.limits.cycles);
  to.integer(task.limits.local_segment_bytes);
  to.integer(task.limits.console_bytes);
  to.integer(cases.size());
  for (const Case& one : cases) write_case(to, one);
  to.block(elf);
  to.integer(static_cast<u64>(options.engine));
  for (const u64 poison : options.poison) to.integer(poison);
  return seal(request_magic, to.take());
}

Result<SimulationRequest> unpack_request(std::span<const u8> bytes) {
  constexpr u64 max_machine = 1u << 20;
  WireReader from(unseal(request_magic, bytes));
  SimulationRequest request;
  request.task.name = from.text(max_name);
  const std::string machine = from.text(max_machine);
  const u64 local_bytes = from.integer();
  request.task.limits.cycles = from.integer();
  request.task.limits.local_segment_bytes = from.integer();
  request.task.limits.console_bytes = from.integer();
  request.cases.resize(from.integer(max_cases));
  for (Case& one : request.cases) one = read_case(from);
  request.elf = read_block(from, max_tensor_bytes);
  request.options.engine =
      static_cast<EngineKind>(from.integer(static_cast<u64>(EngineKind::fast)));
  for (u64& poison : request.options.poison) poison = from.integer();
  if (!from.ended()) return input_error("no request for a simulation, or a damaged one");
  Result<Machine> parsed = parse_machine(machine, "machine of the request");
  if (!parsed) return parsed.error();
  request.task.machine = std::move(*parsed);
  if (local_bytes > request.task.machine.map.local.bytes)
    return input_error("no request for a simulation: more local memory than its machine has");
  request.task.machine.map.local.bytes = local_bytes;
  return request;
}

u64 max_record_bytes(size_t cases) {
  constexpr u64 rest = 4096;
  return rest + max_failure_bytes + cases * 8 * case_integers;
}

std::vector<u8> pack_record(const Judgement& judgement) {
  WireWriter to;
  to.integer(static_cast<u64>(judgement.verdict));
  to.integer(judgement.local_bytes);
  to.integer(judgement.cases.size());
  for (const CaseScore& score : judgement.cases) {
    to.integer(score.cycles);
    to.integer(score.instructions);
    to.integer(score.dma_bytes);
    to.integer(score.ocm_bytes);
    to.integer(score.dram_bytes);
    to.integer(score.error);
    for (const u64 count : score.total.issued) to.integer(count);
    for (const u64 count : score.total.stalls) to.integer(count);
  }
  to.integer(judgement.failed_case.empty() ? 0 : 1);
  to.text(judgement.failure);
  return seal(record_magic, to.take());
}

Result<Judgement> parse_record(std::span<const u8> bytes, const Task& task,
                               const std::vector<Case>& cases) {
  if (bytes.size() > max_record_bytes(cases.size())) return wrong_record("too long");
  const std::span<const u8> body = unseal(record_magic, bytes);
  if (body.empty()) return wrong_record("damaged");
  WireReader from(body);
  Judgement judgement;
  judgement.verdict = static_cast<Verdict>(from.integer(static_cast<u64>(Verdict::count) - 1));
  judgement.local_bytes = from.integer(~u32{0});
  const u64 passed = from.integer(cases.size());
  for (u64 k = 0; k < passed; ++k) {
    auto score = read_score(from, task, cases[k], judgement.local_bytes);
    if (!score) return wrong_record("the figures of a case");
    judgement.cases.push_back(std::move(*score));
  }
  const bool in_case = from.integer(1) == 1;
  judgement.failure = profile::printable(from.text(max_failure_bytes));
  if (!from.ended()) return wrong_record("its length");
  if (!is_programs(judgement.verdict)) return wrong_record("its verdict");
  const bool accepted = judgement.verdict == Verdict::accepted;
  const bool all = passed == cases.size();
  if (accepted && (!all || in_case || !judgement.failure.empty() ||
                   judgement.local_bytes > task.limits.local_segment_bytes))
    return wrong_record("its cases");
  if (!accepted && ((all && passed != 0) || (all && in_case))) return wrong_record("its cases");
  if (in_case) judgement.failed_case = cases[passed].name;
  return judgement;
}

}  // namespace simfarm::farm
