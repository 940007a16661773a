// What `kernbench sim gemm` is asked for; on one PE (sim_gemm.cpp) or over several (sim_gemm_over.cpp).
#pragma once

#include <string>

#include "benches/cli/sim_run.hpp"

namespace kernbench {

struct SimGemmOptions : SimOptions {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  std::string variant = "all";
  std::string epilogue;
  std::string over;       ///< empty: one PE
  std::string placement;  ///< empty: the variant's own
  std::string beside;     ///< a collective that runs at the same time; empty: none
  std::string ranks_per;  ///< what a rank of that collective is; empty: a PE
};

int run_sim_gemm_over(const SimGemmOptions& options);
int run_sim_gemm_beside(const SimGemmOptions& options);

}  // namespace kernbench
