#include "benches/workloads/gemm/variant_gemm.hpp"

#include <algorithm>
#include <vector>

#include "sim/base/unknown_name.hpp"
#include "sim/plan/gemm_mapping.hpp"
#include "sim/system/run.hpp"

namespace kernbench {

bool is_staging_variant(const std::string& variant) {
  return std::ranges::count(gemm_kernels(), variant, &GemmKernel::name) > 0;
}

void check_variant(const std::string& variant) {
  if (is_staging_variant(variant)) return;
  if (variant.find('=') != std::string::npos || variant == kChosenMapping) {
    expect_one_pe(parse_mapping(variant, "a mapping"), "a mapping:");
    return;
  }
  std::vector<std::string> names{kChosenMapping, "a mapping such as block=256x512x256"};
  for (const GemmKernel& kernel : gemm_kernels()) names.push_back(kernel.name);
  refuse_name("variant", variant, names);
}

}  // namespace kernbench
