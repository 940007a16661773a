#include "sim/plan/gpu/gpu_older_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/errors.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"
#include "sim/plan/gpu/gpu_counts.hpp"

namespace kernbench {
namespace {

constexpr std::array<GpuOlderTile, 4> kOddTiles{
    {{64, 64, 32, 4, 5}, {128, 64, 32, 4, 3}, {128, 128, 32, 4, 2}, {256, 128, 32, 8, 1}}};
constexpr std::array<GpuOlderTile, 11> kEvenTiles{{{32, 32, 32, 4, 10},
                                                   {32, 32, 64, 4, 6},
                                                   {32, 32, 128, 4, 5},
                                                   {64, 64, 32, 4, 4},
                                                   {64, 128, 64, 4, 1},
                                                   {128, 64, 64, 4, 3},
                                                   {128, 128, 64, 4, 2},
                                                   {128, 256, 64, 8, 1},
                                                   {256, 64, 64, 4, 1},
                                                   {256, 128, 32, 8, 1},
                                                   {256, 128, 64, 8, 1}}};
constexpr std::array<GpuOlderTile, 9> kTf32Tiles{{{64, 64, 16, 4, 4},
                                                  {64, 64, 32, 4, 2},
                                                  {64, 128, 32, 4, 1},
                                                  {64, 256, 32, 4, 1},
                                                  {128, 64, 16, 4, 3},
                                                  {128, 64, 32, 4, 1},
                                                  {128, 128, 16, 4, 2},
                                                  {256, 64, 16, 4, 2},
                                                  {256, 64, 32, 4, 1}}};
constexpr std::array<GpuOlderTile, 4> kWideTiles{
    {{128, 64, 32, 12, 1}, {128, 128, 32, 12, 1}, {256, 64, 32, 12, 1}, {256, 128, 32, 12, 1}}};
constexpr std::array<GpuOlderTile, 5> kRaggedTiles{
    {{64, 64, 16, 4, 4}, {128, 64, 32, 4, 3}, {128, 128, 32, 4, 2}, {128, 256, 32, 8, 1}, {256, 128, 32, 8, 1}}};
constexpr std::array<GpuOlderTile, 9> kFp32Tiles{{{32, 32, 8, 2, 12},
                                                  {64, 64, 8, 4, 4},
                                                  {64, 128, 8, 4, 2},
                                                  {128, 32, 8, 4, 6},
                                                  {128, 64, 8, 4, 2},
                                                  {128, 128, 8, 4, 2},
                                                  {128, 256, 8, 8, 1},
                                                  {256, 64, 8, 4, 2},
                                                  {256, 128, 8, 8, 1}}};

/// Of one row, of a half of up to ten, of a half of eleven.
constexpr std::array<GpuOlderTile, 3> kVectorTiles{{{64, 1, 8, 16, 4}, {64, 5, 8, 8, 4}, {64, 6, 8, 8, 4}}};

constexpr std::int64_t kLeastStepsOfPart = 2;
constexpr std::int64_t kLeastStepsInPlace = 16;
constexpr std::int64_t kMostPartsInPlace = 16;
constexpr double kStepJoin = 4;
constexpr double kBytesOfPart = 4;

bool is_wide(GpuFamily family) { return family == GpuFamily::kTf32Wide || family == GpuFamily::kTf32Segment; }

std::int64_t steps(const GpuGemm& gemm, const GpuKernel& kernel) { return ceil_div(gemm.k, kernel.depth); }

/// With K cut into parts that each go into C when the one before has: where tiles alone leave SMs idle at the end.
void add_in_place(GpuKernel kernel, const GpuGemm& gemm, const GpuSpec& gpu, std::vector<GpuKernel>& kernels) {
  if (kernel.family != GpuFamily::kOdd && kernel.family != GpuFamily::kEven) return;
  if (2 * tiles(kernel, gemm) <= most_ctas(kernel, gpu)) return;
  kernel.in_place = true;
  const std::int64_t most = std::min(kMostPartsInPlace, steps(gemm, kernel) / kLeastStepsInPlace);
  for (kernel.split = 2; kernel.split <= most; ++kernel.split) kernels.push_back(kernel);
}

/// With K cut into as many parts as fill the SMs with one CTA each, with two, and so on.
void add_split(GpuKernel kernel, const GpuGemm& gemm, const GpuSpec& gpu, std::vector<GpuKernel>& kernels) {
  const std::int64_t held = older_tile(kernel)->held;
  const std::int64_t of_tiles = tiles(kernel, gemm);
  std::int64_t last = 1;
  for (std::int64_t waves = 1; waves <= held; ++waves) {
    const std::int64_t room = waves * most_ctas(kernel, gpu) / of_tiles;
    kernel.split = std::min(room, steps(gemm, kernel) / kLeastStepsOfPart);
    if (kernel.split > last) kernels.push_back(kernel);
    last = std::max(last, kernel.split);
  }
}

/// K of products of few rows that were seen to have kernels for vectors, about.
constexpr std::int64_t kLeastSeen = 1'000;
constexpr std::int64_t kMostSeen = 20'000;

/// The one for a product of few rows (55.9).
GpuKernel vector_kernel(const GpuGemm& gemm) {
  const auto halves = [&](const GpuOlderTile& tile) {
    return gemm.m <= tile.b || (tile.b > 1 && gemm.m <= 2 * tile.b);
  };
  const GpuOlderTile& tile = *std::ranges::find_if(kVectorTiles, halves);
  return {.a = tile.a, .b = tile.b, .family = GpuFamily::kFp32Vector, .depth = tile.depth};
}

std::string names_of(const std::vector<GpuFamily>& families) {
  std::string names;
  for (const GpuFamily family : families) names += (names.empty() ? "" : ", ") + std::string(kGpuFamilies[family]);
  return names;
}

/// What one CTA of its SM brings to a step of K, in ns.
struct Step {
  double mma = 0;
  double latency = 0;
  double lines = 0;
  double line = 0;

