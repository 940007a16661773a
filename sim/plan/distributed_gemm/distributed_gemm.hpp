// Who multiplies what in a GEMM over several devices whose operands and result are spread over them (ADR-0023).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/plan/distributed_gemm/distributed_matrix.hpp"

namespace kernbench {

/// Which matrix does not travel. kAuto: the one with the most elements; of equals C before B before A.
enum class StationaryMethod : std::uint8_t { kA, kB, kC, kAuto };
inline constexpr Names<StationaryMethod> kStationaryMethods{"method",
                                                            {{StationaryMethod::kA, "stationary_a"},
                                                             {StationaryMethod::kB, "stationary_b"},
                                                             {StationaryMethod::kC, "stationary_c"},
                                                             {StationaryMethod::kAuto, "auto"}}};

/// Partitions of A, B and C from a text like `row,column,row`. Throws ConfigError, which names `option`.
std::array<Partition, 3> parse_partitions(std::string_view text, std::string_view option);

/// C (m x n) = A (m x k) * B (k x n); arrays are of A, B, C.
struct DistributedGemm {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  std::array<Partition, 3> partitions{};
  std::array<int, 3> replication{1, 1, 1};
  StationaryMethod method = StationaryMethod::kAuto;
  int devices = 1;
};

/// What kAuto comes to.
StationaryMethod largest_operand_stays(const DistributedGemm& problem);

/// C[m, n] += A[m, k] * B[k, n]: within one tile of each matrix. Tiles are indices in a replica; owners are the devices
/// whose copies are used.
struct DistributedOperation {
  Interval m;
  Interval k;
  Interval n;
  int a_tile = 0;
  int b_tile = 0;
  int c_tile = 0;
  int a_owner = 0;
  int b_owner = 0;
  int c_owner = 0;
  constexpr bool operator==(const DistributedOperation&) const = default;
  [[nodiscard]] constexpr Rect a() const { return {m, k}; }
  [[nodiscard]] constexpr Rect b() const { return {k, n}; }
  [[nodiscard]] constexpr Rect c() const { return {m, n}; }
};

struct DistributedGemmPlan {
  StationaryMethod method = StationaryMethod::kC;  ///< never kAuto
  DistributedMatrix a;
  DistributedMatrix b;
  DistributedMatrix c;
  std::vector<std::vector<DistributedOperation>> devices;  ///< operations of each device, in order
};

/// The plan; over all devices each (i, j, k) occurs in exactly one operation. Where C is replicated every replica ends
/// with a part of the sum: the replicas are to be added up. Throws ConfigError at a dimension outside 1 … 1,000,000, at
/// fewer than one device, and at a replication that does not divide the devices.
DistributedGemmPlan plan_distributed_gemm(const DistributedGemm& problem);

}  // namespace kernbench
