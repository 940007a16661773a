// Shapes of bench gemm-micro: those of the suites that are measured on GPUs too (adr/0045-gemm-micro.md, 45.7).
#pragma once

#include <array>
#include <cstdint>

#include "benches/workloads/bench.hpp"

namespace kernbench {

/// Sides whose every combination as M, K and N is a shape: 27 shapes, 64 shapes.
inline constexpr std::array<std::int64_t, 3> kSidesOf27{512, 1024, 2048};
inline constexpr std::array<std::int64_t, 4> kSidesOf64{256, 768, 1536, 4096};
/// M of GEMMs of few rows, and their K and N.
inline constexpr std::array<std::int64_t, 9> kSkinnyRows{1, 2, 4, 8, 16, 32, 64, 128, 256};
inline constexpr std::int64_t kSkinnySide = 8192;

/// Axis `shape`, "MxKxN": squares, 27, few rows, 64, each shape once; any other may be asked for.
[[nodiscard]] Axis micro_shapes();

}  // namespace kernbench
