// Diagrams of a machine, one a level, drawn from its machine file and the network planned from it.
#pragma once

#include <string>
#include <vector>

#include "benches/results/figures/figure.hpp"
#include "sim/machine/load_machine.hpp"
#include "sim/plan/network/network_plan.hpp"

namespace kernbench {

/// Packages, the links between them, and their hosts.
Figure system_diagram(const LoadedMachine& machine, const NetworkPlan& plan);
/// Dies of the first package, their connections, the IO die.
Figure package_diagram(const LoadedMachine& machine, const NetworkPlan& plan);
/// Routers, PEs and memories of a die with as many neighbours as there are.
Figure die_diagram(const LoadedMachine& machine, const NetworkPlan& plan);
/// Units of a PE and the paths of its data.
Figure pe_diagram(const LoadedMachine& machine);

/// "system", "package", "die", "pe": from the outside in.
const std::vector<std::string>& diagram_levels();

/// The diagram of one level, or of every level where `level` is "all". Throws ConfigError if the machine's network
/// cannot be planned, std::out_of_range if there is no such level.
std::vector<Figure> machine_diagrams(const LoadedMachine& machine, const std::string& level);

}  // namespace kernbench
