// A GEMM over several PEs that is asked for by `kernbench sim gemm --over`: simulated in one way, and told.
#pragma once

#include <string>

#include "benches/cli/over_plans.hpp"
#include "benches/cli/sim_gemm.hpp"
#include "benches/harness/collective/pe_set.hpp"

namespace kernbench {

struct OverAsked {
  const SimGemmOptions& options;
  LoadedMachine machine;
  PeSet over;
  GemmProblem problem;

  [[nodiscard]] int pes() const { return static_cast<int>(over.pes.size()); }
  [[nodiscard]] GemmOverRequest request(const std::string& variant) const {
    return {.problem = problem, .kernel = variant, .pes = over.pes};
  }
  [[nodiscard]] std::string title() const;
};

/// What the options say. Throws ConfigError for what they cannot.
[[nodiscard]] OverAsked over_asked(const SimGemmOptions& options);

/// The point of a way's row.
[[nodiscard]] Json over_point(const SimGemmOptions& options, const GemmProblem& problem, const OverWay& way);
/// In a child, with its plan among its metrics. Throws as simulate_isolated.
[[nodiscard]] Row simulate_over(const OverAsked& asked, const OverWay& way);
/// PE by PE, where matrices lie, and what links carried.
[[nodiscard]] std::string format_over_run(const OverAsked& asked, const Row& row, const Look& look);

}  // namespace kernbench
