// How long a kernel takes, in closed form (adr/0048): what a slice of K waits for, how many slices and rounds there
// are, what HBM moves meanwhile, and the launch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/base/units.hpp"
#include "sim/plan/gpu/gpu_kernel.hpp"

namespace kernbench {

enum class L2State { kWarm, kFlushed };
inline constexpr Names<L2State> kL2States{"state of the L2",
                                          {{L2State::kWarm, "warm"}, {L2State::kFlushed, "flushed"}}};

/// How a kernel comes after the one before it (adr/0061): in a CUDA graph; on a stream, from a host that is ahead; from
/// one that launches no faster than launch.host.
enum class GpuLaunching : std::uint8_t { kGraph, kStream, kEager };
inline constexpr Names<GpuLaunching> kGpuLaunchings{
    "launch", {{GpuLaunching::kGraph, "graph"}, {GpuLaunching::kStream, "stream"}, {GpuLaunching::kEager, "eager"}}};

/// Under which a kernel runs. 0 stands for what it has alone.
struct GpuConditions {
  L2State l2 = L2State::kWarm;
  GpuLaunching launching = GpuLaunching::kGraph;
  double clock = 0;      ///< of the SMs, GHz; 0: that of a burst (48.12)
  std::int64_t sms = 0;  ///< that are free; 0: all
  bool aligned = false;  ///< every row is taken to begin at a line, as the library's choice does
};

/// Times in nanoseconds.
struct GpuGemmTime {
  std::int64_t tiles = 0;   ///< of all parts of K
  std::int64_t ctas = 0;    ///< at a time
  std::int64_t rounds = 0;  ///< of CTAs, each one tile
  std::int64_t slices = 0;  ///< of K that a tile takes
  double mma = 0;           ///< of a slice, in the tensor cores
  double request = 0;       ///< of a slice: its lines asked of the L2
  double receive = 0;       ///< of a slice: its lines taken in
  double latency = 0;       ///< of a step of an older kernel, whose slices are its steps
  double slice = 0;         ///< of these together
  double store = 0;         ///< of all tiles of a CTA
  double sm = 0;            ///< slices and stores of a CTA
  double hbm = 0;           ///< of the bytes that are not found in the L2
  double launch = 0;        ///< kernel, CTAs, drain, dtype, first operands from HBM, what a stream takes more
  double split = 0;         ///< adding up the parts
  double wait = 0;          ///< for the host's next launch
  double total = 0;
  double hbm_bytes = 0;
  double l2_bytes = 0;                      ///< of operands that SMs ask for
  double clock = 0;                         ///< GHz
  std::string_view units = "tensor cores";  ///< which `mma` is of
  std::string_view lines = "L2 requests";   ///< which `request` is of

  [[nodiscard]] Picoseconds time() const;
  /// What of it is the most: `units`, `lines`, "operand intake", "HBM", "stores", "launch", "the host's launches" or
  /// "latency of a CTA's steps".
  [[nodiscard]] std::string limit() const;
};

[[nodiscard]] GpuGemmTime gpu_gemm_time(const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu,
                                        const GpuConditions& conditions = {});

/// Kernels of a product that a stream waits for: of an older one a second adds up the parts of K, where they are not
/// added in place; that of the newest ones begins as if it were in a graph.
[[nodiscard]] std::int64_t kernels_of(const GpuKernel& kernel);

/// Bytes of A, B and C.
[[nodiscard]] double footprint(const GpuGemm& gemm);
/// Of them that HBM moves, as the L2 does not hold them.
[[nodiscard]] double missed_share(const GpuGemm& gemm, const GpuSpec& gpu, L2State l2);

/// TFLOP/s of 2 m k n operations in so many nanoseconds.
[[nodiscard]] double tflops(const GpuGemm& gemm, double ns);

/// (a^p + b^p + ...)^(1/p) of what is not negative.
[[nodiscard]] double joined_limits(std::initializer_list<double> limits, double p);

/// Lines that `rows` rows of `width` bytes touch, on average, where each begins `stride` bytes after the one before.
[[nodiscard]] double touched_lines(std::int64_t rows, std::int64_t width, std::int64_t stride);

}  // namespace kernbench
