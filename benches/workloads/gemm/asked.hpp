// What is asked of a GEMM, on one PE, on several or on a GPU (docs/simulating.md).
#pragma once

#include <optional>
#include <string>

#include "benches/workloads/axes.hpp"
#include "benches/workloads/gemm/variant_gemm.hpp"
#include "sim/plan/gemm_mapping.hpp"
#include "sim/plan/gpu/gpu_power.hpp"

namespace kernbench {

inline constexpr const char* kOnePe = "pe";                ///< over
inline constexpr const char* kLeastBound = "least_bound";  ///< placement: of those that the way can have

struct GemmAsked {
  std::int64_t m = 512;
  std::int64_t k = 512;
  std::int64_t n = 512;
  Dtype dtype = Dtype::kBf16;    ///< of A and B
  std::string dtype_b = "as_a";  ///< of B, where it is stored in fewer bytes
  Layout layout = Layout::kBlocked;
  std::string epilogue = "none";         ///< with + between them
  std::string variant = kChosenMapping;  ///< a kernel, a mapping or parts of one; of a GPU its kernel
  std::string over = kOnePe;
  std::string placement = kLeastBound;
  L2State l2 = L2State::kWarm;
  GpuState state = GpuState::kBurst;
  GpuLaunching launching = GpuLaunching::kGraph;
};

[[nodiscard]] Axes<GemmAsked> gemm_axes();

/// Throws ConfigError for operands that go not together.
[[nodiscard]] GemmProblem problem_of(const GemmAsked& asked);

/// How PEs do it: by a kernel, or by a mapping of which not all need be said.
struct GemmWay {
  std::string kernel{};  ///< empty: by a mapping
  MappingRequest mapping{};
  std::optional<MappingRequest> kept{};  ///< whole: is tried beside the first that `mapping` leaves (35.5)

  [[nodiscard]] bool by_mapping() const { return kernel.empty(); }
};
[[nodiscard]] GemmWay way_of(const std::string& variant);
/// The variant "VARIANT or MAPPING", of a variant that is by a mapping.
[[nodiscard]] std::string with_kept(const std::string& variant, const std::string& mapping);

/// "512x4096x512 fp8_e4m3 + gelu row_major": M x K x N, and what is not usual.
[[nodiscard]] std::string problem_text(const GemmProblem& problem);

}  // namespace kernbench
