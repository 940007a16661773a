// gemm on a GPU: any product, by the library's kernel or one that is named (adr/0035-what-if.md, 35.16).
#pragma once

#include <memory>

#include "benches/harness/bench.hpp"

namespace kernbench {

[[nodiscard]] std::shared_ptr<const Bench> gemm_on_gpu();

}  // namespace kernbench
