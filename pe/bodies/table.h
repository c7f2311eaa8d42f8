// Tables of bodies by Op, for a choice at run time.
#pragma once
#include <array>
#include <utility>

#include "pe/bodies/rows.h"

namespace simfarm::bodies {

/// Calls `make` for every Op as a constant and collects what it returns.
template <class Entry, class Make>
consteval std::array<Entry, op_count> by_op(Make make) {
  return [&]<std::size_t... number>(std::index_sequence<number...>) {
    return std::array<Entry, op_count>{
        make(std::integral_constant<Op, static_cast<Op>(number)>{})...};
  }
  (std::make_index_sequence<op_count>{});
}

}  // namespace simfarm::bodies
