#include "cli/validators.h"

#include <algorithm>

#include "pe/bodies/host_isa.h"

namespace simfarm::cli {
namespace {

bool is_whole(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

CLI::Validator above_zero() {
  return {[](const std::string& text) {
            const bool right = is_whole(text) && text.find_first_not_of('0') != std::string::npos;
            return right ? std::string() : "'" + text + "' is not a whole number above 0";
          },
          "ABOVE 0"};
}

CLI::Validator whole_number() {
  return {[](const std::string& text) {
            return is_whole(text) ? std::string() : "'" + text + "' is not a whole number";
          },
          "0 OR MORE"};
}

CLI::Validator isa_names() {
  std::vector<std::string> names;
  for (u32 k = 0; k < bodies::host_isa_count; ++k)
    names.emplace_back(bodies::name(static_cast<bodies::HostIsa>(k)));
  return CLI::IsMember(std::move(names));
}

}  // namespace simfarm::cli
