// Times of operators and copies on a GPU, calculated by hand from adr/0053 for the machine of example_gpu.hpp with
// round costs of operators; and the error of topology/h200.yaml on the committed rows.
#include "sim/plan/gpu/gpu_operator.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/base/capacity_error.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/plan/gpu/gpu_copy.hpp"
#include "tests/machine/example_gpu.hpp"

using namespace kernbench;

namespace {

std::string with_costs() {
  std::string text(kExampleGpu);
  text += "operators:\n";
  const auto add = [&text](const char* key, const char* value) {
    text += std::string("  ") + key + ": {is: " + value + ", from: assumed, note: a round number}\n";
  };
  for (const auto& [key, value] : std::vector<std::pair<const char*, const char*>>{{"launch", "1 us"},
                                                                                   {"graph", "3 us"},
                                                                                   {"bandwidth", "1 TB/s"},
                                                                                   {"sustained", "500 GB/s"},
                                                                                   {"l2", "2 TB/s"},
                                                                                   {"far", "100 ns"},
                                                                                   {"gelu", "2 us"},
                                                                                   {"swish", "1 us"},
                                                                                   {"reduce", "500 ns"},
                                                                                   {"reduce_single", "200 ns"},
                                                                                   {"reduce_rate", "10 GB/s"},
                                                                                   {"norm_launch", "100 ns"},
                                                                                   {"norm_cta", "1 us"},
                                                                                   {"norm_warp", "100 ns"},
                                                                                   {"norm_step", "50 ns"},
                                                                                   {"norm_alone", "300 ns"},
                                                                                   {"softmax_row", "2 us"},
                                                                                   {"softmax_element", "1 ns"},
                                                                                   {"softmax_alone", "700 ns"},
                                                                                   {"softmax_block", "400 ns"},
                                                                                   {"softmax_step", "600 ns"},
                                                                                   {"softmax_one", "0.5"},
                                                                                   {"loss_step", "300 ns"},
                                                                                   {"loss_threads", "400 ns"},
                                                                                   {"overlap", "2"},
                                                                                   {"overlap_rows", "2"}}) {
    add(key, value);
  }
  text += "copies:\n";
  for (const auto& [key, value] : std::vector<std::pair<const char*, const char*>>{
           {"device_launch", "1 us"}, {"host_launch", "2 us"}, {"host_bandwidth", "50 GB/s"}}) {
    add(key, value);
  }
  text += "peer_copy:\n";
  for (const auto& [key, value] : std::vector<std::pair<const char*, const char*>>{
           {"bandwidth", "400 GB/s"}, {"start", "3 us"}, {"fetch", "1 us"}, {"wait", "1 us"}, {"engine", "1 us"}}) {
    add(key, value);
  }
  return text;
}

const GpuSpec& costed() {
  static const GpuSpec kGpu = gpu_of(with_costs()).spec;
  return kGpu;
}

GpuOperatorTime time_of(Operator op, std::int64_t rows, std::int64_t dimension, Dtype dtype = Dtype::kBf16,
                        const GpuOperatorConditions& conditions = {}) {
  return gpu_operator_time({op, 1, rows, dimension, dtype}, costed(), conditions);
}

const GpuOperatorConditions kFlushed{.l2 = L2State::kFlushed};

double mean_error(const std::vector<double>& errors) {
  double sum = 0;
  for (const double error : errors) sum += std::abs(error);
  return sum / static_cast<double>(errors.size());
}

nlohmann::json committed(const char* file) {
  std::ifstream in(std::string(kernbench::source_dir() + "/benches/reference/nvidia-h200/") + file);
  return nlohmann::json::parse(in).at("rows");
}

const GpuSpec& h200_gpu() {
  static const GpuSpec kGpu = load_gpu(kernbench::source_dir() + "/topology/h200.yaml").spec;
  return kGpu;
}

}  // namespace

