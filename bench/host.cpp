#include "bench/host.h"

#include <ctime>
#include <fstream>

#include "base/parallel.h"
#include "bench/native.h"

namespace simfarm::bench {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(':');
    if (line.starts_with("model name") && colon != std::string::npos && colon + 2 < line.size())
      return line.substr(colon + 2);
  }
  return "unknown";
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  const size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, length};
}

}  // namespace

Host this_host() {
#ifdef __clang__
  const std::string compiler = __VERSION__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
  return {cpu_model(), host_threads(), compiler, std::string(native_levels().front()->isa),
          utc_now()};
}

std::string result_name(const Host& host) {
  std::string name = host.date.substr(0, 10) + "-";
  for (const char c : host.cpu) {
    const bool capital = c >= 'A' && c <= 'Z';
    const bool word = capital || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (word) name += capital ? static_cast<char>(c - 'A' + 'a') : c;
    if (!word && name.back() != '-') name += '-';
  }
  if (name.back() == '-') name.pop_back();
  return name;
}

}  // namespace simfarm::bench
