// Runs one kernel on one PE of a machine. SystemC's kernel is global: one run a process (the harness forks).
#pragma once

#include <functional>
#include <string>

#include "sim/system/kernel.hpp"
#include "sim/system/run_result.hpp"

namespace kernbench {

struct RunSettings {
  Picoseconds limit = kForever;  ///< simulated time after which the run is given up
  OpSink* sink = nullptr;        ///< receives every op record
  bool verify = false;           ///< carry values and compare them with a reference
};

/// Throws ConfigError for wrong input, SimulationError for a deadlock, an exceeded limit or a wrong result.
[[nodiscard]] RunResult run_gemm(const MachineSpec& machine, const GemmProblem& problem, const std::string& variant,
                                 const RunSettings& settings = {});

[[nodiscard]] RunResult run_math(const MachineSpec& machine, const MathProblem& problem,
                                 const RunSettings& settings = {});

/// A kernel of one's own; `data` (may be null) hears every move of values.
[[nodiscard]] RunResult run_kernel(const MachineSpec& machine, const std::function<Process(KernelPe)>& kernel,
                                   const RunSettings& settings = {}, DataPath* data = nullptr);

}  // namespace kernbench
