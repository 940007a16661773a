// A kernel of the library that multiplies on the tensor cores: its tile, its cluster, the parts that K is cut into; and
// how it is written (adr/0049).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/dtype.hpp"
#include "sim/base/units.hpp"
#include "sim/machine/gpu/gpu_spec.hpp"

namespace kernbench {

/// C (m x n) = A (m x k) x B (k x n), all row-major; of fp8 B is column-major.
struct GpuGemm {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  Dtype dtype = Dtype::kBf16;
  Bytes result = 0;   ///< of an element of C; 0: as the dtype has it
  bool adds = false;  ///< to what C holds
  bool operator==(const GpuGemm&) const = default;
};

/// Bytes of an element of C.
[[nodiscard]] Bytes result_bytes(const GpuGemm& gemm);

/// Of a CTA `b` rows and `a` columns of C; a cluster is `across` CTAs along the columns and `down` along the rows.
struct GpuKernel {
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t across = 1;
  std::int64_t down = 1;
  std::int64_t split = 1;  ///< parts of K, each with CTAs of its own
  bool swapped = false;    ///< the rows are what an instruction has 64 of, not the columns
  GpuFamily family = GpuFamily::kNewest;
  std::int64_t depth = 0;  ///< elements of K a step, of older families (adr/0055)
  bool in_place = false;   ///< the parts of K are added up in C one after the other, by no further kernel
  bool operator==(const GpuKernel&) const = default;

  [[nodiscard]] std::int64_t cluster() const { return across * down; }
};

/// Rows of an instruction of the tensor cores.
inline constexpr std::int64_t kGpuInstructionRows = 64;
/// Bytes along K that a CTA takes in at a time.
inline constexpr std::int64_t kGpuSlice = 128;
/// Bytes that the L2 hands out at a time.
inline constexpr std::int64_t kGpuLine = 128;

/// "192x72 cluster=1x2 split_k=3"; cluster and split_k where they are not 1, " swapped" where it is. Of an older family
/// "256x128x64 even split_k=3".
[[nodiscard]] std::string to_text(const GpuKernel& kernel);
/// The same text; what of cluster and split_k is not there is 1. Throws ConfigError, which begins with `place`.
[[nodiscard]] GpuKernel parse_gpu_kernel(std::string_view text, std::string_view place);
/// Of the library's own name, "nvjet_sm90_tst_192x72_64x6_1x2_h_bz_NNT", where it is one of this kind; its `split` is 2
/// for one whose K is cut, for the name does not say into how many parts.
[[nodiscard]] std::optional<GpuKernel> kernel_of_library_name(std::string_view name);

/// CTAs of a kernel that hold an SM at a time, whole clusters, of so many SMs that are free (0: all).
[[nodiscard]] std::int64_t most_ctas(const GpuKernel& kernel, const GpuSpec& gpu, std::int64_t sms = 0);
/// Stages of operands that fit the shared memory of a CTA beside 16 KiB for C; at most 16.
[[nodiscard]] std::int64_t stages(const GpuKernel& kernel, const GpuSpec& gpu);
/// Tiles of C, rounded up to whole clusters.
[[nodiscard]] std::int64_t tiles(const GpuKernel& kernel, const GpuGemm& gemm);
/// Slices of K in all.
[[nodiscard]] std::int64_t slices(const GpuGemm& gemm);

/// Families of kernels that the library has for this product and the machine has numbers for.
[[nodiscard]] std::vector<GpuFamily> families_of(const GpuGemm& gemm, const GpuSpec& gpu);
/// Multiply-accumulates of an SM in a cycle, nominal, by the fastest family.
[[nodiscard]] double nominal_macs(const GpuGemm& gemm, const GpuSpec& gpu);
/// Energy of a FLOP of this kernel at the highest clock, pJ.
[[nodiscard]] double energy_of_flop(const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu);

/// Throws ConfigError with the numbers where no SM can hold it, or the library has no such kernel.
void check_kernel(const GpuKernel& kernel, const GpuGemm& gemm, const GpuSpec& gpu, std::string_view place);
/// Throws ConfigError where the machine has no rate for the dtype, CapacityError where HBM does not hold the matrices.
void check_gemm(const GpuGemm& gemm, const GpuSpec& gpu);

}  // namespace kernbench
