// A product beside a collective (adr/0050): the cliff, what measured rows say, what each mechanism is worth.
#include "sim/system/gpu/gpu_beside.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/machine/gpu/load_gpu.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"

using namespace kernbench;

namespace {

const GpuSpec& h200_x4() {
  static const GpuSpec kGpu = load_gpu(KERNBENCH_SOURCE_DIR "/topology/h200_x4.yaml").spec;
  return kGpu;
}

GpuBesideCase beside_of(const GpuGemm& gemm, Bytes bytes, std::int64_t channels, std::int64_t threads = 0) {
  GpuBesideCase asked;
  asked.product = {gemm, choose_gpu_kernel(gemm, h200_x4()), L2State::kWarm};
  asked.collective = {Collective::kAllReduce, 4, bytes, channels, threads, NcclLaunch::kGraph};
  return asked;
}

struct Measured {
  GpuBesideCase asked;
  double product = 0;     ///< us
  double collective = 0;  ///< us; 0: not known
};

std::vector<Measured> calibration() {
  std::vector<Measured> rows;
  const std::filesystem::path file =
      std::filesystem::path(KERNBENCH_SOURCE_DIR) / "../shared/data/h200_calibration/overlap.json";
  if (!std::filesystem::exists(file)) {
    MESSAGE("skipped: there is no ../shared/data/h200_calibration/overlap.json beside the source tree");
    return rows;
  }
  std::ifstream in(file);
  const auto data = nlohmann::json::parse(in);
  for (const auto& row : data.at("rows")) {
    const GpuGemm gemm{row.at("m"), row.at("k"), row.at("n"), Dtype::kBf16};
    const GpuBesideCase asked =
        beside_of(gemm, row.at("mb").get<std::int64_t>() << 20U, row.at("channels").get<std::int64_t>());
    rows.push_back({asked, row.at("gemm_with"), row.at("coll_with")});
  }
  return rows;
}

/// Medians of the kernels that collectives overlap by more than 99 %, over all ranks, from the traces of the overlap
/// sweep in benches/reference/nvidia-h200/traces. None of them was fitted to.
std::vector<Measured> traces() {
  struct Row {
    std::int64_t channels, threads;
    double narrow, wide;  // us
  };
  std::vector<Measured> rows;
  for (const Row& row : {Row{28, 256, 483, 423}, Row{28, 512, 472, 452}, Row{42, 256, 545, 468},
                         Row{42, 512, 549, 537}, Row{56, 256, 483, 475}, Row{56, 512, 0, 575}, Row{64, 256, 480, 491},
                         Row{64, 512, 615, 623}}) {
    GpuBesideCase narrow = beside_of({2048, 8192, 8192}, 128 << 20, row.channels, row.threads);
    narrow.product.kernel = {.a = 256, .b = 128, .across = 1, .down = 2};
    GpuBesideCase wide = beside_of({8192, 2048, 8192}, 128 << 20, row.channels, row.threads);
    wide.product.kernel = {.a = 320, .b = 128, .across = 1, .down = 2};
    if (row.narrow > 0) rows.push_back({narrow, row.narrow, 0});
    rows.push_back({wide, row.wide, 0});
  }
  return rows;
}

struct Error {
  double product = 0;  ///< mean of |predicted / measured - 1|
  double collective = 0;
};

Error error_of(const std::vector<Measured>& rows, const GpuRunSettings& settings = {}, const GpuSpec& gpu = h200_x4()) {
  Error error;
  for (const Measured& row : rows) {
    const GpuBeside beside = run_beside(row.asked, gpu, settings);
    const double product = beside.product.ns() / 1000 / row.product - 1;
    error.product += std::abs(product) / static_cast<double>(rows.size());
    if (row.collective > 0) {
      error.collective += std::abs(beside.collective.ns() / 1000 / row.collective - 1) / static_cast<double>(rows.size());
    }
    if (getenv("KB_SHOW")) std::printf("%ldx%ldx%ld %s ch %ld thr %ld: alone %.1f product %.1f / %.1f %+.1f%%  collective alone %.1f %.1f / %.1f  kept %ld rounds %ld->%ld\n",
      row.asked.product.gemm.m,row.asked.product.gemm.k,row.asked.product.gemm.n,to_text(row.asked.product.kernel).c_str(),row.asked.collective.channels,row.asked.collective.threads,
      beside.product_alone.total/1000,beside.product.ns()/1000,row.product,100*product,beside.collective_alone.total/1000,beside.collective.ns()/1000,row.collective,beside.products,beside.rounds,beside.rounds_left);
  }
  return error;
}

}  // namespace

TEST_SUITE("ADR-0050") {
  TEST_CASE("50.9 rows") {
    GpuSpec g = h200_x4(); if (getenv("DC")) g.nccl.droop = atof(getenv("DC")); if (getenv("BS")) g.nccl.beside = atof(getenv("BS")); Error e = error_of(calibration(), {}, g);
    MESSAGE("calibration product " << e.product << " collective " << e.collective);
    e = error_of(traces(), {}, g);
    MESSAGE("traces product " << e.product);
  }
}