  [[nodiscard]] double of(std::int64_t ctas) const {
    return joined_limits({real(ctas) * mma, latency, real(ctas) * lines * line}, kStepJoin);
  }
};

Step step_of(const GpuGemm& gemm, const GpuKernel& kernel, const GpuOlderTile& tile, const GpuOlderRate& rate,
             double clock) {
  const double macs = real(tile.a * tile.b * tile.depth);
  const auto element = real(bytes_of(1, gemm.dtype));
  Step step;
  step.mma = macs / (rate.macs * rate.share) / clock;
  step.latency = (macs / (real(kWarp * tile.warps)) * rate.latency + rate.floor * real(tile.depth)) / clock;
  step.line = rate.line;
  if (is_wide(kernel.family)) {
    const std::int64_t row_of_k = bytes_of(gemm.k, gemm.dtype);
    const std::int64_t row_of_n = bytes_of(gemm.n, gemm.dtype);
    step.lines = touched_lines(tile.b, kGpuLine, row_of_k) / real(kernel.across) +
                 touched_lines(tile.a, kGpuLine, row_of_n) / real(kernel.down);
  } else {
    step.lines = real((tile.a + tile.b) * tile.depth) * element / real(kGpuLine);
  }
  return step;
}

}  // namespace

std::span<const GpuOlderTile> older_tiles(GpuFamily family) {
  switch (family) {
    case GpuFamily::kNewest:
      return {};
    case GpuFamily::kOdd:
      return kOddTiles;
    case GpuFamily::kEven:
      return kEvenTiles;
    case GpuFamily::kTf32:
      return kTf32Tiles;
    case GpuFamily::kTf32Wide:
    case GpuFamily::kTf32Segment:
      return kWideTiles;
    case GpuFamily::kTf32Ragged:
      return kRaggedTiles;
    case GpuFamily::kFp32:
      return kFp32Tiles;
    case GpuFamily::kFp32Vector:
      return kVectorTiles;
  }
  return {};
}

const GpuOlderTile* older_tile(const GpuKernel& kernel) {
  const auto all = older_tiles(kernel.family);
  const auto found = std::ranges::find_if(all, [&](const GpuOlderTile& tile) {
    return tile.a == kernel.a && tile.b == kernel.b && tile.depth == kernel.depth;
  });
  return found == all.end() ? nullptr : &*found;
}

std::vector<GpuKernel> older_candidates(const GpuGemm& gemm, const GpuSpec& gpu) {
  std::vector<GpuKernel> kernels;
  const std::vector<GpuFamily> families = families_of(gemm, gpu);
  const bool vectors = std::ranges::find(families, GpuFamily::kFp32Vector) != families.end();
  if (vectors && gemm.k >= kLeastSeen && gemm.k <= kMostSeen) return {vector_kernel(gemm)};
  if (vectors) kernels.push_back(vector_kernel(gemm));
  for (const GpuFamily family : families) {
    if (family == GpuFamily::kFp32Vector) continue;
    for (const GpuOlderTile& tile : older_tiles(family)) {
      const GpuKernel kernel{.a = tile.a, .b = tile.b, .family = family, .depth = tile.depth};
      if (is_wide(family)) {
        kernels.push_back(with_cluster(kernel, gemm, gpu));
        continue;
      }
      kernels.push_back(kernel);
      add_in_place(kernel, gemm, gpu, kernels);
      add_split(kernel, gemm, gpu, kernels);
    }
  }
  return kernels;
}

GpuGemmTime older_gemm_time(const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu,
                            const GpuConditions& conditions) {
  const GpuOlderRate& rate = gpu.older.of(kernel.family);
  const GpuOlderTile& tile = *older_tile(kernel);
  GpuGemmTime time;
  time.clock = conditions.clock;
  time.tiles = tiles(kernel, gemm) * kernel.split;
  const std::int64_t sms = most_ctas(kernel, gpu, conditions.sms);
  const std::int64_t of_sm = ceil_div(time.tiles, sms);
  time.ctas = std::min(time.tiles, sms * tile.held);
  time.rounds = ceil_div(of_sm, tile.held);
  time.slices = ceil_div(steps(gemm, kernel), kernel.split);

  if (on_cuda_cores(kernel.family)) time.units = "CUDA cores";
  time.lines = "operand lines";

  const Step step = step_of(gemm, kernel, tile, rate, time.clock);
  const std::int64_t together = std::min(of_sm, tile.held);
  time.mma = real(together) * step.mma;
  time.request = real(together) * step.lines * step.line;
  time.latency = step.latency;
  time.slice = step.of(together);
  const bool parts = kernel.split > 1 && !kernel.in_place;
  const double element = parts ? kBytesOfPart : real(bytes_of(1, result_of(gemm.dtype)));
  const double store = real(tile.a * tile.b) * element / rate.store / time.clock;
  if (kernel.family == GpuFamily::kTf32Segment) {
    const double share = real(ceil_div(gemm.n, tile.a) * ceil_div(gemm.m, tile.b)) / real(sms);
    time.slices = static_cast<std::int64_t>(std::ceil(share * real(steps(gemm, kernel))));
    time.rounds = 1;
    time.store = std::max(1.0, share) * (store + rate.cta);
    time.sm = real(time.slices) * time.slice + time.store;
  } else {
    const auto round = [&](std::int64_t ctas) {
      return ctas == 0 ? 0 : real(time.slices) * step.of(ctas) + real(ctas) * store + rate.cta;
    };
    time.store = real(of_sm) * store + real(time.rounds) * rate.cta;
    time.sm = real(of_sm / tile.held) * round(tile.held) + round(of_sm % tile.held);
  }

  time.hbm_bytes = footprint(gemm) * missed_share(gemm, gpu, conditions.l2);
  time.hbm = time.hbm_bytes / gpu.hbm.bandwidth;
  time.l2_bytes = step.lines * real(kGpuLine) * real(ceil_div(steps(gemm, kernel), kernel.split)) * real(time.tiles);
  time.launch = rate.launch + (conditions.l2 == L2State::kFlushed ? rate.from_hbm : 0);
  if (kernel.in_place) time.split = rate.part * real(kernel.split - 1);
  if (parts) {
    time.split = rate.split_launch + kBytesOfPart * real(kernel.split) * real(gemm.m * gemm.n) / rate.split_bandwidth;
  }
  time.total = time.launch + joined_limits({time.sm, time.hbm}, gpu.overlap.body) + time.split;
  return time;
}

void check_older_kernel(const GpuKernel& kernel, const GpuGemm& gemm, const GpuSpec& gpu, std::string_view place) {
  const auto refuse = [&](const std::string& why) {
    throw ConfigError(std::string(place) + ": kernel " + to_text(kernel) + ": " + why);
  };
  const auto families = families_of(gemm, gpu);
  if (std::ranges::find(families, kernel.family) == families.end()) {
    refuse("the library multiplies these matrices with kernels of " + names_of(families));
  }
  if (kernel.family == GpuFamily::kNewest) {
    if (kernel.in_place) refuse("in_place is of older families");
    return;
  }
  if (older_tile(kernel) == nullptr) {
    std::string known;
    for (const GpuOlderTile& tile : older_tiles(kernel.family)) {
      known += (known.empty() ? "" : ", ") + std::to_string(tile.a) + "x" + std::to_string(tile.b) + "x" +
               std::to_string(tile.depth);
    }
    refuse("family " + std::string(kGpuFamilies[kernel.family]) + " has " + known);
  }
  if (!is_wide(kernel.family) && kernel.cluster() > 1) refuse("kernels of this family have no clusters");
  if (is_wide(kernel.family) && kernel.split > 1) refuse("kernels of this family do not cut K; tf32_segment does");
  if (kernel.family == GpuFamily::kFp32Vector && kernel != vector_kernel(gemm)) {
    refuse("of " + std::to_string(gemm.m) + " rows this family has " + to_text(vector_kernel(gemm)) + " alone");
  }
  if (kernel.in_place && kernel.split == 1) refuse("in_place: expected split_k=N beside it");
  if (kernel.cluster() > static_cast<std::int64_t>(gpu.sm.cluster) || most_ctas(kernel, gpu) < 1) {
    refuse("a cluster of " + std::to_string(kernel.cluster()) + " CTAs; there are at most " +
           std::to_string(static_cast<std::int64_t>(gpu.sm.cluster)) + " (sm.cluster)");
  }
  if (kernel.split > steps(gemm, kernel)) {
    refuse("K has " + std::to_string(steps(gemm, kernel)) + " steps of " + std::to_string(kernel.depth) +
           "; expected at most as many parts");
  }
}

}  // namespace kernbench
