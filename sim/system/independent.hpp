// Ranks of a kernel that have nothing to do with each other: each by itself, and those that have the same work once
// (adr/0060).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/system/multi_pe_report.hpp"
#include "sim/system/run.hpp"

namespace kernbench {

struct IndependentKernel {
  std::string name;  ///< what a message calls it
  KernelProgram program;
  std::vector<std::int32_t> pes;               ///< of the machine, by rank
  std::vector<std::int32_t> alike;             ///< by rank: the first rank that has the same work
  CountedOn counted_on = CountedOn::kNothing;  ///< of each of them
};

/// Whether a run may be taken apart: nothing looks at every record or value, and nobody asks for every tile (60.2).
[[nodiscard]] bool may_run_independently(const RunSettings& settings);

/// All that a run of all ranks on the machine says. Throws as run_multi_pe_gemm.
[[nodiscard]] MultiPeResult run_independent(const MachineSpec& machine, const IndependentKernel& kernel,
                                            const RunSettings& settings);

}  // namespace kernbench
