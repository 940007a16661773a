// What the reader of a run's page shows and hides (adr/0011, 11.22).
#pragma once

#include <string>
#include <vector>

#include "benches/workloads/bench.hpp"

namespace kernbench {

/// [{"name": field, "values": [{"label", "value", "shown"}]}] for PageText::toggles. `show`, of the form of --only,
/// says which values are shown at first: of an axis that it does not name, all. Throws ConfigError that names the axes,
/// or the axis's values, that `bench` has.
[[nodiscard]] Json toggles_json(const std::string& bench, const std::vector<Axis>& toggles, const std::string& show);

}  // namespace kernbench
