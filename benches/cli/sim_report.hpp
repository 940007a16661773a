// How one simulated run is shown: its stages, and which resource held it up.
#pragma once

#include <string>

#include "benches/harness/results/results.hpp"
#include "benches/harness/text/terminal.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// A row a stage: records, wall-clock and occupancy, wall-clock as a share of the PE window, bytes, and bytes divided
/// by wall-clock. The last row is the HBM's pseudo-channels, whose share is the mean over the channels.
[[nodiscard]] std::string format_stages(const Row& row, const MachineSpec& machine, const Look& look);

/// A resource and the share of the PE window for which it works. A unit works while it has a record; a DMA engine for
/// as long as its bytes take at the bandwidth of its path (a transfer in flight may be waiting for the memory's
/// latency); the HBM for the mean over its pseudo-channels.
struct Load {
  std::string resource;
  double share = 0;
};

/// The resource with the largest share; several that are equal are joined by " and ".
[[nodiscard]] Load busiest(const Row& row, const MachineSpec& machine);

/// "fetch and mac, at work for 94.3 % of the PE window"
[[nodiscard]] std::string describe_bottleneck(const Row& row, const MachineSpec& machine);

/// A line "name   value" of the summary, names aligned; values that are too long go on below.
[[nodiscard]] std::string fact(const std::string& name, const std::string& value, const Look& look);

/// Metric of kernels that compare values by themselves, in runs that carry them: how many they compared.
inline constexpr const char* kValuesCompared = "values_compared";

/// What was asked for beside the simulation: "values   verified ..." and "trace   FILE ...", where they were.
[[nodiscard]] std::string format_extras(const Row& row, const std::string& trace_file, const Look& look);

}  // namespace kernbench
