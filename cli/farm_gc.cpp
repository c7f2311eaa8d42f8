#include "cli/farm_gc.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "cli/validators.h"
#include "farm/store/gc.h"

namespace simfarm::cli {
namespace {

struct GcFlags {
  std::string path;
  bool dry_run = false;
  bool json = false;
  i64 orphan_hours = 24;
  i64 crash_days = 30;
  std::optional<i64> log_days;
  std::vector<std::string> archives_of;
  i64 archive_days = 30;
  std::vector<i64> keep;
};

constexpr i64 hour = i64{3600} * 1000;
constexpr i64 day = 24 * hour;

/// Those of this host, with the sandbox and without it; none: it has no toolchain now.
std::vector<farm::JudgingHost> builders() {
  const Result<farm::Toolchain> tools = build_toolchain({}, false);
  if (!tools) return {};
  const Result<farm::JudgingHost> host = judging_host(*tools);
  if (!host) return {};
  farm::JudgingHost without = *host;
  without.sandbox.clear();
  return {*host, without};
}

std::string size_text(u64 bytes) {
  return bytes < 10'000 ? fmt::format("{} bytes", bytes) : fmt::format("{} kB", bytes / 1000);
}

std::string gc_text(const farm::GcReport& report, bool dry_run) {
  std::string text;
  for (const std::string& note : report.notes) text += "note: " + note + "\n";
  for (const farm::GcItem& each : report.removed)
    text += fmt::format("{:7}  {}  {}: {}\n", name(each.what), each.name, size_text(each.bytes),
                        each.why);
  return text + fmt::format("{} {}, {}; {} blobs stay, {}\n",
                            dry_run ? "would be removed:" : "removed:", report.removed.size(),
                            size_text(report.bytes), report.kept_blobs,
                            size_text(report.kept_bytes));
}

nlohmann::ordered_json gc_json(const farm::GcReport& report, bool dry_run) {
  nlohmann::ordered_json document = {
      {"schema", "simfarm.gc"},
      {"version", 1},
      {"dry_run", dry_run},
      {"removed", nlohmann::ordered_json::array()},
      {"bytes", report.bytes},
      {"kept", {{"blobs", report.kept_blobs}, {"bytes", report.kept_bytes}}},
      {"notes", report.notes}};
  for (const farm::GcItem& each : report.removed)
    document["removed"].push_back(
        {{"what", name(each.what)}, {"name", each.name}, {"bytes", each.bytes}, {"why", each.why}});
  return document;
}

int collect(const GcFlags& flags) {
  const Result<std::string> path = farm_path(flags.path);
  if (!path) return report(path.error());
  Result<farm::Store> store =
      flags.dry_run ? farm::Store::open_to_read(*path) : farm::Store::open(*path);
  if (!store) return report(store.error());
  farm::GcRequest request{.dry_run = flags.dry_run,
                          .orphan_age = flags.orphan_hours * hour,
                          .crash_age = flags.crash_days * day,
                          .builders = builders(),
                          .archive_age = flags.archive_days * day,
                          .keep = {flags.keep.begin(), flags.keep.end()}};
  if (flags.log_days) request.log_age = *flags.log_days * day;
  for (const std::string& state : flags.archives_of)
    request.archives_of.insert(*farm::parse_state(state));
  Result<farm::GcReport> done = farm::collect_garbage(*store, request);
  if (!done) return report(done.error());
  if (request.builders.empty())
    done->notes.push_back("builds/ is left as it is: there is no toolchain (simfarm doctor)");
  return print(flags.json ? gc_json(*done, flags.dry_run).dump(2) + "\n"
                          : gc_text(*done, flags.dry_run));
}

}  // namespace

void add_farm_gc(CLI::App& command, int& exit_code) {
  auto flags = std::make_shared<GcFlags>();
  CLI::App* gc = command.add_subcommand(
      "gc", "Remove what a farm no longer needs: what crashes left, old builds, old reproducers");
  constexpr i64 many = 1'000'000;
  gc->add_option("--farm,path", flags->path, farm_help);
  gc->add_flag("--dry-run", flags->dry_run, "Say what would be removed, and remove nothing");
  gc->add_option("--orphans-older-than", flags->orphan_hours,
                 "Hours (24): blobs that nothing names; younger ones may be a submit under way")
      ->check(CLI::Range(i64{1}, many));
  gc->add_option("--crashes-older-than", flags->crash_days, "Days (30): reproducers in crashes/")
      ->check(CLI::Range(i64{0}, many));
  gc->add_option("--logs-older-than", flags->log_days,
                 "Days: also what engines that disagreed said (they are kept)")
      ->check(CLI::Range(i64{0}, many));
  gc->add_option("--archives-of", flags->archives_of,
                 "Also archives of submissions that are cancelled, rejected (they are kept)")
      ->delimiter(',')
      ->check(CLI::IsMember({"cancelled", "rejected"}));
  gc->add_option("--archives-older-than", flags->archive_days,
                 "Days (30) that such a submission has been in that state")
      ->check(CLI::Range(i64{0}, many));
  gc->add_option("--keep", flags->keep, "Submissions, by number, whose archives stay in any case")
      ->delimiter(',')
      ->check(above_zero());
  gc->add_flag("--json", flags->json, "Print one JSON document (docs/json.md, simfarm.gc)");
  gc->footer(
      "What a verdict, a board, judging again, promotion, show, rerun or a checkout needs stays. "
      "What is dropped by --archives-of and --logs-older-than is noted: fsck knows, show says so. "
      "May run while the farm works, and be killed. Exit codes: 0 done; 2 usage; 74 input/output "
      "error; 75 the farm is busy.");
  gc->callback([flags, &exit_code] { exit_code = collect(*flags); });
}

}  // namespace simfarm::cli
