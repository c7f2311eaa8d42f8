#include "farm/store/key.h"

#include <fmt/format.h>

#include <span>

#include "farm/digest.h"

namespace simfarm::farm {
namespace {

std::string digest_of(const std::string& text) {
  return sha256(std::span(reinterpret_cast<const u8*>(text.data()), text.size()));
}

}  // namespace

std::string evaluation_key(const KeyParts& parts) {
  std::string text = "simfarm evaluation\n";
  for (const std::string* each :
       {&parts.sources, &parts.options, &parts.task, &parts.cases, &parts.machine,
        &parts.host.toolchain, &parts.host.simulator, &parts.host.sandbox})
    text += digest_of(*each) + "\n";
  text += fmt::format("scoring {}\ntiming {}\n", parts.host.scoring, parts.host.timing);
  if (parts.held_out) text += fmt::format("held-out {}\n", digest_of(parts.host.secret));
  return digest_of(text);
}

std::string options_digest(const Submission& submission) {
  std::string text = fmt::format("{}\n", name(submission.optimise));
  for (const std::string& source : submission.sources) text += "source " + source + "\n";
  for (const auto& [define, value] : submission.defines)
    text += fmt::format("define {}={}\n", define, value);
  if (submission.local_memory_bytes)
    text += fmt::format("local memory {}\n", *submission.local_memory_bytes);
  return digest_of(text);
}

std::string cases_digest(const std::vector<Case>& cases) {
  std::string text;
  const auto add = [&](const std::vector<u8>& bytes) { text += sha256(bytes) + "\n"; };
  for (const Case& each : cases) {
    text += fmt::format("case {} {} {}\n", each.name, each.units, each.before.size());
    add(each.arguments);
    for (const std::vector<u8>& bytes : each.before) add(bytes);
    for (const std::vector<u8>& bytes : each.after) add(bytes);
    if (!each.reference) continue;
    text += "reference\n";
    for (const i64 value : each.reference->values) text += fmt::format("{}\n", value);
  }
  return digest_of(text);
}

std::string machine_digest(const Machine& machine) { return digest_of(print_machine(machine)); }

}  // namespace simfarm::farm
