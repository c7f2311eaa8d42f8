// The `simfarm` command: one file a subcommand, each registered here.
#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
  CLI::App app{"simfarm: exact simulator of a GPNPU-style machine, and the farm around it"};
  app.require_subcommand(1);
  CLI11_PARSE(app, argc, argv);
  return 0;
}
