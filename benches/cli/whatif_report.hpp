// How an answer of `kernbench whatif` is shown.
#pragma once

#include <optional>
#include <string>

#include "benches/harness/text/terminal.hpp"
#include "benches/harness/whatif/what_if.hpp"

namespace kernbench {

struct WhatIfReport {
  std::string title;
  MachineSpec machine;
  std::string mapping;               ///< that stays as it is; empty: there is none
  std::string kernel;                ///< of a GPU, and on which machines it is the one; empty: no GPU
  std::optional<FreeChange> free{};  ///< the best mapping, where a variant was asked for; of a GPU the best kernel
  std::size_t mappings = 0;          ///< of which it is the best
  WhatIf answer{};
  bool stairs_asked = true;     ///< whether any were wanted
  std::size_t evaluations = 0;  ///< that it took: a machine has one for each point of a workload
  std::size_t known = 0;        ///< of those, from earlier runs
};

/// The answer in a sentence or three: what is free, the first stair, what the best key and more MACs gain alone.
[[nodiscard]] std::string what_if_headline(const WhatIfReport& report);

/// The stairs, the keys that matter on their own, and those that do not.
[[nodiscard]] std::string format_what_if(const WhatIfReport& report, const Look& look);

}  // namespace kernbench
