// How one simulated run is shown: its stages, and which resource held it up.
#pragma once

#include <string>

#include "benches/harness/results/results.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// A row a stage: records, wall-clock and occupancy, wall-clock as a share of the PE window, bytes, and bytes divided
/// by wall-clock. The last row is the HBM's pseudo-channels, whose share is the mean over the channels.
[[nodiscard]] std::string format_stages(const Row& row, const MachineSpec& machine, bool colours);

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

[[nodiscard]] std::string percent(double fraction);
/// "1,234,567"
[[nodiscard]] std::string grouped(std::int64_t value);
/// "1,234.5", for values that are not negative
[[nodiscard]] std::string one_decimal(double value);
/// "1 tile", "2 tiles"
[[nodiscard]] std::string counted(std::int64_t count, const std::string& what);

/// A line "name   value" of the summary, names aligned.
[[nodiscard]] std::string fact(const std::string& name, const std::string& value);

/// What was asked for beside the simulation: "values   verified ..." and "trace   FILE ...", where they were.
[[nodiscard]] std::string format_extras(const Row& row, const std::string& trace_file);

}  // namespace kernbench
