#include "sim/plan/gpu/gpu_choice.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/plan/gpu/gpu_older_kernels.hpp"

namespace kernbench {
namespace {

constexpr std::int64_t kLeastSlicesOfPart = 20;
constexpr std::int64_t kWidestSide = 320;
constexpr std::int64_t kWidestOther = 256;
constexpr std::int64_t kStep = 8;
constexpr std::int64_t kStepSwapped = 32;
constexpr std::int64_t kFp8Accumulators = 18432;

struct Cluster {
  std::int64_t across;
  std::int64_t down;
};
constexpr std::array<Cluster, 7> kClusters{{{2, 4}, {4, 2}, {1, 4}, {4, 1}, {2, 2}, {1, 2}, {2, 1}}};

bool is_older(const GpuGemm& gemm, const GpuSpec& gpu) { return families_of(gemm, gpu).front() != GpuFamily::kNewest; }

std::int64_t rounds_of(const GpuKernel& kernel, const GpuGemm& gemm, const GpuSpec& gpu) {
  const std::int64_t most = most_ctas(kernel, gpu);
  return most == 0 ? std::numeric_limits<std::int64_t>::max() : ceil_div(tiles(kernel, gemm), most);
}

}  // namespace

GpuKernel with_cluster(GpuKernel kernel, const GpuGemm& gemm, const GpuSpec& gpu) {
  const std::int64_t alone = rounds_of(kernel, gemm, gpu);
  const auto lines = [&](const GpuKernel& one) {
    return static_cast<double>(one.b) / static_cast<double>(one.across) +
           static_cast<double>(one.a) / static_cast<double>(one.down);
  };
  GpuKernel best = kernel;
  for (const Cluster& cluster : kClusters) {
    kernel.across = cluster.across;
    kernel.down = cluster.down;
    if (kernel.cluster() > static_cast<std::int64_t>(gpu.sm.cluster)) continue;
    if (kernel.cluster() < best.cluster() || rounds_of(kernel, gemm, gpu) > alone) continue;
    if (kernel.cluster() > best.cluster() || lines(kernel) < lines(best)) best = kernel;
  }
  return best;
}

std::int64_t split_by_rule(const GpuKernel& kernel, const GpuGemm& gemm, const GpuSpec& gpu) {
  const std::int64_t room = most_ctas(kernel, gpu) / tiles(kernel, gemm);
  return std::max<std::int64_t>(1, std::min(room, slices(gemm) / kLeastSlicesOfPart));
}

std::vector<GpuKernel> gpu_candidates(const GpuGemm& gemm, const GpuSpec& gpu) {
  if (is_older(gemm, gpu)) return older_candidates(gemm, gpu);
  auto most = static_cast<std::int64_t>(gpu.sm.accumulators);
  if (bytes_of(1, gemm.dtype) == 1) most = std::min(most, kFp8Accumulators);
  std::vector<GpuKernel> kernels;
  const auto add = [&](GpuKernel kernel) {
    if (kernel.a * kernel.b > most || stages(kernel, gpu) < 2) return;
    kernel = with_cluster(kernel, gemm, gpu);
    kernels.push_back(kernel);
    kernel.split = split_by_rule(kernel, gemm, gpu);
    if (kernel.split > 1) kernels.push_back(kernel);
  };
  for (std::int64_t side = kGpuInstructionRows; side <= kWidestSide; side += kGpuInstructionRows) {
    for (std::int64_t other = kStep; other <= kWidestOther; other += kStep) {
      add({.a = side, .b = other});
      if (other % kStepSwapped == 0 && other % kGpuInstructionRows != 0) add({.a = other, .b = side, .swapped = true});
    }
  }
  return kernels;
}

GpuKernel choose_gpu_kernel(const GpuGemm& gemm, const GpuSpec& gpu) {
  if (is_older(gemm, gpu)) {
    return std::ranges::min(older_candidates(gemm, gpu), {}, [&](const GpuKernel& kernel) {
      return gpu_gemm_time(gemm, kernel, gpu, {.clock = gpu.sm.clock}).total;
    });
  }
  GpuSpec seen = gpu;
  seen.l2.request = gpu.library.request;
  seen.sm.receive = gpu.library.receive;
  GpuKernel best;
  double least = std::numeric_limits<double>::infinity();
  const std::vector<GpuKernel> candidates = gpu_candidates(gemm, gpu);
  if (candidates.empty()) {
    throw ConfigError(gpu.name + ": no kernel fits sm.accumulators and sm.shared_memory: expected room for a tile of " +
                      "64x8, 512 accumulators and 35 KiB, got " + formatted("%.0f and ", gpu.sm.accumulators) +
                      formatted("%.0f B", gpu.sm.shared_memory));
  }
  for (const GpuKernel& kernel : candidates) {
    const double time = gpu_gemm_time(gemm, kernel, seen, {.clock = gpu.sm.clock, .aligned = true}).total;
    if (time <= least) {  // of equals the wider one
      least = time;
      best = kernel;
    }
  }
  return best;
}

}  // namespace kernbench
