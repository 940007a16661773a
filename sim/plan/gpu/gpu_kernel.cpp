#include "sim/plan/gpu/gpu_kernel.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <regex>

#include "sim/base/capacity_error.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/base/units.hpp"
#include "sim/plan/dimension.hpp"
#include "sim/plan/gpu/gpu_older_kernels.hpp"

namespace kernbench {
namespace {

constexpr std::int64_t kMostStages = 16;
constexpr std::int64_t kRoomForC = 16384;
constexpr std::int64_t kRegularRow = 16;  // bytes

std::int64_t whole(std::string_view text) {
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size() ? value : -1;
}

/// So many numbers with x between them. Throws ConfigError.
template <std::size_t count>
std::array<std::int64_t, count> numbers_of(std::string_view text, std::string_view word, std::string_view place) {
  const auto parts = split(text, "x");
  std::array<std::int64_t, count> values{};
  bool good = parts.size() == count;
  for (std::size_t i = 0; good && i < count; ++i) {
    values.at(i) = whole(parts[i]);
    good = values.at(i) > 0 && values.at(i) <= kLargestDimension;
  }
  if (good) return values;
  throw ConfigError(std::string(place) + ": expected two whole numbers such as 128x256, got '" + std::string(word) +
                    "'");
}

/// "256x128" or, of an older family, "256x128x64"; also after "tile=".
void read_tile(GpuKernel& kernel, const std::string& word, std::string_view place) {
  const std::string_view tile = word.starts_with("tile=") ? std::string_view(word).substr(5) : word;
  if (std::ranges::count(tile, 'x') == 2) {
    const auto sides = numbers_of<3>(tile, word, place);
    kernel.a = sides[0];
    kernel.b = sides[1];
    kernel.depth = sides[2];
  } else {
    const auto sides = numbers_of<2>(tile, word, place);
    kernel.a = sides[0];
    kernel.b = sides[1];
  }
}

constexpr std::int64_t kMostVectors = 11;

/// Few rows, and columns at least 1.4 times as many as K (55.9).
bool takes_vectors(const GpuGemm& gemm) { return gemm.m == 1 || (gemm.m <= kMostVectors && 5 * gemm.n >= 7 * gemm.k); }

/// Families by what a product asks for, whatever the machine has.
std::vector<GpuFamily> families_by_rule(const GpuGemm& gemm) {
  const std::int64_t element = bytes_of(1, gemm.dtype);
  const bool regular = gemm.k * element % kRegularRow == 0 && gemm.n * element % kRegularRow == 0;
  const bool odd = gemm.k % 2 != 0 || gemm.n % 2 != 0;
  switch (gemm.dtype) {
    case Dtype::kBf16:
    case Dtype::kFp16:
      return {regular ? GpuFamily::kNewest : odd ? GpuFamily::kOdd : GpuFamily::kEven};
    case Dtype::kTf32:
      if (!regular) return {GpuFamily::kTf32Ragged};
      return {GpuFamily::kTf32, GpuFamily::kTf32Wide, GpuFamily::kTf32Segment};
    case Dtype::kFp32:
      if (takes_vectors(gemm)) return {GpuFamily::kFp32, GpuFamily::kFp32Vector};
      return {GpuFamily::kFp32};
    default:
      return {GpuFamily::kNewest};
  }
}

}  // namespace

Bytes result_bytes(const GpuGemm& gemm) { return gemm.result > 0 ? gemm.result : bytes_of(1, result_of(gemm.dtype)); }

std::string to_text(const GpuKernel& kernel) {
  std::string text = std::to_string(kernel.a) + "x" + std::to_string(kernel.b);
  if (kernel.family != GpuFamily::kNewest) {
    text += "x" + std::to_string(kernel.depth) + " " + std::string(kGpuFamilies[kernel.family]);
  }
  if (kernel.cluster() > 1) {
    text += " cluster=" + std::to_string(kernel.across) + "x" + std::to_string(kernel.down);
  }
  if (kernel.split > 1) text += " split_k=" + std::to_string(kernel.split);
  if (kernel.in_place) text += " in_place";
  return text + (kernel.swapped ? " swapped" : "");
}

GpuKernel parse_gpu_kernel(std::string_view text, std::string_view place) {
  GpuKernel kernel;
  for (const std::string& word : split(text, " ")) {
    if (word.empty()) continue;
    if (word == "swapped") {
      kernel.swapped = true;
    } else if (word == "in_place") {
      kernel.in_place = true;
    } else if (const auto family = kGpuFamilies.find(word)) {
      kernel.family = *family;
    } else if (word.starts_with("cluster=")) {
      const auto cluster = numbers_of<2>(word.substr(8), word, place);
      kernel.across = cluster[0];
      kernel.down = cluster[1];
    } else if (word.starts_with("split_k=")) {
      kernel.split = whole(word.substr(8));
      if (kernel.split < 1 || kernel.split > kLargestDimension) {
        throw ConfigError(std::string(place) + ": expected split_k=N, a whole number, got '" + word + "'");
      }
    } else {
      read_tile(kernel, word, place);
    }
  }
  if (kernel.a == 0) {
    throw ConfigError(std::string(place) + ": expected a tile, columns x rows, such as '256x128 cluster=1x2', got '" +
                      std::string(text) + "'");
  }
  if ((kernel.depth > 0) != (kernel.family != GpuFamily::kNewest)) {
    throw ConfigError(std::string(place) + ": expected columns x rows x depth beside an older family, such as " +
                      "'256x128x64 even', got '" + std::string(text) + "'");
  }
  if (kernel.family != GpuFamily::kNewest) return kernel;
  if (kernel.a % kGpuInstructionRows != 0 && kernel.b % kGpuInstructionRows == 0) kernel.swapped = true;
  return kernel;
}

std::optional<GpuKernel> kernel_of_library_name(std::string_view name) {
  static const std::regex kName(R"(nvjet_[a-z0-9]+_[a-z]+_(\d+)x(\d+)_\d+x\d+_(\d)x(\d)_[hv]_bz\w*_\w\w([NT]).*)");
  std::cmatch match;
  if (!std::regex_match(name.data(), name.data() + name.size(), match, kName)) return std::nullopt;
  GpuKernel kernel{.a = whole(match[1].str()),
                   .b = whole(match[2].str()),
                   .across = whole(match[3].str()),
                   .down = whole(match[4].str())};
  if (std::min({kernel.a, kernel.b, kernel.across, kernel.down}) < 1) return std::nullopt;
  kernel.split = name.find("splitK") != std::string_view::npos ? 2 : 1;
  kernel.swapped = match[5] == "N" && kernel.b % kGpuInstructionRows == 0;
  return kernel;
}

std::int64_t most_ctas(const GpuKernel& kernel, const GpuSpec& gpu, std::int64_t sms) {
  const auto all = static_cast<std::int64_t>(gpu.sm.count);
  const std::int64_t free = sms == 0 ? all : std::min(sms, all);
  const std::int64_t reached =
      kernel.cluster() > 2 ? std::min(free, static_cast<std::int64_t>(gpu.sm.clustered)) : free;
  return reached / kernel.cluster() * kernel.cluster();
}

std::int64_t stages(const GpuKernel& kernel, const GpuSpec& gpu) {
  const std::int64_t room = static_cast<std::int64_t>(gpu.sm.shared_memory) - kRoomForC;
  return std::min(kMostStages, std::max<std::int64_t>(room, 0) / (kGpuSlice * (kernel.a + kernel.b)));
}

std::int64_t tiles(const GpuKernel& kernel, const GpuGemm& gemm) {
  return ceil_div(ceil_div(gemm.n, kernel.a), kernel.across) * ceil_div(ceil_div(gemm.m, kernel.b), kernel.down) *
         kernel.cluster();
}

std::int64_t slices(const GpuGemm& gemm) { return ceil_div(bytes_of(gemm.k, gemm.dtype), kGpuSlice); }

std::vector<GpuFamily> families_of(const GpuGemm& gemm, const GpuSpec& gpu) {
  std::vector<GpuFamily> families = families_by_rule(gemm);
  const bool newest = tensor_rate(gpu, gemm.dtype) != nullptr;
  std::erase_if(families,
                [&](GpuFamily family) { return family == GpuFamily::kNewest ? !newest : !gpu.older.of(family).given; });
  if (families.empty() && newest) families.push_back(GpuFamily::kNewest);
  return families;
}

double nominal_macs(const GpuGemm& gemm, const GpuSpec& gpu) {
  if (const GpuTensorRate* rate = tensor_rate(gpu, gemm.dtype)) return rate->macs;
  double most = 0;
  for (const GpuFamily family : families_of(gemm, gpu)) most = std::max(most, gpu.older.of(family).macs);
  return most;
}

double energy_of_flop(const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu) {
  return kernel.family == GpuFamily::kNewest ? tensor_rate(gpu, gemm.dtype)->energy
                                             : gpu.older.of(kernel.family).energy;
}

/// The library has kernels of 288, two instructions each, but launches them so rarely that 49.1 leaves them out.
constexpr std::int64_t kMostOtherSide = 288;

void check_kernel(const GpuKernel& kernel, const GpuGemm& gemm, const GpuSpec& gpu, std::string_view place) {
  check_older_kernel(kernel, gemm, gpu, place);
  if (kernel.family != GpuFamily::kNewest) return;
  const auto refuse = [&](const std::string& why) {
    throw ConfigError(std::string(place) + ": kernel " + to_text(kernel) + ": " + why);
  };
  const std::int64_t side = kernel.swapped ? kernel.b : kernel.a;
  const std::int64_t other = kernel.swapped ? kernel.a : kernel.b;
  if (side % kGpuInstructionRows != 0) refuse("expected a side of a multiple of 64, which an instruction has");
  if (other % 8 != 0 || other > kMostOtherSide) {
    refuse("expected another side of a multiple of 8, up to " + std::to_string(kMostOtherSide));
  }
  if (kernel.a * kernel.b > static_cast<std::int64_t>(gpu.sm.accumulators)) {
    refuse(std::to_string(kernel.a * kernel.b) + " elements of C; an SM's CTA keeps " +
           formatted("%.0f", gpu.sm.accumulators) + " (sm.accumulators)");
  }
  if (stages(kernel, gpu) < 2) {
    refuse("two stages of operands take " + std::to_string(2 * kGpuSlice * (kernel.a + kernel.b) + kRoomForC) +
           " B with room for C; a CTA has " + formatted("%.0f", gpu.sm.shared_memory) + " (sm.shared_memory)");
  }
  if (kernel.cluster() > static_cast<std::int64_t>(gpu.sm.cluster) || most_ctas(kernel, gpu) < 1) {
    refuse("a cluster of " + std::to_string(kernel.cluster()) + " CTAs; the largest has " +
           formatted("%.0f", gpu.sm.cluster) + " (sm.cluster)");
  }
  if (kernel.split > slices(gemm)) {
    refuse("K has " + std::to_string(slices(gemm)) + " slices of 128 B; expected at most as many parts");
  }
}

/// All that have a kernel for a product of this shape.
static std::string dtypes_of(GpuGemm gemm, const GpuSpec& gpu) {
  std::string names;
  for (const Dtype dtype : kOperandDtypes.values()) {
    gemm.dtype = dtype;
    if (is_grouped(dtype) || families_of(gemm, gpu).empty()) continue;
    names += (names.empty() ? "" : ", ") + std::string(name_of(dtype));
  }
  return names;
}

void check_gemm(const GpuGemm& gemm, const GpuSpec& gpu) {
  check_dimension("m", gemm.m);
  check_dimension("k", gemm.k);
  check_dimension("n", gemm.n);
  if (is_grouped(gemm.dtype)) {
    throw ConfigError("--dtype " + std::string(name_of(gemm.dtype)) + ": its elements share exponents, and GPU " +
                      gpu.name + " has no such dtype; expected one of " + dtypes_of(gemm, gpu));
  }
  if (families_of(gemm, gpu).empty()) {
    const std::string name(name_of(gemm.dtype));
    const GpuFamily family = families_by_rule(gemm).front();
    const bool older = gemm.dtype == Dtype::kTf32 || gemm.dtype == Dtype::kFp32;
    throw ConfigError("--dtype " + name + ": GPU " + gpu.name + " has no section " +
                      (older ? "older." + std::string(kGpuFamilies[family])
                             : "tensor." + (name.starts_with("fp8") ? std::string("fp8") : name)));
  }
  const double bytes =
      static_cast<double>(gemm.m * gemm.k + gemm.k * gemm.n) * static_cast<double>(bytes_of(1, gemm.dtype)) +
      static_cast<double>(gemm.m * gemm.n) * static_cast<double>(result_bytes(gemm));
  if (bytes > gpu.hbm.capacity) {
    throw CapacityError("A, B and C take " + formatted("%.4g GiB", bytes / 0x1p30) + "; GPU " + gpu.name + " has " +
                        formatted("%.4g GiB", gpu.hbm.capacity / 0x1p30) + " of HBM (hbm.capacity)");
  }
}

}  // namespace kernbench
