// Whether a distributed GEMM is right: against one GPU's product of the same matrices, and against float64.
#pragma once

#include <cstdint>
#include <tuple>

#include "benches/gpu/distributed/executor.hpp"

namespace kernbench::gpu {

/// The product of the whole matrices on device 0, kept until another is asked for.
class Reference {
 public:
  /// Makes the product that check_result compares with, unless it is there. To be called before the executor allocates:
  /// A and B are here as a whole for a while.
  void make(PeerDevices& devices, const DistributedGemmPlan& plan, OperandSeeds seeds);

  /// Bytes on device 0 that a product of this shape takes while it is made.
  static std::size_t bytes(const DistributedGemmPlan& plan);

  /// Throws WrongResult where a replica of C differs from one GPU's product (all elements), or sampled elements of it
  /// from a product in float64, by more than `kTolerance`: ||out - ref|| / ||ref||. Returns the error against float64.
  double check_result(PeerDevices& devices, const DistributedGemmPlan& plan, const Executor& executor,
                      OperandSeeds seeds) const;

  /// The sums have another order than one GPU's, in fp32; a part that is lost or added twice is far beyond this.
  static constexpr double kTolerance = 1e-3;

 private:
  std::tuple<std::int64_t, std::int64_t, std::int64_t> shape_{};
  DeviceBuffer product_;
  std::int64_t pitch_ = 0;
};

}  // namespace kernbench::gpu
