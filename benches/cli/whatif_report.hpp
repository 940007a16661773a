// How an answer of `kernbench whatif` is shown.
#pragma once

#include <optional>
#include <string>

#include "benches/experiments/whatif/what_if.hpp"
#include "benches/io/text/terminal.hpp"

namespace kernbench {

struct WhatIfReport {
  std::string title;
  MachineSpec machine;
  std::string way_kind;              ///< what was chosen: "mapping", "kernel"; empty: nothing
  std::string way;                   ///< which, and on which machines
  std::optional<FreeChange> free{};  ///< the best mapping, where a variant was asked for; of a GPU the best kernel
  WhatIf answer{};
  bool stairs_asked = true;     ///< whether any were wanted
  std::size_t evaluations = 0;  ///< that it took: a machine has one for each point of a workload
  std::size_t known = 0;        ///< of those, from earlier runs
};

/// The answer in a sentence or three: what is free, the first stair, what the best key and more MACs gain alone.
[[nodiscard]] std::string what_if_headline(const WhatIfReport& report);

/// The stairs, the keys that matter on their own, and those that do not.
[[nodiscard]] std::string format_what_if(const WhatIfReport& report, const Terminal& terminal);

}  // namespace kernbench
