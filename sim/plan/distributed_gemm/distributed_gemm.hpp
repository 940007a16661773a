// Who multiplies what in a GEMM over several devices whose operands and result are spread over them (ADR-0023).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/plan/distributed_gemm/distributed_matrix.hpp"
#include "sim/plan/distributed_gemm/mesh_cuts.hpp"

namespace kernbench {

/// Which matrix does not travel. kAuto: the one with the most elements; of equals C before B before A. kDtensor:
/// operands are redistributed first, then multiplied, then the result is (23.10).
enum class DistributedMethod : std::uint8_t { kA, kB, kC, kAuto, kDtensor };
inline constexpr Names<DistributedMethod> kStationaryMethods{"method",
                                                             {{DistributedMethod::kA, "stationary_a"},
                                                              {DistributedMethod::kB, "stationary_b"},
                                                              {DistributedMethod::kC, "stationary_c"},
                                                              {DistributedMethod::kAuto, "auto"}}};
inline constexpr Names<DistributedMethod> kDistributedMethods{"method",
                                                              {{DistributedMethod::kDtensor, "dtensor"},
                                                               {DistributedMethod::kA, "stationary_a"},
                                                               {DistributedMethod::kB, "stationary_b"},
                                                               {DistributedMethod::kC, "stationary_c"},
                                                               {DistributedMethod::kAuto, "auto"}}};

/// Partitions of A, B and C from a text like `row,column,row`. Throws ConfigError, which names `option`.
std::array<Partition, 3> parse_partitions(std::string_view text, std::string_view option);

/// C (m x n) = A (m x k) * B (k x n); arrays are of A, B, C.
struct DistributedGemm {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  std::array<Partition, 3> partitions{};
  std::array<int, 3> replication{1, 1, 1};
  DistributedMethod method = DistributedMethod::kAuto;
  int devices = 1;
};

/// What kAuto comes to.
DistributedMethod largest_operand_stays(const DistributedGemm& problem);

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
  DistributedMethod method = DistributedMethod::kC;  ///< never kAuto
  DistributedMatrix a;
  DistributedMatrix b;
  DistributedMatrix c;
  std::vector<MeshCut> cuts;        ///< of kDtensor: how the devices of a replica share the product
  std::vector<DeviceShare> shares;  ///< of each device
  std::vector<std::vector<DistributedOperation>> devices;  ///< operations of each device, in order
};

/// The plan; over all devices, with kDtensor over those of each replica, each (i, j, k) occurs in exactly one
/// operation. Where C is replicated every replica ends with a part of the sum: the replicas are to be added up. Throws
/// ConfigError at a dimension outside 1 … 1,000,000, at fewer than one device, at a replication that does not divide
/// the devices, and with kDtensor at replications that differ.
DistributedGemmPlan plan_distributed_gemm(const DistributedGemm& problem);

/// How large the plan and its schedule become.
struct DistributedGemmSize {
  double operations = 0;  ///< of all devices
  double commands = 0;    ///< of schedule_distributed_gemm(): at least as many, and rarely twice as many
};

/// Without making them. Throws as plan_distributed_gemm().
DistributedGemmSize size_of(const DistributedGemm& problem);

}  // namespace kernbench
