// Tables of simulated traces: as the op log says, whatever way the traces have come.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "benches/traces/grow/grow_trace.hpp"
#include "benches/traces/merge/merge_traces.hpp"
#include "benches/traces/merge/trace_facts.hpp"
#include "benches/workloads/training/training_traces.hpp"
#include "sim/base/read_file.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/trace_analysis/grown_tables.hpp"
#include "tests/trace_analysis/simulated_run.hpp"

namespace fs = std::filesystem;
using namespace kernbench;
using traces::TracePs;

namespace {

constexpr const char* kInjections = "rank=2,steps=1,clock=0.9;rank=1,steps=1,delay=13us;rank=0,gemm=3,extra=7ns";

struct Span {
  TracePs begin;
  TracePs end;
};

/// Of GEMMs or collectives of all steps.
std::vector<Span> spans(const Json& timeline, const char* what, std::size_t rank) {
  std::vector<Span> all;
  for (const Json& step : timeline.at("steps")) {
    for (const Json& times : step.at(rank).at(what)) all.push_back({times.at(0), times.at(1)});
  }
  return all;
}

TracePs sum_of(const std::vector<Span>& spans) {
  TracePs sum = 0;
  for (const Span& span : spans) sum += span.end - span.begin;
  return sum;
}

/// Neither overlap among themselves.
TracePs common(const std::vector<Span>& some, const std::vector<Span>& others) {
  TracePs sum = 0;
  for (const Span& one : some) {
    for (const Span& other : others) {
      sum += std::max<TracePs>(0, std::min(one.end, other.end) - std::max(one.begin, other.begin));
    }
  }
  return sum;
}

/// Timelines, GEMM calls and collectives, against the op log.
void expect_tables(const std::vector<traces::PlacedTrace>& ranks, const Json& timeline) {
  REQUIRE(ranks.size() == 4);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    CAPTURE(rank);
    const std::vector<Span> gemms = spans(timeline, "gemms", rank);
    const std::vector<Span> collectives = spans(timeline, "collectives", rank);
    const traces::Timeline times = timeline_of(ranks[rank].trace, {});
    CHECK(times.gpu_events == static_cast<std::int64_t>(gemms.size() + collectives.size()));
    CHECK(times.computation == sum_of(gemms));
    CHECK(times.communication == sum_of(collectives));
    CHECK(times.overlapped_communication == common(gemms, collectives));
    CHECK(times.busy == sum_of(gemms) + sum_of(collectives) - common(gemms, collectives));
    CHECK(times.total == std::max(gemms.back().end, collectives.back().end) - gemms.front().begin);
    std::vector<TracePs> said;
    for (const traces::GemmGroup& group : gemm_groups(ranks[rank].trace, {})) {
      for (const traces::GemmCall& call : group.calls) said.push_back(call.time);
    }
    std::vector<TracePs> logged;
    for (const Span& gemm : gemms) logged.push_back(gemm.end - gemm.begin);
    std::ranges::sort(said);
    std::ranges::sort(logged);
    CHECK(said == logged);
  }
  const std::vector<traces::TimedGroup> groups = timed_groups(ranks, {});
  REQUIRE(groups.size() == 1);
  for (std::size_t i = 0; i < groups[0].times.size(); ++i) {
    std::vector<Span> all;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) all.push_back(spans(timeline, "collectives", rank).at(i));
    const TracePs latest = std::ranges::max(all, {}, &Span::begin).begin;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      CHECK(groups[0].times[i].waits.at(rank) == latest - all[rank].begin);
      CHECK(groups[0].times[i].durations.at(rank) == all[rank].end - all[rank].begin);
    }
  }
}

/// The ranks' files, as the program writes them.
std::vector<traces::TraceFile> write_ranks(const Json& timeline, const fs::path& folder) {
  for (std::int64_t rank = 0; rank < 4; ++rank) {
    write_file(folder / ("rank" + std::to_string(rank) + ".json"), rank_trace(timeline, rank).dump());
  }
  return traces::find_trace_files({folder}, "");
}

/// Takes a merged trace apart again: the events of each rank's processes.
void split_merged(const fs::path& merged, const fs::path& folder) {
  const Json trace = Json::parse(read_file(merged));
  std::map<std::int64_t, std::string> rank_of_process;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("name") != "process_name") continue;
    const std::string name = event.at("args").at("name");
    rank_of_process[event.at("pid")] = name.substr(2, name.find(']') - 2);  // "[R2] ..."
  }
  std::map<std::string, Json> events;
  for (const Json& event : trace.at("traceEvents")) events[rank_of_process.at(event.at("pid"))].push_back(event);
  for (const auto& [rank, own] : events) {
    write_file(folder / ("rank" + rank + ".json"), Json{{"traceEvents", own}}.dump());
  }
}

}  // namespace

TEST_SUITE("ADR-0041") {
  TEST_CASE("41.12 timeline, GEMMs and collectives of the traces equal the op log, to the picosecond") {
    for (unsigned seed = 0; seed < 4; ++seed) {
      const SimulatedRun run(seed, LayerSizes::kSmall, 3, kInjections);
      CAPTURE(run.text());
      expect_tables(run.traces(), run.timeline());
    }
  }

  TEST_CASE("41.12 so do those of traces that were merged and are taken apart, or grown") {
    const SimulatedRun run(1, LayerSizes::kSmall, 2, kInjections);
    const TemporaryFolder folder;
    for (const char* name : {"in", "apart", "grown"}) fs::create_directories(folder.path() / name);
    const std::vector<traces::TraceFile> inputs = write_ranks(run.timeline(), folder.path() / "in");
    for (const char* name : {"all.json", "all.pftrace.gz"}) {
      static_cast<void>(merge_traces(inputs, folder.path() / name, {}));
      const traces::TraceFacts facts = traces::read_trace_facts(folder.path() / name, false);
      CHECK(facts.problems == std::vector<std::string>{});
      CHECK(compare_with_inputs(facts, inputs, false) == std::vector<std::string>{});
    }
    split_merged(folder.path() / "all.json", folder.path() / "apart");
    expect_tables(traces::read_traces(traces::find_trace_files({folder.path() / "apart"}, ""), {}), run.timeline());

    constexpr TracePs kPeriod = 10'000'000'000;
    for (const traces::TraceFile& input : inputs) {
      traces::grow_trace(input.path, folder.path() / "grown" / input.path.filename(), {.copies = 3, .period = kPeriod});
    }
    expect_grown_tables(run.traces(), traces::read_traces(traces::find_trace_files({folder.path() / "grown"}, ""), {}),
                        3, kPeriod);
  }

  TEST_CASE("41.12 nothing is wrong with a rank's trace") {
    const SimulatedRun run(2, LayerSizes::kSmall, 2, kInjections);
    const TemporaryFolder folder;
    for (const traces::TraceFile& file : write_ranks(run.timeline(), folder.path())) {
      const traces::TraceFacts facts = traces::read_trace_facts(file.path, false);
      CHECK(facts.problems == std::vector<std::string>{});
      CHECK(facts.flows.begins == facts.gpu_events);
      CHECK(facts.steps == std::set<std::int64_t>{0, 1});
    }
  }
}
