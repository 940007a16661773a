#include "benches/results/diagrams/diagrams.hpp"

#include <stdexcept>

namespace kernbench {

const std::vector<std::string>& diagram_levels() {
  static const std::vector<std::string> kLevels{"system", "package", "die", "pe"};
  return kLevels;
}

std::vector<Figure> machine_diagrams(const LoadedMachine& machine, const std::string& level) {
  const auto plan = plan_network(machine.spec);
  std::vector<Figure> figures;
  for (const auto& name : diagram_levels()) {
    if (level != "all" && level != name) continue;
    if (name == "system") figures.push_back(system_diagram(machine, plan));
    if (name == "package") figures.push_back(package_diagram(machine, plan));
    if (name == "die") figures.push_back(die_diagram(machine, plan));
    if (name == "pe") figures.push_back(pe_diagram(machine));
  }
  if (figures.empty()) throw std::out_of_range("no diagram of level " + level);
  return figures;
}

}  // namespace kernbench
