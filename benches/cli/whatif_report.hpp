// How an answer of `kernbench whatif` is shown.
#pragma once

#include <optional>
#include <string>

#include "benches/harness/run/mapping_choice.hpp"
#include "benches/harness/text/terminal.hpp"
#include "benches/harness/whatif/what_if.hpp"

namespace kernbench {

struct WhatIfReport {
  std::string title;
  MachineSpec machine;
  std::string mapping;                     ///< that stays as it is; empty: a variant
  std::optional<SimulatedMapping> free{};  ///< the best mapping, where a variant was asked for
  WhatIf answer{};
};

/// The stairs, the keys that matter on their own, and those that do not.
[[nodiscard]] std::string format_what_if(const WhatIfReport& report, const Look& look);

}  // namespace kernbench
