// What rows of probes say about keys of a GPU's file (adr/0054).
#pragma once

#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"
#include "sim/machine/gpu/load_gpu.hpp"

namespace kernbench {

struct ProbeFinding {
  std::string key;   ///< "hbm.bandwidth"
  double value = 0;  ///< in the units of GpuSpec
  NumberSource from = NumberSource::kProbe;
  std::string note;   ///< what was measured, and how far samples lie apart; "" of what the driver says
  bool meant = true;  ///< it is what the key means; else it is shown beside the base's value and not taken unasked
};

/// "NVIDIA H100 80GB HBM3". Throws ConfigError as probe_findings does.
[[nodiscard]] std::string probed_device(const Results& rows, const std::string& file);

/// Failed, skipped and absent rows have no finding. Throws ConfigError, naming `file`, for rows of another bench, for
/// none that says which device it is, and for a good row without its numbers.
[[nodiscard]] std::vector<ProbeFinding> probe_findings(const Results& results, const std::string& file,
                                                       const GpuSpec& base);

}  // namespace kernbench
