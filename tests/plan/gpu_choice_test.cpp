// The rules by which a GPU's library chooses a kernel (adr/0049), and how a kernel is written.
#include "sim/plan/gpu/gpu_choice.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "sim/base/source_dir.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "tests/machine/example_gpu.hpp"

using namespace kernbench;

namespace {

const GpuSpec& h200() {
  static const GpuSpec kGpu = load_gpu(kernbench::source_dir() + "/topology/h200.yaml").spec;
  return kGpu;
}

}  // namespace

TEST_SUITE("ADR-0049") {
  TEST_CASE("49.1 every candidate is one that an SM can hold") {
    for (const GpuGemm gemm :
         {GpuGemm{4096, 4096, 4096}, GpuGemm{17, 8192, 320}, GpuGemm{640, 640, 640, Dtype::kFp8E4m3}}) {
      const std::vector<GpuKernel> kernels = gpu_candidates(gemm, h200());
      CHECK(kernels.size() > 80);
      for (const GpuKernel& kernel : kernels) {
        CHECK_NOTHROW(check_kernel(kernel, gemm, h200(), ""));
        const std::int64_t other = kernel.swapped ? kernel.a : kernel.b;
        CHECK(other % (kernel.swapped ? 32 : 8) == 0);
        if (gemm.dtype == Dtype::kFp8E4m3) CHECK(kernel.a * kernel.b <= 18432);
      }
    }
  }

  TEST_CASE("49.1 stages of operands beside room for C") {
    CHECK(stages({.a = 192, .b = 72}, h200()) == 6);
    CHECK(stages({.a = 256, .b = 160}, h200()) == 4);
    CHECK(stages({.a = 64, .b = 24}, h200()) == 16);
    CHECK(stages({.a = 64, .b = 136}, h200()) == 8);
  }

  TEST_CASE("49.2 a cluster costs no further round") {
    for (const GpuKernel& kernel : gpu_candidates({4096, 4096, 4096}, h200())) {
      GpuKernel alone = kernel;
      alone.across = alone.down = 1;
      const GpuGemm gemm{4096, 4096, 4096};
      CHECK(ceil_div(tiles(kernel, gemm), most_ctas(kernel, h200())) == ceil_div(tiles(alone, gemm), 132));
    }
    // 120 tiles in clusters of eight need one round on the 120 SMs that these reach.
    const GpuGemm small{512, 4096, 960};
    const auto kernels = gpu_candidates(small, h200());
    const auto found = std::ranges::find_if(kernels, [](const GpuKernel& one) { return one.a == 64 && one.b == 64; });
    REQUIRE(found != kernels.end());
    CHECK(tiles({.a = 64, .b = 64}, small) == 120);
    // Clusters of eight would pad 15 columns of tiles to 16, 128 CTAs; four down divide the 8 rows.
    CHECK(found->across == 1);
    CHECK(found->down == 4);
  }

  TEST_CASE("49.3 K is cut where that leaves each part twenty slices") {
    CHECK(split_by_rule({.a = 64, .b = 64, .across = 4, .down = 2}, {128, 5288, 1680}, h200()) == 2);
    CHECK(split_by_rule({.a = 128, .b = 8, .across = 4, .down = 1}, {8, 5120, 5120}, h200()) == 3);
    CHECK(split_by_rule({.a = 256, .b = 128}, {4096, 4096, 4096}, h200()) == 1);
    CHECK(split_by_rule({.a = 64, .b = 8}, {8, 39 * 64, 64}, h200()) == 1);
    CHECK(split_by_rule({.a = 64, .b = 8}, {8, 40 * 64, 64}, h200()) == 2);
  }

  TEST_CASE("49.4 the choice has the least time as the library sees it") {
    GpuSpec seen = h200();
    seen.l2.request = seen.library.request;
    seen.sm.receive = seen.library.receive;
    for (const GpuGemm gemm : {GpuGemm{4096, 4096, 4096}, GpuGemm{128, 8192, 1024}, GpuGemm{1496, 1704, 160}}) {
      const double chosen = gpu_gemm_time(gemm, choose_gpu_kernel(gemm, h200()), seen, {.aligned = true}).total;
      for (const GpuKernel& kernel : gpu_candidates(gemm, h200())) {
        CHECK(chosen <= gpu_gemm_time(gemm, kernel, seen, {.aligned = true}).total);
      }
    }
    CHECK(to_text(choose_gpu_kernel({4096, 4096, 4096}, h200())) == "256x128 cluster=1x2");
  }

  TEST_CASE("49.5 kernels are written and read back; the library's names are read") {
    for (const GpuKernel& kernel : gpu_candidates({200, 8192, 640}, h200())) {
      CHECK(parse_gpu_kernel(to_text(kernel), "--map") == kernel);
    }
    CHECK(parse_gpu_kernel("tile=128x256 cluster=2x1", "--map") == GpuKernel{.a = 128, .b = 256, .across = 2});
    CHECK_THROWS_WITH_AS(static_cast<void>(parse_gpu_kernel("cluster=2x1", "--map")),
                         doctest::Contains("--map: expected a tile, columns x rows"), ConfigError);
    CHECK_THROWS_AS(static_cast<void>(parse_gpu_kernel("128", "--map")), ConfigError);
    CHECK_THROWS_AS(static_cast<void>(parse_gpu_kernel("128x128 split_k=0", "--map")), ConfigError);
    CHECK(kernel_of_library_name("nvjet_sm90_tst_192x72_64x6_1x2_h_bz_NNT") ==
          GpuKernel{.a = 192, .b = 72, .across = 1, .down = 2});
    CHECK(kernel_of_library_name("nvjet_sm90_tst_32x64_64x16_1x4_h_bz_NNN") ==
          GpuKernel{.a = 32, .b = 64, .across = 1, .down = 4, .swapped = true});
    CHECK(kernel_of_library_name("nvjet_sm90_qqtst_128x80_128x8_4x2_h_bz_algo2_TNT") ==
          GpuKernel{.a = 128, .b = 80, .across = 4, .down = 2});
    CHECK(kernel_of_library_name("nvjet_sm90_hsh_64x200_64x6_4x2_h_bz_NNT") ==
          GpuKernel{.a = 64, .b = 200, .across = 4, .down = 2});
    CHECK(kernel_of_library_name("nvjet_sm90_tst_128x8_64x12_4x1_v_bz_splitK_NNT")->split == 2);
    CHECK_FALSE(kernel_of_library_name("nvjet_sm90_tst_0x8_64x12_4x1_v_bz_NNT"));
    CHECK_FALSE(kernel_of_library_name("cutlass_80_tensorop_bf16_s16816gemm_bf16_128x128_64x3_nn_align2"));
  }
}
