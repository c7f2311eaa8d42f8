// The subcommands of `simfarm`. Each file cli/<command>.cpp adds one and sets `exit_code` when it
// runs.
#pragma once
#include <CLI/CLI.hpp>

namespace simfarm::cli {

void add_run(CLI::App& app, int& exit_code);
void add_trace(CLI::App& app, int& exit_code);
void add_profile(CLI::App& app, int& exit_code);
void add_lockstep(CLI::App& app, int& exit_code);
void add_dma(CLI::App& app, int& exit_code);
void add_disasm(CLI::App& app, int& exit_code);
void add_isa(CLI::App& app, int& exit_code);
void add_machine(CLI::App& app, int& exit_code);
void add_task(CLI::App& app, int& exit_code);
void add_rerun(CLI::App& app, int& exit_code);
void add_try(CLI::App& app, int& exit_code);
void add_score(CLI::App& app, int& exit_code);
void add_farm(CLI::App& app, int& exit_code);
void add_submit(CLI::App& app, int& exit_code);
void add_status(CLI::App& app, int& exit_code);
void add_show(CLI::App& app, int& exit_code);
void add_leader(CLI::App& app, int& exit_code);
void add_acts(CLI::App& app, int& exit_code);
void add_rejudge(CLI::App& app, int& exit_code);
void add_board(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);
void add_completion(CLI::App& app, int& exit_code);
void add_man(CLI::App& app, int& exit_code);
void add_regress(CLI::App& app, int& exit_code);
void add_bench(CLI::App& app, int& exit_code);

}  // namespace simfarm::cli
