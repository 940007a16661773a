// What the analysis of traces says of simulated training steps, held against what is true of them: over 32 runs each,
// which seeds draw.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/trace_analysis/simulated_run.hpp"

using namespace kernbench;
using traces::TracePs;

namespace {

constexpr unsigned kRuns = 32;
constexpr std::int64_t kSteps = 2;
constexpr std::int64_t kDisturbed = 1;   ///< the step
constexpr TracePs kTouched = 1'000'000;  ///< ps that a delay of 40 µs makes a rank later than the others

double ratio(std::int64_t part, std::int64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

/// Of all GEMMs with a baseline, ps.
struct Contention {
  std::int64_t truth = 0;
  std::int64_t said = 0;
  [[nodiscard]] bool is_within(double share) const { return std::abs(ratio(said, truth) - 1) <= share; }
};

Contention contention_of(const SimulatedRun& run) {
  Contention sum;
  for (const CausedGemm& gemm : run.gemms()) {
    REQUIRE(gemm.cause.base);
    sum.truth += gemm.contention;
    sum.said += gemm.cause.contention;
  }
  return sum;
}

/// A rank's clock, and a GEMM that takes longer on that rank and on another, all in the last step.
struct Disturbance {
  std::int64_t rank;
  double clock;
  std::int64_t other_rank;
  std::string gemm;

  explicit Disturbance(unsigned seed) {
    std::mt19937 random(1000 + seed);
    rank = static_cast<std::int64_t>(random() % 4);
    other_rank = (rank + 1 + static_cast<std::int64_t>(random() % 3)) % 4;
    clock = std::vector<double>{0.5, 0.8, 0.9, 1.25}[random() % 4];
    const std::string pass = random() % 2 == 0 ? ".forward" : ".dgrad";
    gemm = "layer" + std::to_string(1 + random() % 3) + pass;
  }
  [[nodiscard]] std::string text() const {
    const std::string step = ",steps=" + std::to_string(kDisturbed) + ",";
    const std::string longer = "gemm=" + gemm + ",extra=20us";
    const std::string on_rank = "rank=" + std::to_string(rank) + step;
    return on_rank + "clock=" + std::to_string(clock) + ";" + on_rank + longer + ";rank=" + std::to_string(other_rank) +
           step + longer;
  }
  [[nodiscard]] bool has_clock(const CausedGemm& of) const { return of.step == kDisturbed && of.rank == rank; }
  /// Of a factor on times, relative to what the clock makes of them.
  [[nodiscard]] double error(double factor) const { return std::abs(factor * clock - 1); }
};

/// How far a GEMM's own time is from what the clock makes of it, at most: what rounded times do to who comes first.
double clock_error_of_gemms(const std::vector<CausedGemm>& gemms, const Disturbance& disturbance) {
  double most = 0;
  for (const CausedGemm& gemm : gemms) {
    if (disturbance.has_clock(gemm)) most = std::max(most, disturbance.error(1 + ratio(gemm.clock, gemm.alone)));
  }
  return most;
}

/// How much later than in the undisturbed step before `late` begins a collective of the disturbed one, less what the
/// latest of the others does, ps.
TracePs behind_others(const Json& timeline, std::size_t collective, std::size_t late) {
  const auto start = [&](std::int64_t step, std::size_t rank) {
    const Json& of = timeline.at("steps").at(static_cast<std::size_t>(step)).at(rank);
    return of.at("collectives").at(collective).at(0).get<TracePs>() - of.at("begin").get<TracePs>();
  };
  TracePs own = 0;
  TracePs others = std::numeric_limits<TracePs>::min();
  for (std::size_t rank = 0; rank < timeline.at("steps").at(0).size(); ++rank) {
    const TracePs later = start(kDisturbed, rank) - start(kDisturbed - 1, rank);
    (rank == late ? own : others) = rank == late ? later : std::max(others, later);
  }
  return own - others;
}

}  // namespace

TEST_SUITE("ADR-0041") {
  TEST_CASE("41.17 41.18 undisturbed: equal ranks, no straggler, and what contention costs in sum") {
    Contention all;
    unsigned close = 0;
    for (unsigned seed = 0; seed < kRuns; ++seed) {
      const SimulatedRun run(seed, LayerSizes::kLarge, kSteps, "");
      CAPTURE(run.text());
      for (const traces::CollectiveTimes& times : run.group().times) CHECK(times.start_skew == 0);
      for (const traces::RankWaits& rank : traces::rank_waits(run.group())) {
        CHECK(rank.straggler == traces::Straggler::kNo);
      }
      const Contention one = contention_of(run);
      all.truth += one.truth;
      all.said += one.said;
      CHECK(ratio(one.said, one.truth) > 0.33);
      CHECK(ratio(one.said, one.truth) < 1.41);
      if (one.is_within(0.1)) ++close;
    }
    CAPTURE(all.truth);
    CAPTURE(all.said);
    CHECK(all.truth > 10'000'000'000);
    CHECK(all.is_within(0.02));
    CHECK(close == 25);
  }

  TEST_CASE("41.17 blocks that are no whole bursts make ranks unequal") {
    const SimulatedRun run(0, LayerSizes::kOdd, 3, "");
    TracePs most = 0;
    for (const traces::CollectiveTimes& times : run.group().times) most = std::max(most, times.start_skew);
    CHECK(most > 0);
    CHECK(most < run.group().times.front().latency);
  }

  TEST_CASE("41.18 a clock, an extra time of a GEMM, and both at once") {
    unsigned known = 0;
    unsigned within = 0;
    unsigned exact = 0;
    for (unsigned seed = 0; seed < kRuns; ++seed) {
      const Disturbance disturbance(seed);
      const SimulatedRun run(seed, LayerSizes::kSmall, kSteps, disturbance.text());
      CAPTURE(run.text());
      CAPTURE(disturbance.text());
      const std::vector<CausedGemm> gemms = run.gemms();
      const double own = clock_error_of_gemms(gemms, disturbance);
      double said = 0;
      unsigned calls = 0;
      for (const CausedGemm& gemm : gemms) {
        CAPTURE(gemm.gemm);
        const traces::GemmCause& cause = gemm.cause;
        REQUIRE(cause.base);
        // What is injected into it, and what the other three leave.
        CHECK(cause.unexplained - gemm.extra ==
              gemm.alone - cause.best - cause.kernel + gemm.clock - cause.clock + gemm.contention - cause.contention);
        const bool is_clocked = disturbance.has_clock(gemm);
        if (is_clocked && cause.clock_samples >= 5) {
          ++calls;
          said = std::max(said, disturbance.error(1 + ratio(cause.clock, cause.base->time)));
        }
        if (gemm.extra == 0 || cause.call.overlap > 0 || (is_clocked && cause.clock_samples < 5)) continue;
        ++exact;
        CHECK(std::abs(cause.unexplained - gemm.extra) <= gemm.alone / 100);
      }
      if (calls == 0) continue;
      ++known;
      if (said <= 0.01) ++within;
      CHECK(said <= std::max(0.01, own + 1e-6));
    }
    CHECK(known == 28);
    CHECK(within >= known - 2);
    CHECK(exact >= 16);
  }

  TEST_CASE("41.18 a rank whose host comes late is named last in every collective that its delay touches") {
    std::size_t touched = 0;
    for (unsigned seed = 0; seed < kRuns; ++seed) {
      const auto late = static_cast<std::size_t>(seed % 4);
      const SimulatedRun run(seed, LayerSizes::kSmall, kSteps,
                             "rank=" + std::to_string(late) + ",steps=" + std::to_string(kDisturbed) + ",delay=40us");
      CAPTURE(run.text());
      const std::size_t buckets = run.timeline().at("collectives").size();
      for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        CAPTURE(bucket);
        const TracePs behind = behind_others(run.timeline(), bucket, late);
        if (bucket == 0) CHECK(behind > 39'000'000);
        if (behind < kTouched) continue;
        ++touched;
        CHECK(run.group().times.at(kDisturbed * buckets + bucket).last == late);
      }
    }
    CHECK(touched >= 2 * kRuns);
  }
}
