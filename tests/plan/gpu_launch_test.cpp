// How products follow one another on a GPU (adr/0061).
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/base/source_dir.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"
#include "sim/plan/gpu/gpu_power.hpp"

using namespace kernbench;

namespace {

const GpuSpec& h200() {
  static const GpuSpec kGpu = load_gpu(kernbench::source_dir() + "/topology/h200.yaml").spec;
  return kGpu;
}

GpuGemmTime launched(const GpuGemm& gemm, GpuLaunching launching, const GpuSpec& gpu = h200()) {
  return gpu_gemm_time(gemm, choose_gpu_kernel(gemm, gpu), gpu, {.launching = launching});
}

/// At one clock, so that what switches does not differ.
double at_one_clock(const GpuGemm& gemm, const GpuKernel& kernel, GpuLaunching launching) {
  return gpu_gemm_time(gemm, kernel, h200(), {.launching = launching, .clock = 1.5}).total;
}

}  // namespace

TEST_SUITE("ADR-0061") {
  TEST_CASE("61.1 on a stream each kernel of a product takes so much more") {
    const GpuGemm small{512, 512, 512, Dtype::kBf16};
    const GpuKernel whole{.a = 128, .b = 128};
    const GpuKernel cut{.a = 128, .b = 128, .split = 4};
    CHECK(kernels_of(whole) == 1);
    CHECK(kernels_of(cut) == 1);
    for (const GpuKernel& kernel : {whole, cut}) {
      CHECK(at_one_clock(small, kernel, GpuLaunching::kStream) - at_one_clock(small, kernel, GpuLaunching::kGraph) ==
            doctest::Approx(970));
    }
    // The older ones' second kernel is launched on its own.
    const GpuGemm tf32{128, 1024, 1024, Dtype::kTf32};
    const GpuKernel parts = choose_gpu_kernel(tf32, h200());
    REQUIRE(parts.split > 1);
    REQUIRE(!parts.in_place);
    CHECK(kernels_of(parts) == 2);
    CHECK(at_one_clock(tf32, parts, GpuLaunching::kStream) - at_one_clock(tf32, parts, GpuLaunching::kGraph) ==
          doctest::Approx(2 * 970));
    // A kernel of an older kind that adds up in place is one.
    const GpuGemm odd{1000, 4000, 333, Dtype::kBf16};
    GpuKernel older = choose_gpu_kernel(odd, h200());
    REQUIRE(older.family != GpuFamily::kNewest);
    CHECK(at_one_clock(odd, older, GpuLaunching::kStream) - at_one_clock(odd, older, GpuLaunching::kGraph) ==
          doctest::Approx(970 * kernels_of(older)));
  }

  TEST_CASE("61.1 from a late host a product takes what the host does, and no less than on a stream") {
    const GpuGemm small{512, 512, 512, Dtype::kBf16};
    CHECK(launched(small, GpuLaunching::kEager).total == doctest::Approx(14'500));
    CHECK(launched(small, GpuLaunching::kEager).limit() == "the host's launches");
    CHECK(launched(small, GpuLaunching::kStream).wait == 0);
    const GpuGemm large{2048, 2048, 2048, Dtype::kBf16};
    CHECK(launched(large, GpuLaunching::kEager).total == launched(large, GpuLaunching::kStream).total);
    // At the edge: a host as fast as the stream, and one a picosecond slower.
    GpuSpec gpu = h200();
    gpu.launch.host = launched(small, GpuLaunching::kStream).total;
    CHECK(launched(small, GpuLaunching::kEager, gpu).wait == 0);
    gpu.launch.host += 0.001;
    CHECK(launched(small, GpuLaunching::kEager, gpu).wait == doctest::Approx(0.001).epsilon(1e-6));
  }

  TEST_CASE("61.1 products on a stream and from a late host, measured after they had been predicted") {
    std::ifstream in(kernbench::source_dir() + "/benches/reference/nvidia-h200/launches.json");
    double graph = 0;
    double stream = 0;
    double ignored = 0;
    double eager = 0;
    int rows = 0;
    const auto data = nlohmann::json::parse(in);
    for (const auto& row : data.at("rows")) {
      const auto& point = row.at("point");
      const std::string dtype = point.at("dtype");
      const GpuGemm gemm{point.at("m"), point.at("k"), point.at("n"),
                         parse_dtype(dtype == "fp8_e4m3" ? "fp8" : dtype, "dtype")};
      const auto measured = [&row](const char* name) { return row.at("metrics").at(name).get<double>(); };
      GpuSpec gpu = h200();
      gpu.launch.host = measured("host_ns");
      const auto error = [&](GpuLaunching launching, const char* name) {
        return 100 * std::abs(launched(gemm, launching, gpu).total / measured(name) - 1);
      };
      graph += error(GpuLaunching::kGraph, "time_ns");
      stream += error(GpuLaunching::kStream, "stream_ns");
      ignored += error(GpuLaunching::kGraph, "stream_ns");
      eager += error(GpuLaunching::kEager, "eager_ns");
      ++rows;
    }
    CHECK(rows == 56);
    CHECK(graph / rows == doctest::Approx(6.3).epsilon(0.01));
    CHECK(stream / rows == doctest::Approx(6.2).epsilon(0.01));
    CHECK(ignored / rows == doctest::Approx(11.0).epsilon(0.01));
    CHECK(eager / rows == doctest::Approx(6.8).epsilon(0.01));
  }

  TEST_CASE("61.2 SMs that wait for the host draw idle power: the same energy a product, over more time") {
    const GpuGemm small{1024, 1024, 1024, Dtype::kBf16};
    const GpuKernel kernel = choose_gpu_kernel(small, h200());
    const auto watts = [&](GpuLaunching launching) {
      return gpu_power(small, kernel, h200(), {.launching = launching, .clock = 1.5}) - h200().power.idle;
    };
    const double graph = watts(GpuLaunching::kGraph);
    for (const GpuLaunching launching : {GpuLaunching::kStream, GpuLaunching::kEager}) {
      CHECK(watts(launching) * at_one_clock(small, kernel, launching) ==
            doctest::Approx(graph * at_one_clock(small, kernel, GpuLaunching::kGraph)));
    }
    const auto clock = [&](GpuLaunching launching) {
      return governed_clock(GpuState::kSteady, small, kernel, h200(), {.launching = launching});
    };
    CHECK(clock(GpuLaunching::kEager) >= clock(GpuLaunching::kGraph));
    CHECK(clock(GpuLaunching::kEager) == h200().sm.clock);
  }
}
