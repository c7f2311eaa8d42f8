// simfarm board: a task's board, from a farm's log.
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "farm/report.h"
#include "farm/store/view.h"

namespace simfarm::cli {
namespace {

struct BoardFlags {
  std::string farm;
  std::string task;
  bool json = false;
  bool csv = false;
};

std::string board_as(const BoardFlags& flags, const farm::Board& board) {
  if (flags.json) return farm::board_document(board).dump(2) + "\n";
  return flags.csv ? farm::board_csv(board) : farm::board_text(board);
}

int board(const BoardFlags& flags) {
  const Result<std::string> path = farm_path(flags.farm);
  if (!path) return report(path.error());
  Result<farm::Store> store = farm::Store::open_to_read(*path);
  if (!store) return report(store.error());
  const Result<farm::TaskBoard> found = farm::task_board(*store, flags.task);
  return found ? print(board_as(flags, found->board)) : report(found.error());
}

}  // namespace

void add_board(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("board", "A task's board, as a farm has judged so far");
  auto flags = std::make_shared<BoardFlags>();
  command->add_option("task", flags->task, "The task's name")->required();
  command->add_option("--farm", flags->farm, farm_help);
  CLI::Option* json = command->add_flag("--json", flags->json,
                                        "Print one JSON document (docs/json.md, simfarm.board)");
  command->add_flag("--csv", flags->csv, "Print comma-separated values")->excludes(json);
  command->footer(
      "A pure function of what was judged and of the order of submitting: of equal cycles the "
      "earlier submission ranks first. Exit codes: 0 done; 2 no such task; 74 input/output "
      "error.");
  command->callback([flags, &exit_code] { exit_code = board(*flags); });
}

}  // namespace simfarm::cli
