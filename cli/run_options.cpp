#include "cli/run_options.h"

#include "cli/validators.h"
#include "farm/task.h"

namespace simfarm::cli {

void add_run_flags(CLI::App& command, RunFlags& flags) {
  command.add_option("program", flags.program, "ELF file (RV32, static)")->required();
  CLI::Option* machine =
      command.add_option("--machine", flags.machine, "Machine file or shipped name")
          ->capture_default_str();
  command
      .add_option("--task", flags.task,
                  "Task folder: its machine, and its order of tensors for --in")
      ->excludes(machine);
  command.add_option("--in", flags.inputs, "HDF5 case: its /inputs become tensors of the run");
  std::vector<std::string> engines;
  for (const EngineKind kind : engine_kinds) engines.emplace_back(name(kind));
  command.add_option("--engine", flags.engine, "Engine: both give the same results")
      ->check(CLI::IsMember(engines))
      ->capture_default_str();
  command.add_flag("--check-races", flags.check_races, "Trap when the program races with its DMA");
  command.add_option("--poison", flags.poison,
                     "Fill uninitialised registers and memory from this seed instead of zeros");
  command.add_option("--cycle-limit", flags.cycle_limit, "Stop the run at this cycle")
      ->check(above_zero())
      ->capture_default_str();
}

RunOptions run_options(const RunFlags& flags, Observer* observer) {
  RunOptions options;
  options.cycle_limit = flags.cycle_limit;
  options.check_races = flags.check_races;
  options.console = !flags.no_console;
  options.observer = observer;
  return options;
}

Result<std::optional<farm::CaseRun>> load_tensors(const RunFlags& flags, RunInput& input) {
  if (flags.inputs.empty()) return std::optional<farm::CaseRun>();
  Result<farm::CaseRun> opened = flags.task.empty()
                                     ? farm::open_case(flags.inputs, input.machine)
                                     : farm::open_task_case(flags.inputs, flags.task);
  if (!opened) return opened.error();
  input.memory = opened->memory;
  input.arguments = opened->arguments;
  return std::optional(std::move(*opened));
}

Result<RunInput> load_run(const RunFlags& flags) {
  RunInput input;
  if (flags.task.empty()) {
    Result<Machine> machine = load_machine(flags.machine);
    if (!machine) return machine.error();
    input.machine = std::move(*machine);
  } else {
    Result<farm::Task> task = farm::load_task(flags.task);
    if (!task) return task.error();
    input.machine = std::move(task->machine);
  }
  Result<Image> image = load_elf(flags.program);
  if (!image) return image.error();
  input.program.images.push_back(std::make_shared<const Image>(std::move(*image)));
  input.poison = flags.poison;
  return input;
}

}  // namespace simfarm::cli
