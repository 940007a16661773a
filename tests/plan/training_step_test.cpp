// A training step as data: which GEMMs in which order, and which gradients travel together.
#include "sim/plan/training_step.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "tests/support/error_of.hpp"

using namespace kernbench;

namespace {

std::string text_of(const TrainingStep& step) {
  std::string text;
  std::size_t bucket = 0;
  for (const TrainingGemm& gemm : step.gemms) {
    text += gemm.name + " " + std::to_string(gemm.problem.m) + "x" + std::to_string(gemm.problem.k) + "x" +
            std::to_string(gemm.problem.n) + " @" + std::to_string(gemm.launch) + "; ";
    while (bucket < step.buckets.size() && step.buckets[bucket].launch == gemm.launch + 1) {
      text += "all_reduce " + std::to_string(step.buckets[bucket].elements) + " of " +
              std::to_string(step.buckets[bucket].gemms) + "; ";
      ++bucket;
    }
  }
  return text;
}

std::vector<TrainingLayer> random_layers() {
  return *rc::gen::nonEmpty(rc::gen::container<std::vector<TrainingLayer>>(rc::gen::apply(
      [](std::int64_t m, std::int64_t k, std::int64_t n) {
        return TrainingLayer{m, k, n};
      },
      rc::gen::inRange<std::int64_t>(1, 200), rc::gen::inRange<std::int64_t>(1, 200),
      rc::gen::inRange<std::int64_t>(1, 200))));
}

}  // namespace

TEST_SUITE("ADR-0041") {
  TEST_CASE("41.1 a step is forward, then backward from the last layer, without the first input's gradient") {
    const TrainingStep step = plan_training_step({{8, 16, 32}, {8, 32, 64}}, 0);
    CHECK(text_of(step) ==
          "layer0.forward 8x16x32 @0; layer1.forward 8x32x64 @1; layer1.dgrad 8x64x32 @2; layer1.wgrad 32x8x64 @3; "
          "all_reduce 2048 of 1; layer0.wgrad 16x8x32 @5; all_reduce 512 of 1; ");
    CHECK(step.launches == 7);
    CHECK(::error_of([] { static_cast<void>(plan_training_step({}, 0)); }) ==
          "a training step: expected at least one layer, got none");
    CHECK(::error_of([] { static_cast<void>(plan_training_step({{8, 0, 8}}, 0)); }).find("k") != std::string::npos);
  }

  TEST_CASE("41.1 every layer's multiplications are done forward and for both gradients but the first input's") {
    CHECK(rc::check([] {
      const std::vector<TrainingLayer> layers = random_layers();
      const TrainingStep step = plan_training_step(layers, *rc::gen::inRange<Bytes>(0, 100'000));
      std::int64_t macs = -layers.front().m * layers.front().k * layers.front().n;
      for (const TrainingLayer& layer : layers) macs += 3 * layer.m * layer.k * layer.n;
      for (const TrainingGemm& gemm : step.gemms) macs -= gemm.problem.macs();
      RC_ASSERT(macs == 0);
      RC_ASSERT(step.gemms.size() == 3 * layers.size() - 1);
    }));
  }

  TEST_CASE("41.2 a bucket is closed by the gradient that fills it, the last by the last gradient") {
    const std::vector<TrainingLayer> layers(3, TrainingLayer{8, 16, 16});  // 512 B each
    CHECK(text_of(plan_training_step(layers, 513)).find("layer1.wgrad 16x8x16 @6; all_reduce 512 of 2; ") !=
          std::string::npos);
    CHECK(plan_training_step(layers, 512).buckets.size() == 3);
    CHECK(plan_training_step(layers, 513).buckets.size() == 2);
    CHECK(plan_training_step(layers, 1025).buckets.size() == 1);
  }

  TEST_CASE("41.2 every gradient is in one bucket, which its last one launches") {
    CHECK(rc::check([] {
      const std::vector<TrainingLayer> layers = random_layers();
      const Bytes limit = *rc::gen::inRange<Bytes>(0, 100'000);
      const TrainingStep step = plan_training_step(layers, limit);
      std::vector<std::int64_t> elements(step.buckets.size());
      std::vector<std::int64_t> gemms(step.buckets.size());
      std::vector<std::int64_t> last(step.buckets.size());
      std::int64_t before = 0;
      for (const TrainingGemm& gemm : step.gemms) {
        RC_ASSERT((gemm.bucket >= 0) == (gemm.pass == GemmPass::kWeightGradient));
        if (gemm.bucket < 0) continue;
        RC_ASSERT(gemm.bucket >= before);
        before = gemm.bucket;
        const auto at = static_cast<std::size_t>(gemm.bucket);
        RC_ASSERT(elements[at] * kElementBytes < limit || gemms[at] == 0);  // it was open
        elements[at] += gemm.problem.m * gemm.problem.n;
        ++gemms[at];
        last[at] = gemm.launch;
      }
      for (std::size_t i = 0; i < step.buckets.size(); ++i) {
        RC_ASSERT(step.buckets[i].elements == elements[i]);
        RC_ASSERT(step.buckets[i].gemms == gemms[i]);
        RC_ASSERT(step.buckets[i].launch == last[i] + 1);
        RC_ASSERT(i + 1 == step.buckets.size() || elements[i] * kElementBytes >= limit);
      }
    }));
  }
}
