#include "cli/farm_transfer.h"

#include <fmt/format.h>

#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "farm/store/transfer.h"

namespace simfarm::cli {
namespace {

struct TransferFlags {
  std::string farm;
  std::string file;
  bool blobs = false;
};

int export_to(const TransferFlags& flags) {
  const Result<std::string> path = farm_path(flags.farm);
  if (!path) return report(path.error());
  Result<farm::Store> store = farm::Store::open_to_read(*path);
  if (!store) return report(store.error());
  const Result<farm::Transferred> done = farm::export_farm(*store, flags.file, flags.blobs);
  if (!done) return report(done.error());
  return print(fmt::format("{}: {} rows, {} blobs\n", flags.file, done->rows, done->blobs));
}

int import_from(const TransferFlags& flags) {
  const Result<farm::Transferred> done = farm::import_farm(flags.file, flags.farm);
  if (!done) return report(done.error());
  std::string text =
      fmt::format("{}: a new farm of {} rows, {} blobs\n", flags.farm, done->rows, done->blobs);
  if (done->missing != 0)
    text += fmt::format(
        "{} archives and programs were not in the file: what needs them cannot be "
        "judged again\n",
        done->missing);
  text += fmt::format("its secret is a new one; to keep the old farm's, put that over {}/secret\n",
                      flags.farm);
  return print(text);
}

}  // namespace

void add_farm_transfer(CLI::App& command, int& exit_code) {
  auto flags = std::make_shared<TransferFlags>();
  CLI::App* out = command.add_subcommand(
      "export", "Write a farm's log, results and tasks into one file, for another host or to keep");
  out->add_option("file", flags->file, "The file: one JSON object a line")->required();
  out->add_option("--farm", flags->farm, farm_help);
  out->add_flag("--blobs", flags->blobs,
                "With archives and programs: needed to judge, not to look at boards");
  out->footer(
      "The farm may work meanwhile. Readable for its owner alone; the secret is not in it. Exit "
      "codes: 0 done; 2 no farm; 74 input/output error, or a damaged blob: there is no file then.");
  out->callback([flags, &exit_code] { exit_code = export_to(*flags); });

  CLI::App* in = command.add_subcommand("import", "Make a new farm from what `farm export` wrote");
  in->add_option("file", flags->file, "What was exported")->required();
  in->add_option("path", flags->farm, "The new farm's folder: not there, or empty")->required();
  in->footer(
      "Its boards are those of the farm that was exported, byte for byte but for its folder in "
      "`rerun`. Every line is checked, and then the whole as `farm fsck` does; a file that is "
      "damaged, cut off or of another schema makes no farm. Exit codes: 0 done; 2 something is "
      "there already; 74 input/output error; 78 a wrong file: the line is named.");
  in->callback([flags, &exit_code] { exit_code = import_from(*flags); });
}

}  // namespace simfarm::cli
