// Runs one kernel on one PE of a machine. SystemC's kernel is global: one run a process (who asks for several forks).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "sim/hw/values/matrix_values.hpp"
#include "sim/plan/gemm_mapping.hpp"
#include "sim/system/kernel_launch.hpp"
#include "sim/system/run_result.hpp"

namespace kernbench {

/// Tiles from which on counting those that repeat others gains more than noting what they do costs
/// (docs/performance.md).
inline constexpr std::int64_t kLeastTilesRepeated = 512;

struct RunSettings {
  Picoseconds limit = kForever;  ///< simulated time after which the run is given up
  OpSink* sink = nullptr;        ///< receives every op record
  bool verify = false;           ///< carry values and compare them with a reference
  /// Tiles or steps that repeat others are counted, not simulated (47.1, 47.8); in GEMMs on one PE alone, never with a
  /// sink or verify.
  bool fast_forward = true;
  /// What is built for the PE; where nothing is said, wires of its own where those are exact (28.3).
  std::optional<SystemExtent> extent{};
};

/// Sets up what `run` simulates, to time 0: throws as it does where the machine has no room.
void only_set_up(const std::function<void(const RunSettings&)>& run);

/// Throws ConfigError for wrong input, SimulationError for a deadlock, an exceeded limit or a wrong result.
[[nodiscard]] RunResult run_gemm(const MachineSpec& machine, const GemmProblem& problem, const std::string& variant,
                                 const RunSettings& settings = {});

/// As a mapping says; its tile takes the place of the machine's.
[[nodiscard]] RunResult run_gemm(const MachineSpec& machine, const GemmProblem& problem, const GemmMapping& mapping,
                                 const RunSettings& settings = {});

[[nodiscard]] RunResult run_math(const MachineSpec& machine, const MathProblem& problem,
                                 const RunSettings& settings = {});

/// Is told of the machine before a kernel runs on it, and when it has.
struct KernelCheck {
  std::function<void(System&)> before;
  std::function<void(System&)> after;
};
/// Gives the operands of a call in PE 0's partition their values, and compares the result with a reference.
[[nodiscard]] KernelCheck check_of(const GemmCall& call, const SumRounding& rounding = {});
[[nodiscard]] KernelCheck check_of(const MathCall& call);

/// The part of a machine that a PE on its own uses: one die, one router.
[[nodiscard]] MachineSpec one_pe_of(MachineSpec machine);

/// What is built for a kernel on one PE by itself (28.3).
struct LonePe {
  MachineSpec machine;
  SystemExtent extent = SystemExtent::kOnePe;
};
[[nodiscard]] LonePe lone_pe_of(const MachineSpec& machine);

/// A kernel of one's own on one PE.
[[nodiscard]] RunResult run_kernel(const MachineSpec& machine, const KernelProgram& kernel,
                                   const RunSettings& settings = {}, const KernelCheck& check = {});

}  // namespace kernbench
