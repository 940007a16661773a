// Rows of operators on GPUs: their parts, and a bound that no operator beats.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "benches/results/rows/row_from_operator.hpp"
#include "sim/base/capacity_error.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/machine/gpu/load_gpu.hpp"

using namespace kernbench;

TEST_SUITE("ADR-0053") {
  TEST_CASE("53.11 no operator is faster than its bytes at the rate of HBM, or of the L2 where that has them") {
    const GpuSpec gpu = load_gpu(source_dir() + "/topology/h200.yaml").spec;
    const auto check = [&gpu] {
      const OperatorProblem problem{
          *rc::gen::elementOf(std::vector{Operator::kLayerNorm, Operator::kGelu, Operator::kSwish, Operator::kMse,
                                          Operator::kCrossEntropy}),
          *rc::gen::inRange<std::int64_t>(1, 65), *rc::gen::inRange<std::int64_t>(1, 2049),
          *rc::gen::inRange<std::int64_t>(1, 16385), *rc::gen::element(Dtype::kBf16, Dtype::kFp16, Dtype::kFp32)};
      const L2State l2 = *rc::gen::element(L2State::kWarm, L2State::kFlushed);
      const Row row = row_of_gpu_operator(problem, gpu, l2);
      const double bytes = static_cast<double>(problem.least_read() + problem.least_written());
      const double bound = bytes / (l2 == L2State::kFlushed ? gpu.operators.bandwidth : gpu.operators.l2);
      RC_ASSERT(row.metrics.json().at("roofline_ns").get<double>() == bound);
      RC_ASSERT(row_of_gpu_operator_bound(problem, gpu, l2).metrics.json().at("time_ns").get<double>() == bound);
      RC_ASSERT(row.metrics.json().at("efficiency").get<double>() ==
                bound / row.metrics.json().at("time_ns").get<double>());
      RC_ASSERT(row.metrics.json().at("efficiency").get<double>() < 1);
      RC_ASSERT(row.metrics.json().at("throughput_gbps").get<double>() ==
                bytes / row.metrics.json().at("time_ns").get<double>());
    };
    CHECK(rc::check(check));
  }

  TEST_CASE("53.5 a row of more classes than there is a cost of says that its time is a least one") {
    const GpuSpec gpu = load_gpu(source_dir() + "/topology/h200.yaml").spec;
    const auto flags = [&gpu](Operator op, std::int64_t dimension) {
      return row_of_gpu_operator({op, 1, 1024, dimension, Dtype::kBf16}, gpu, L2State::kWarm).flags;
    };
    CHECK(flags(Operator::kCrossEntropy, 8192).empty());
    CHECK(flags(Operator::kCrossEntropy, 8193) == std::vector<std::string>{"no_sm_work"});
    CHECK(flags(Operator::kLayerNorm, 8193).empty());
  }

  TEST_CASE("53.11 the parts of a row are those of its kernels, and what is not known has no bound") {
    const GpuSpec gpu = load_gpu(source_dir() + "/topology/h200.yaml").spec;
    const OperatorProblem problem{Operator::kCrossEntropy, 1, 4096, 32000, Dtype::kBf16};
    const Row row = row_of_gpu_operator(problem, gpu, L2State::kFlushed);
    const GpuOperatorTime time = gpu_operator_time(problem, gpu, {.l2 = L2State::kFlushed});
    REQUIRE(time.kernels.size() == 2);
    CHECK(row.metrics.json().at("launch_ns").get<double>() == time.kernels[0].launch + time.kernels[1].launch);
    CHECK(row.metrics.json().at("hbm_ns").get<double>() == time.kernels[0].hbm + time.kernels[1].hbm);
    CHECK(row.metrics.json().at("kernels").get<std::string>().starts_with("softmax "));
    CHECK_THROWS_AS((void)row_of_gpu_operator_bound({Operator::kRotary, 1, 2, 64}, gpu, L2State::kWarm), CapacityError);
  }
}
