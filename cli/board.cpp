// simfarm board: a task's board, from a farm's log.
#include <fmt/format.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "farm/board_html.h"
#include "farm/report.h"
#include "farm/store/view.h"

namespace simfarm::cli {
namespace {

struct BoardFlags {
  std::string farm;
  std::string task;
  u32 timing = timing_version;
  bool json = false;
  bool csv = false;
  bool html = false;
  std::string html_file;  ///< empty: standard output
};

std::string board_as(const BoardFlags& flags, const farm::Board& board) {
  if (flags.html) return farm::board_html(board);
  if (flags.json) return farm::board_document(board).dump(2) + "\n";
  return flags.csv ? farm::board_csv(board) : farm::board_text(board);
}

int board(const BoardFlags& flags) {
  const Result<std::string> path = farm_path(flags.farm);
  if (!path) return report(path.error());
  Result<farm::Store> store = farm::Store::open_to_read(*path);
  if (!store) return report(store.error());
  const Result<farm::TaskBoard> found = farm::task_board(*store, flags.task, flags.timing);
  if (!found) return report(found.error());
  const std::string text = board_as(flags, found->board);
  if (flags.html_file.empty()) return print(text);
  const auto written = write_text(flags.html_file, text);
  return written ? exit_done : report(written.error());
}

}  // namespace

void add_board(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("board", "A task's board, as a farm has judged so far");
  auto flags = std::make_shared<BoardFlags>();
  command->add_option("task", flags->task, "The task's name")->required();
  command->add_option("--farm", flags->farm, farm_help);
  command->add_option("--timing", flags->timing,
                      "Rank the results of this version of the timing (the present one)");
  CLI::Option* json = command->add_flag("--json", flags->json,
                                        "Print one JSON document (docs/json.md, simfarm.board)");
  CLI::Option* csv =
      command->add_flag("--csv", flags->csv, "Print comma-separated values")->excludes(json);
  CLI::Option* html =
      command
          ->add_option("--html", flags->html_file,
                       "Print one HTML page that needs nothing else, or write it to this file")
          ->expected(0, 1)
          ->excludes(json)
          ->excludes(csv);
  command->footer(
      "A pure function of what was judged and of the order of submitting: of equal cycles the "
      "earlier submission ranks first. Exit codes: 0 done; 2 no such task; 74 input/output "
      "error.");
  command->callback([flags, html, &exit_code] {
    flags->html = html->count() != 0;
    exit_code = board(*flags);
  });
}

}  // namespace simfarm::cli
