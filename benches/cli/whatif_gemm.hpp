// What `kernbench whatif gemm` is asked for; on one PE (whatif_gemm.cpp) or a GPU (whatif_gemm_gpu.cpp).
#pragma once

#include <string>
#include <vector>

#include "benches/cli/sim_gemm.hpp"
#include "benches/cli/whatif.hpp"

namespace kernbench {

struct WhatIfGemmOptions : SimGemmOptions {
  WhatIfOptions what_if;
  bool keep_mapping = false;
};

/// Of the command line: those that choose the workload.
[[nodiscard]] std::vector<std::string> words_of(const WhatIfGemmOptions& options);

/// Of a machine file of `kind: gpu`. Throws ConfigError for options that a GPU does not have.
int run_whatif_gemm_gpu(const WhatIfGemmOptions& options);

}  // namespace kernbench
