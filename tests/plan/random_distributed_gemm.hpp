// Random GEMMs over several devices, for properties of their plans.
#pragma once

#include <rapidcheck.h>

#include "sim/plan/distributed_gemm/distributed_gemm.hpp"

namespace kernbench {

inline int random_divisor(int of) {
  std::vector<int> divisors;
  for (int i = 1; i <= of; ++i) {
    if (of % i == 0) divisors.push_back(i);
  }
  return *rc::gen::elementOf(divisors);
}

/// Dimensions from 1 to `largest`, 1 to 8 devices, any partitions, replications and method.
inline DistributedGemm random_distributed_gemm(std::int64_t largest) {
  const auto size = [largest] { return *rc::gen::inRange<std::int64_t>(1, largest + 1); };
  const auto partition = [] { return *rc::gen::element(Partition::kRow, Partition::kColumn, Partition::kBlock); };
  DistributedGemm problem{size(), size(), size()};
  problem.devices = *rc::gen::inRange(1, 9);
  for (std::size_t i = 0; i < 3; ++i) {
    problem.partitions.at(i) = partition();
    problem.replication.at(i) = random_divisor(problem.devices);
  }
  problem.method =
      *rc::gen::element(DistributedMethod::kA, DistributedMethod::kB, DistributedMethod::kC, DistributedMethod::kAuto);
  return problem;
}

/// The same of method dtensor, with one replication of all matrices.
inline DistributedGemm random_dtensor(std::int64_t largest) {
  DistributedGemm problem = random_distributed_gemm(largest);
  problem.method = DistributedMethod::kDtensor;
  problem.replication.fill(problem.replication[0]);
  return problem;
}

}  // namespace kernbench
