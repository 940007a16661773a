// Several runs or sweeps as one list of traces, so that tables and figures of traces are those of a comparison.
#pragma once

#include <string>
#include <vector>

#include "benches/traces/events/trace_files.hpp"

namespace kernbench::traces {

/// All traces, each with the axis kRunAxis, its run's label, before its own. Axes of which every run has one value, not
/// the same in all, are left out: the label stands for them (40.45). Throws ConfigError where a run has the axis.
[[nodiscard]] std::vector<PlacedTrace> label_runs(std::vector<std::vector<PlacedTrace>> runs,
                                                  const std::vector<std::string>& labels);

}  // namespace kernbench::traces
