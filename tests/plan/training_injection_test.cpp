// What is injected into a training run: how it is written, and on what it acts.
#include "sim/plan/training_injection.hpp"

#include <doctest/doctest.h>

#include "sim/plan/network/package_clock.hpp"
#include "tests/support/error_of.hpp"

using namespace kernbench;

namespace {

const TrainingStep& step() {
  static const TrainingStep planned = plan_training_step({{8, 16, 16}, {8, 16, 16}}, 0);
  return planned;
}

std::vector<TrainingInjection> parsed(const std::string& text) {
  return parse_injections(text, {.ranks = 4, .steps = 6, .step = &step()}, "--inject");
}

std::string refusal(const std::string& text) {
  return ::error_of([&] { static_cast<void>(parsed(text)); });
}

}  // namespace

TEST_SUITE("ADR-0041") {
  TEST_CASE("41.10 an injection acts on its rank, steps and GEMM, and on nothing else") {
    const std::vector<TrainingInjection> all = parsed(
        "rank=2,steps=3..5,clock=0.9; rank=1,steps=2,delay=200us;rank=0,gemm=layer1.wgrad,extra=50 us; "
        "rank=0,steps=1..2,gemm=4,extra=1 ns; rank=1,steps=0..5,delay=1 ps");
    REQUIRE(all.size() == 5);
    for (std::int64_t at = 0; at < 6; ++at) {
      for (std::int32_t rank = 0; rank < 4; ++rank) {
        CHECK(injected_clock(all, rank, at) == (rank == 2 && at >= 3 ? 900'000 : kOwnClock));
        const std::int64_t delay = rank != 1 ? 0 : at == 2 ? 200'000'001 : 1;
        CHECK(injected_delay(all, rank, at).value == delay);
        for (std::size_t gemm = 0; gemm < step().gemms.size(); ++gemm) {
          std::int64_t extra = 0;
          if (rank == 0 && step().gemms[gemm].name == "layer1.wgrad") extra += 50'000'000;
          if (rank == 0 && gemm == 4 && (at == 1 || at == 2)) extra += 1000;
          CHECK(injected_extra(all, rank, at, gemm).value == extra);
        }
      }
    }
  }

  TEST_CASE("41.10 a wrong injection is refused with its text, the field and what was expected") {
    CHECK(refusal("rank=4,clock=0.9") == "--inject 'rank=4,clock=0.9': rank: expected 0 to 3, got 4");
    CHECK(refusal("clock=0.9") == "--inject 'clock=0.9': expected rank=VALUE, got none");
    CHECK(refusal("rank=1") == "--inject 'rank=1': expected one of clock, delay, extra, got 0 of them");
    CHECK(refusal("rank=1,clock=0.9,delay=1us").find("got 2 of them") != std::string::npos);
    CHECK(refusal("rank=1,steps=4..3,clock=0.9").find("steps: expected FIRST..LAST in order, got 4..3") !=
          std::string::npos);
    CHECK(refusal("rank=1,steps=6,clock=0.9").find("steps: expected 0 to 5, got 6") != std::string::npos);
    CHECK(refusal("rank=1,clock=0").find("clock: expected 0.01 to 100") != std::string::npos);
    CHECK(refusal("rank=1,delay=5").find("delay: expected a time such as") != std::string::npos);
    CHECK(refusal("rank=1,extra=5us").find("expected gemm=VALUE, got none") != std::string::npos);
    CHECK(refusal("rank=1,gemm=2,clock=0.5").find("gemm: expected extra=TIME beside it") != std::string::npos);
    CHECK(refusal("rank=1,gemm=layer1.wgrat,extra=5us").find("did you mean 'layer1.wgrad'?") != std::string::npos);
    CHECK(refusal("rank=1,gemm=5,extra=5us").find("gemm: expected 0 to 4, got 5") != std::string::npos);
    CHECK(refusal("rank=1,rank=2,clock=0.9").find("rank: expected once, got it twice") != std::string::npos);
    CHECK(refusal("rank=1,clok=0.9").find("did you mean 'clock'?") != std::string::npos);
    CHECK(refusal("rank=1;").find("expected one of") != std::string::npos);
    CHECK(refusal("rank=1,steps=0..3,clock=0.9;rank=1,steps=3,clock=0.8").find("rank 1 is set twice in step 3") !=
          std::string::npos);
    CHECK(refusal("rank=1,steps=0..2,clock=0.9;rank=1,steps=3,clock=0.8;rank=2,clock=0.8").empty());
  }
}
