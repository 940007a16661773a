// What tables of a trace that was grown n-fold have to say.
#pragma once

#include <doctest/doctest.h>

#include <vector>

#include "benches/traces/tables/collectives.hpp"
#include "benches/traces/tables/gemms.hpp"
#include "benches/traces/tables/timeline.hpp"

/// Timelines, GEMMs and collectives of `grown`, copies of `once` that are a period (ps) apart.
inline void expect_grown_tables(const std::vector<kernbench::traces::PlacedTrace>& once,
                                const std::vector<kernbench::traces::PlacedTrace>& grown, std::int64_t copies,
                                kernbench::traces::TracePs period) {
  using namespace kernbench::traces;
  REQUIRE(once.size() == grown.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    CAPTURE(i);
    const Timeline one = timeline_of(once[i].trace, {});
    const Timeline all = timeline_of(grown[i].trace, {});
    CHECK(all.gpu_events == copies * one.gpu_events);
    CHECK(all.computation == copies * one.computation);
    CHECK(all.exposed_communication == copies * one.exposed_communication);
    CHECK(all.exposed_copy == copies * one.exposed_copy);
    CHECK(all.busy == copies * one.busy);
    CHECK(all.communication == copies * one.communication);
    CHECK(all.overlapped_communication == copies * one.overlapped_communication);
    CHECK(all.total == (copies - 1) * period + one.total);
    CHECK(all.left_out == copies * one.left_out);
    const auto groups = gemm_groups(once[i].trace, {});
    const auto grown_groups = gemm_groups(grown[i].trace, {});
    REQUIRE(groups.size() == grown_groups.size());
    for (std::size_t group = 0; group < groups.size(); ++group) {
      const std::vector<GemmCall>& calls = groups[group].calls;
      const std::vector<GemmCall>& grown_calls = grown_groups[group].calls;
      CHECK(grown_groups[group].shape == groups[group].shape);
      REQUIRE(grown_calls.size() == static_cast<std::size_t>(copies) * calls.size());
      for (std::size_t call = 0; call < grown_calls.size(); ++call) {
        CHECK(grown_calls[call].time == calls[call % calls.size()].time);
      }
    }
  }
  const auto groups = timed_groups(once, {});
  const auto grown_groups = timed_groups(grown, {});
  REQUIRE(groups.size() == grown_groups.size());
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const auto& times = groups[group].times;
    const auto& grown_times = grown_groups[group].times;
    REQUIRE(grown_times.size() == static_cast<std::size_t>(copies) * times.size());
    TracePs waits = 0;
    TracePs grown_waits = 0;
    for (const CollectiveTimes& one : times) {
      for (const TracePs wait : one.waits) waits += wait;
    }
    for (const CollectiveTimes& one : grown_times) {
      for (const TracePs wait : one.waits) grown_waits += wait;
    }
    CHECK(grown_waits == copies * waits);
  }
}
