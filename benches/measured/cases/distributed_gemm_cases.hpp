// The cases of a distributed GEMM over some GPUs, from the lists in suites.json.
#pragma once

#include <string>
#include <vector>

#include "benches/measured/cases/planned_case.hpp"
#include "benches/measured/cases/suites.hpp"
#include "sim/plan/distributed_gemm/distributed_gemm.hpp"

namespace kernbench {

/// What the user asks for; an empty list takes the file's.
struct DistributedGemmChoice {
  int gpus = 2;
  bool smoke = false;                     ///< the file's smoke shapes instead of its suite
  std::vector<std::string> methods{};     ///< stationary_a, stationary_b, stationary_c, auto
  std::vector<std::string> partitions{};  ///< as in "row,column,row"
  std::vector<int> replications{};
};

/// One case for each replication, partitions, shape and method, in that order of nesting: where time runs out the plain
/// ones are done. Of the file's methods those that are not a plan's (`dtensor`) are passed over; `auto` is the method
/// that it comes to. Throws ConfigError with file and path, or with the option.
std::vector<PlannedCase> distributed_gemm_cases(const Suites& suites, const DistributedGemmChoice& choice);

/// The problem that the point of a case, or of a measured row, describes.
DistributedGemm distributed_gemm_of(const Json& point);

}  // namespace kernbench
