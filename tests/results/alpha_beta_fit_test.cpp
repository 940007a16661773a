// Lines that were put in come out.
#include "benches/results/statistics/alpha_beta_fit.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/support/near.hpp"

using namespace kernbench;

namespace {

/// Sizes 16 B, 32 B, ... 64 MiB with the time of the line that each size is on.
std::vector<SizeAndTime> points_on(const std::vector<AlphaBetaSegment>& lines) {
  std::vector<SizeAndTime> points;
  std::size_t line = 0;
  for (Bytes bytes = 16; bytes <= Bytes{64} << 20; bytes *= 2) {
    if (line + 1 < lines.size() && bytes >= lines[line + 1].first_bytes) ++line;
    points.push_back({bytes, lines[line].time_ns(bytes)});
  }
  return points;
}

/// 1 us up to 8 KiB, then ten times as steep, then steep from 1 MiB on.
const std::vector<AlphaBetaSegment> kThree{{16, 0, 1000, 0.001}, {8192, 0, 3000, 0.01}, {1048576, 0, 40000, 0.0025}};

}  // namespace

TEST_SUITE("ADR-0018") {
  TEST_CASE("18.11 piecewise data is recovered: lines, breakpoints, no error") {
    const AlphaBetaFit fit = fit_alpha_beta(points_on(kThree));
    REQUIRE(fit.segments.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(fit.segments[i].first_bytes == kThree[i].first_bytes);
      CHECK(near(fit.segments[i].alpha_ns, kThree[i].alpha_ns, 1e-9));
      CHECK(near(fit.segments[i].beta_ns_per_byte, kThree[i].beta_ns_per_byte, 1e-9));
    }
    CHECK(fit.segments[0].last_bytes == 4096);
    CHECK(fit.segments[2].last_bytes == 67108864);
    CHECK(fit.max_relative_error < 1e-12);
  }

  TEST_CASE("18.11 one line stays one line, in any order of the points and with noise below 1 %") {
    auto points = points_on({{16, 0, 936.25, 0.0025}});
    std::swap(points.front(), points.back());
    const AlphaBetaFit exact = fit_alpha_beta(points);
    REQUIRE(exact.segments.size() == 1);
    CHECK(near(exact.segments[0].alpha_ns, 936.25, 1e-9));
    CHECK(near(exact.segments[0].beta_ns_per_byte, 0.0025, 1e-9));
    for (std::size_t i = 0; i < points.size(); ++i) points[i].time_ns *= i % 2 == 0 ? 1.005 : 0.995;
    const AlphaBetaFit noisy = fit_alpha_beta(points);
    REQUIRE(noisy.segments.size() == 1);
    CHECK(near(noisy.segments[0].alpha_ns, 936.25, 0.01));
    CHECK(near(noisy.segments[0].beta_ns_per_byte, 0.0025, 0.01));
    CHECK(noisy.max_relative_error < 0.01);
    CHECK(near(noisy.rms_relative_error, 0.005, 0.1));
  }

  TEST_CASE("18.11 noise of 3 % moves no breakpoint between lines that far apart") {
    CHECK(rc::check([] {
      auto points = points_on({{16, 0, 1000, 0.0001}, {65536, 0, 20000, 0.01}});
      for (SizeAndTime& point : points) {
        point.time_ns *= 1 + 0.01 * static_cast<double>(*rc::gen::inRange(-3, 4));
      }
      const AlphaBetaFit fit = fit_alpha_beta(points);
      RC_ASSERT(fit.segments.size() >= 2u);
      bool found = false;
      for (const AlphaBetaSegment& segment : fit.segments) found = found || segment.first_bytes == 65536;
      RC_ASSERT(found);
      RC_ASSERT(fit.rms_relative_error <= 0.03);
    }));
  }

  TEST_CASE(
      "18.11 no start-up is negative: a step between two sizes begins a proportional line of two points or more") {
    // The buffers of a ring all_reduce leave TCM between 4 and 16 MiB: one line through both has an alpha of -54 us.
    const std::vector<SizeAndTime> ring{{16, 238.952},        {64, 239.288},          {256, 240.59},
                                        {1024, 245.84},       {4096, 280.84},         {16384, 448.84},
                                        {65536, 896.84},      {262144, 2524.284},     {1048576, 9034.06},
                                        {4194304, 35073.164}, {16777216, 327293.442}, {67108864, 1307125.505}};
    const AlphaBetaFit fit = fit_alpha_beta(ring);
    REQUIRE(fit.segments.size() == 4);
    CHECK(fit.segments[3].first_bytes == 16777216);
    CHECK(fit.segments[3].alpha_ns == 0);
    CHECK(near(fit.segments[3].beta_ns_per_byte, 0.0194929, 1e-5));  // sum(b / t) / sum((b / t)^2)
    CHECK(fit.segments[2].last_bytes == 4194304);
    CHECK(fit.max_relative_error < 0.02);
    CHECK(rc::check([] {
      std::vector<SizeAndTime> points;
      for (Bytes bytes = 16; bytes <= Bytes{64} << 20; bytes *= 4) {
        points.push_back({bytes, *rc::gen::inRange(1, 1000000) * 1e-3 * (1 + static_cast<double>(bytes) / 1000)});
      }
      for (const AlphaBetaSegment& segment : fit_alpha_beta(points).segments) {
        RC_ASSERT(segment.alpha_ns >= 0);
        RC_ASSERT(segment.beta_ns_per_byte >= 0);
        RC_ASSERT(segment.first_bytes < segment.last_bytes);
      }
    }));
  }

  TEST_CASE("18.11 no more than four lines, of three points or two from the origin; none that gains less than 20 %") {
    std::vector<SizeAndTime> points;
    for (Bytes i = 1; i <= 40; ++i) points.push_back({i * i, 100.0 + static_cast<double>(i * i * i * i)});
    CHECK(fit_alpha_beta(points).segments.size() == 4);
    points.resize(8);
    CHECK(fit_alpha_beta(points).segments.size() == 3);  // 3 + 3 + 2
    points.resize(5);
    CHECK(fit_alpha_beta(points).segments.size() == 2);
    points.resize(3);
    CHECK(fit_alpha_beta(points).segments.size() == 1);
    // Noise all over: a second line does not help by a fifth.
    std::vector<SizeAndTime> noise;
    for (Bytes i = 0; i < 40; ++i) noise.push_back({1000 + i, i % 2 == 0 ? 100.0 : 104.0});
    CHECK(fit_alpha_beta(noise).segments.size() == 1);
  }

  TEST_CASE("18.11 no point, one point, one size") {
    CHECK(fit_alpha_beta({}).segments.empty());
    const AlphaBetaFit one = fit_alpha_beta({{64, 500}});
    REQUIRE(one.segments.size() == 1);
    CHECK(near(one.segments[0].alpha_ns, 500, 1e-12));
    CHECK(one.segments[0].beta_ns_per_byte == 0);
    const AlphaBetaFit same = fit_alpha_beta({{64, 100}, {64, 200}});
    REQUIRE(same.segments.size() == 1);
    CHECK(near(same.segments[0].alpha_ns, 120, 1e-12));  // weights 1 / time^2: (1/100 + 1/200) / (1/100^2 + 1/200^2)
    CHECK(near(same.max_relative_error, 0.4, 1e-12));
  }
}
