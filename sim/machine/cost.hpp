// What a machine costs, in the unit of its file, part by part (adr/0036).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/machine_spec.hpp"

namespace kernbench {

struct CostPart {
  std::string_view name;       ///< "mac", "hbm_bandwidth"
  std::optional<double> cost;  ///< in the file's unit; nothing where a price is missing
};

struct MachineCost {
  std::string unit;
  std::vector<CostPart> parts;  ///< of what the machine has, in the order of 36.6
  std::optional<double> total;  ///< nothing where a price is missing, or where the file has none at all
  std::string missing;          ///< the first missing price, "cost.sram"; "cost" where there is none at all
};

/// Of the whole machine: all packages, dies and PEs.
[[nodiscard]] MachineCost machine_cost(const MachineSpec& machine);

}  // namespace kernbench
