// What GPUs are given to do: launches in streams (adr/0050).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/plan/gpu/gpu_gemm_time.hpp"
#include "sim/plan/gpu/gpu_power.hpp"
#include "sim/plan/gpu/nccl.hpp"

namespace kernbench {

struct GpuProduct {
  GpuGemm gemm;
  GpuKernel kernel;
  L2State l2 = L2State::kWarm;
  GpuLaunching launching = GpuLaunching::kGraph;  ///< or kStream: a host that is late is not simulated
};

/// A kernel that takes bytes in and out, element by element: no SM is held for it (50.10).
struct GpuPass {
  double bytes = 0;
  GpuLaunching launching = GpuLaunching::kGraph;
};

/// A launch of the same GPU.
struct GpuPlace {
  std::size_t stream = 0;
  std::size_t launch = 0;
};

/// One of the three.
struct GpuLaunched {
  std::optional<GpuProduct> product = {};
  std::optional<NcclCollective> collective = {};
  std::optional<GpuPass> pass = {};
  std::vector<GpuPlace> after = {};  ///< begins when these have ended too
};

/// Launches one after the other: each begins when the one before has ended.
struct GpuStream {
  std::vector<GpuLaunched> launches;
  Picoseconds begin;   ///< of the first launch
  bool again = false;  ///< starts over until every stream that does not has ended
};

/// Streams of a GPU. Collectives of several GPUs go together by stream and place in it.
using GpuStreams = std::vector<GpuStream>;

/// What became of a launch.
struct GpuRecord {
  std::int64_t gpu = 0;
  std::int64_t stream = 0;
  std::int64_t launch = 0;  ///< counted on where a stream starts over
  bool product = false;
  Picoseconds ready;       ///< the stream has come to it
  Picoseconds begin;       ///< its first CTA has an SM
  Picoseconds end;         ///< the stream goes on
  std::int64_t sms = 0;    ///< the most that it held at a time
  std::int64_t tiles = 0;  ///< the most that one cluster of a product computed, one after the other
};

struct GpuRun {
  std::vector<GpuRecord> records;  ///< in the order of their ends
  std::int64_t events = 0;
};

struct GpuRunSettings {
  GpuState state = GpuState::kBurst;  ///< of which each product has the clock
  /// No product has a higher clock, GHz.
  double most_clock = std::numeric_limits<double>::infinity();
  bool taken_over =
      true;  ///< a CTA takes the next tile that nobody has; false: tiles are dealt out when a kernel begins
  bool clock_back = true;  ///< SMs that a collective holds draw no power for products; false: they seem to
};

/// Of a product that has the GPU alone, GHz.
[[nodiscard]] inline double clock_of(const GpuProduct& product, const GpuSpec& gpu, const GpuRunSettings& settings) {
  return std::min(governed_clock(settings.state, product.gemm, product.kernel, gpu,
                                 {.l2 = product.l2, .launching = product.launching}),
                  settings.most_clock);
}

/// Throws ConfigError for a launch that the machine cannot do.
[[nodiscard]] GpuRun run_gpus(const GpuSpec& gpu, const std::vector<GpuStreams>& gpus,
                              const GpuRunSettings& settings = {});

}  // namespace kernbench
