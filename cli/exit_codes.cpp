#include "cli/exit_codes.h"

#include <cstdio>

namespace simfarm::cli {

int report(const Error& error) {
  std::fprintf(stderr, "simfarm: %s\n", error.message.c_str());
  switch (error.kind) {
    case Error::Kind::input:
      return exit_configuration;
    case Error::Kind::usage:
      return exit_usage;
    case Error::Kind::io:
      return exit_io;
    case Error::Kind::temporary:
      return exit_temporary;
    case Error::Kind::internal:
      return exit_internal;
  }
  return exit_internal;
}

int print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) == 0 && written) return exit_done;
  std::fprintf(stderr, "simfarm: cannot write to standard output\n");
  return exit_io;
}

}  // namespace simfarm::cli
