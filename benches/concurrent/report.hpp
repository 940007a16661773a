// What is said of a GEMM beside a collective on PEs.
#pragma once

#include <array>
#include <string>

#include "benches/concurrent/workload.hpp"
#include "benches/io/text/terminal.hpp"
#include "benches/results/rows/results.hpp"
#include "sim/hw/pe/ledger.hpp"

namespace kernbench {

/// On the part of the machine that both are on.
struct ConcurrentOnPes {
  ConcurrentAsked asked;
  GemmProblem problem;
  std::string kernel;
  CollectiveOnPes collective;
};

/// Engines of a row's stages, each unit of a PE in each run.
inline constexpr std::array kConcurrentRuns{"gemm", "collective", "both"};
/// What a GEMM's mean PE spent on a cause alone: "ledger_hbm_alone_ns".
[[nodiscard]] Metric<double, std::string> alone_metric(Cause cause);

/// Times alone and together, what both keep busy, what they wait for.
[[nodiscard]] std::string report_concurrent(const ConcurrentOnPes& placed, const Row& row, const Terminal& terminal);

}  // namespace kernbench