TEST_SUITE("ADR-0053") {
  TEST_CASE("53.1 limits are joined within a kernel, kernels follow one another") {
    const GpuOperatorTime mse = time_of(Operator::kMse, 256, 1024);
    REQUIRE(mse.kernels.size() == 2);
    CHECK(mse.total == doctest::Approx(mse.kernels[0].time + mse.kernels[1].time));
    CHECK(time_of(Operator::kGelu, 64, 1024).time().ns() == doctest::Approx(1810.666).epsilon(1e-6));
  }

  TEST_CASE("53.2 elementwise kernels: CTAs of 1,024 elements, sixteen on an SM") {
    const GpuOperatorTime warm = time_of(Operator::kGelu, 64, 1024);
    CHECK(warm.kernels[0].ctas == 64);
    CHECK(warm.total == doctest::Approx(1000 + std::hypot(64 / 160.0 * 2000, 262144 / 2000.0)));
    const double sm = 64 / 160.0 * 2100;
    CHECK(time_of(Operator::kGelu, 64, 1024, Dtype::kBf16, kFlushed).total ==
          doctest::Approx(1200 + std::sqrt(sm * sm + 131.072 * 131.072 + 262.144 * 262.144)));
  }

  TEST_CASE("53.3 a mean: one CTA below 256 elements a thread, several with cleared counters above") {
    const GpuOperatorKernel one = time_of(Operator::kMse, 127, 1024).kernels[1];
    CHECK(one.ctas == 1);
    CHECK(one.time == doctest::Approx(1200 + 127 * 1024 * 2 / 10.0));
    const GpuOperatorKernel several = time_of(Operator::kMse, 128, 1024).kernels[1];
    CHECK(several.ctas == 16);
    CHECK(several.time == doctest::Approx(1500 + 128 * 1024 * 2 / 2000.0));
  }

  TEST_CASE("53.4 LayerNorm: a CTA a row, rounds over the SMs, fewer of them in fp32") {
    const GpuOperatorTime bf16 = time_of(Operator::kLayerNorm, 200, 512);
    CHECK(bf16.kernels[0].sm == doctest::Approx(1600 + 40 / 160.0 * 1600));
    CHECK(bf16.total == doctest::Approx(1100 + std::hypot(2000, 3 * 204800 / 2000.0)));
    CHECK(time_of(Operator::kLayerNorm, 200, 512, Dtype::kFp32).kernels[0].sm ==
          doctest::Approx(1600 + 80 / 120.0 * 1600));
    CHECK(time_of(Operator::kLayerNorm, 5, 2048).kernels[0].sm == doctest::Approx(4 * 300));
    // Half of the second reading misses where the 160 rows at a time are half of the spill above what is resident.
    const double middle = costed().l2.resident + costed().l2.spill / 2;
    const std::int64_t dimension = std::llround(middle / (160 * 2));
    CHECK(time_of(Operator::kLayerNorm, 1000, dimension, Dtype::kBf16, kFlushed).kernels[0].hbm ==
          doctest::Approx(1000 * static_cast<double>(dimension) * 2 * 2.5 / 1000).epsilon(1e-3));
  }

  TEST_CASE("53.5 softmax: a row in a warp, in a CTA, or read three times") {
    CHECK(time_of(Operator::kCrossEntropy, 320, 64).kernels[0].time ==
          doctest::Approx(1000 + std::hypot(700, 81920 / 2000.0)));
    CHECK(time_of(Operator::kCrossEntropy, 45, 4096).kernels[0].sm == doctest::Approx(3 * (400 + 600 * 4)));
    CHECK(time_of(Operator::kCrossEntropy, 45, 8192).kernels[0].sm == doctest::Approx(5 * (400 + 600 * 8 * 0.5)));
    CHECK(time_of(Operator::kCrossEntropy, 10, 16384).kernels[0].l2 == doctest::Approx(4 * 327680 / 2000.0));
  }

  TEST_CASE("53.6 losses are added up by one CTA, row after row") {
    CHECK(loss_threads(128) == 32);
    CHECK(loss_threads(2304) == 128);
    CHECK(loss_threads(7680) == 512);
    CHECK(loss_threads(1000000) == 1024);
    const GpuOperatorKernel loss = time_of(Operator::kCrossEntropy, 320, 64).kernels[1];
    CHECK(loss.ctas == 1);
    CHECK(loss.time == doctest::Approx(1000 + 10 * std::hypot(300, 12.5)));
  }

  TEST_CASE("53.7 as measured: the graph around a sample's operators, HBM's sustained rate for one by itself") {
    CHECK(operators_of_sample(1000) == 64);
    CHECK(operators_of_sample(20001) == 10);
    CHECK(operators_of_sample(200000) == 1);
    const OperatorProblem small{Operator::kGelu, 1, 64, 1024, Dtype::kBf16};
    CHECK(measured_operator_ns(small, costed(), L2State::kWarm) ==
          doctest::Approx(gpu_operator_time(small, costed()).total + 3000 / 64.0));
    const OperatorProblem large{Operator::kSwish, 1, 100000, 1024, Dtype::kBf16};
    CHECK(measured_operator_ns(large, costed(), L2State::kWarm) ==
          doctest::Approx(gpu_operator_time(large, costed(), {.sustained = true}).total + 3000));
  }

  TEST_CASE("53.8 copies: a launch and bytes") {
    CHECK(gpu_copy_ns(GpuCopy::kDeviceToDevice, 1000000, costed()) == doctest::Approx(3000));
    CHECK(gpu_copy_ns(GpuCopy::kDeviceToDevice, 100000000, costed()) == doctest::Approx(401000));
    CHECK(gpu_copy_ns(GpuCopy::kHostToDevice, 1000000, costed()) == doctest::Approx(22000));
    CHECK(gpu_copy_ns(GpuCopy::kPeerBidirectional, 1000000, costed()) == doctest::Approx(5500));
  }

  TEST_CASE("53.9 the errors on rows that nothing was fitted to are within what the page says") {
    std::map<std::string, std::vector<double>> errors;
    for (const nlohmann::json& row : committed("operators.json")) {
      const nlohmann::json& point = row.at("point");
      if (row.at("status") != "ok" || point.at("implementation") != "pytorch") continue;
      const OperatorProblem problem{parse_operator(point.at("operation").get<std::string>(), "operation"),
                                    point.at("batch_size"), point.at("sequence_length"), point.at("tensor_dimension"),
                                    parse_dtype(point.at("dtype").get<std::string>(), "dtype")};
      const L2State l2 = kL2States.parse(point.at("l2").get<std::string>());
      errors[problem.op == Operator::kCrossEntropy ? "cross_entropy" : "others"].push_back(
          measured_operator_ns(problem, h200_gpu(), l2) / row.at("metrics").at("time_ns").get<double>() - 1);
    }
    CHECK(errors["others"].size() == 288);
    CHECK(mean_error(errors["others"]) < 0.05);
    CHECK(mean_error(errors["cross_entropy"]) < 0.09);
  }

  TEST_CASE("53.10 what is not known, or does not fit, is refused") {
    CHECK_THROWS_WITH_AS((void)gpu_operator_time({Operator::kRotary, 1, 2, 64}, costed()),
                         "operator rotary: expected layernorm, gelu, swish, mse or cross_entropy, whose kernels on "
                         "GPUs are known",
                         ConfigError);
    CHECK_THROWS_AS((void)time_of(Operator::kGelu, 300000, 1024), CapacityError);
    const GpuSpec bare = gpu_of(kExampleGpu).spec;
    CHECK_THROWS_AS((void)gpu_operator_time({Operator::kGelu, 1, 2, 64}, bare), ConfigError);
    CHECK_THROWS_AS((void)gpu_copy_ns(GpuCopy::kPeer, 1, bare), ConfigError);
  }
}
