// Rows for people and for programs.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "bench/host.h"
#include "bench/measure.h"

namespace simfarm::bench {

/// The document simfarm.bench/1 (docs/bench.md).
nlohmann::ordered_json document(const Host& host, std::string_view version,
                                std::span<const Row> rows);

/// A table, a line a row; failures below it.
std::string table(std::span<const Row> rows);

/// The list of cases with their machines.
std::string case_list();

}  // namespace simfarm::bench
