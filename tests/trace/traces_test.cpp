// A run's trace, read back, holds exactly what the run's totals say.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "sim/base/source_dir.hpp"
#include "sim/machine/load_machine.hpp"
#include "sim/system/run.hpp"
#include "sim/system/trace/trace_writer.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/trace/decoded_trace.hpp"

namespace {

using namespace kernbench;

/// Of one stage on one engine.
struct Totals {
  std::int64_t records = 0;
  std::int64_t busy_ps = 0;
  std::int64_t bytes = 0;
  std::int64_t macs = 0;
  bool operator==(const Totals&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Totals& totals) {
  return out << totals.records << " records, " << totals.busy_ps << " ps, " << totals.bytes << " B, " << totals.macs
             << " MACs";
}

using ByStage = std::map<std::pair<std::string, std::string>, Totals>;  ///< (stage, engine) -> totals

struct Traced {
  ByStage totals;  ///< as the run reports them
  std::int64_t start_ps = 0;
  std::int64_t end_ps = 0;
  std::int64_t tiles = 0;
  DecodedTrace trace;
};

/// Runs a GEMM in a child, which writes the trace to a file of this name, and reads both back.
Traced traced_gemm(const GemmProblem& problem, const std::string& variant, const std::string& file_name,
                   const std::vector<std::string>& overrides = {}) {
  const MachineSpec machine = load_machine(kernbench::source_dir() + "/topology/milestone_1h.yaml", overrides).spec;
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / file_name;
  std::istringstream reported(forked([&] {
    TraceWriter writer(file, {"gemm of a test", {{"variant", variant}}});
    RunSettings settings;
    settings.sink = &writer;
    const RunResult run = run_gemm(machine, problem, variant, settings);
    writer.finish();
    std::ostringstream text;
    text << run.pe.start.value << ' ' << run.pe.end.value << ' ' << run.tiles << '\n';
    for (const StageTotals& stage : run.stages) {
      text << stage.stage << ' ' << stage.engine << ' ' << stage.records << ' ' << stage.busy.value << ' '
           << stage.bytes << ' ' << stage.macs << '\n';
    }
    return text.str();
  }));
  Traced traced;
  reported >> traced.start_ps >> traced.end_ps >> traced.tiles;
  std::string stage;
  std::string engine;
  for (Totals totals; reported >> stage >> engine >> totals.records >> totals.busy_ps >> totals.bytes >> totals.macs;) {
    traced.totals[{stage, engine}] = totals;
  }
  const std::string bytes = read_decompressed(file);
  traced.trace = file_name.find(".json") == std::string::npos ? decode_perfetto(bytes) : decode_chrome(bytes);
  return traced;
}

ByStage totals_of(const DecodedTrace& trace) {
  ByStage sums;
  for (const DecodedSlice& slice : trace.slices) {
    Totals& totals = sums[{slice.category, slice.engine()}];
    const auto number = [&slice](const char* name) {
      return slice.numbers.contains(name) ? slice.numbers.at(name) : 0;
    };
    ++totals.records;
    totals.busy_ps += slice.end_ps - slice.start_ps;
    totals.bytes += number("bytes");
    totals.macs += number("macs");
  }
  return sums;
}

void check_complete(const Traced& traced) {
  ByStage in_trace = totals_of(traced.trace);
  CHECK(in_trace.size() == traced.totals.size());
  for (const auto& expected : traced.totals) {
    CAPTURE(expected.first.first);
    CHECK(in_trace[expected.first] == expected.second);
  }
  CHECK(traced.trace.run.start_ps == traced.start_ps);
  CHECK(traced.trace.run.end_ps == traced.end_ps);
  CHECK(traced.trace.title.starts_with("gemm of a test"));
}

GemmProblem gemm(std::int64_t m, std::int64_t k, std::int64_t n) {
  GemmProblem problem;
  problem.m = m;
  problem.k = k;
  problem.n = n;
  return problem;
}

std::vector<std::string> engines_of(const DecodedTrace& trace) {
  std::vector<std::string> engines;
  for (const std::string& track : trace.tracks) {
    const std::string engine = track.substr(0, track.find(" #"));
    if (engines.empty() || engines.back() != engine) engines.push_back(engine);
  }
  return engines;
}

}  // namespace

TEST_SUITE("ADR-0008") {
  TEST_CASE("8.6 a Perfetto trace holds every record of the run, and no track overlaps") {
    for (const char* variant : {"ref_ref", "load_ref", "load_load"}) {
      CAPTURE(variant);
      check_complete(traced_gemm(gemm(96, 200, 70), variant, "run.perfetto-trace.gz"));
    }
    GemmProblem with_vector_work = gemm(64, 128, 64);
    with_vector_work.layout = Layout::kRowMajor;
    with_vector_work.epilogues = parse_epilogues("scale@k_tile,bias,gelu");
    check_complete(traced_gemm(with_vector_work, "load_ref", "run.pftrace"));
  }
}

TEST_CASE("times are exact to the picosecond, at a clock whose period is no whole number of them") {
  const Traced traced = traced_gemm(gemm(64, 256, 64), "load_ref", "run.pftrace.gz", {"pe.clock=1.7 GHz"});
  check_complete(traced);
  const auto mac = std::ranges::find(traced.trace.slices, "mac", &DecodedSlice::category);
  REQUIRE(mac != traced.trace.slices.end());
  CHECK(mac->end_ps - mac->start_ps == 9412);  // 16 cycles, rounded up once
}

TEST_CASE("Chrome's JSON holds the same slices as Perfetto's protobuf") {
  const Traced json = traced_gemm(gemm(96, 200, 70), "load_ref", "run.json.gz");
  check_complete(json);
  CHECK(json.trace.title == "gemm of a test");  // its microseconds are microseconds
  check_complete(traced_gemm(gemm(32, 64, 32), "ref_ref", "run.json"));
  const Traced perfetto = traced_gemm(gemm(96, 200, 70), "load_ref", "run.pftrace.gz");
  const auto comparable = [](const DecodedTrace& trace) {
    std::vector<std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::map<std::string, std::int64_t>>>
        slices;
    for (const DecodedSlice& slice : trace.slices) {
      slices.emplace_back(slice.track, slice.name, slice.start_ps, slice.end_ps, slice.numbers);
    }
    std::ranges::sort(slices);
    return slices;
  };
  CHECK(perfetto.trace.title == "gemm of a test (1 us shown = 1 ns simulated)");
  CHECK(comparable(json.trace) == comparable(perfetto.trace));
  CHECK(json.trace.tracks == perfetto.trace.tracks);
  CHECK(json.trace.run.texts == perfetto.trace.run.texts);
}

TEST_CASE("tracks lie in the order in which a tile passes them; only engines that overlap have lanes") {
  const Traced traced = traced_gemm(gemm(128, 128, 128), "load_ref", "run.pftrace.gz");
  CHECK(engines_of(traced.trace) == std::vector<std::string>{"pe0.control", "pe0.scheduler", "pe0.dma_in", "pe0.fetch",
                                                             "pe0.mac", "pe0.store", "pe0.dma_out"});
  const auto has = [&](const char* track) { return std::ranges::count(traced.trace.tracks, track) == 1; };
  CHECK(has("pe0.dma_in #2"));
  CHECK_FALSE(has("pe0.mac #2"));
  CHECK_FALSE(has("pe0.fetch #2"));
}

TEST_CASE("each tile is one slice of the MAC array, and a flow leads from stage to stage") {
  const Traced traced = traced_gemm(gemm(64, 192, 96), "ref_ref", "run.pftrace.gz");
  std::set<std::int64_t> tiles;
  std::map<std::uint64_t, std::vector<const DecodedSlice*>> flows;
  for (const DecodedSlice& slice : traced.trace.slices) {
    if (slice.flow != 0) flows[slice.flow].push_back(&slice);
    if (slice.category != "mac") continue;
    const std::int64_t tile = slice.numbers.at("tile");
    CHECK(tiles.insert(tile).second);
    CHECK(slice.name == "mac " + std::to_string(tile));
    CHECK(slice.numbers.at("composite") == 0);
  }
  CHECK(static_cast<std::int64_t>(tiles.size()) == traced.tiles);
  CHECK(traced.tiles == 2 * 3 * 3);
  CHECK(flows.size() == tiles.size());
  const std::vector<std::string> way = {"schedule", "dma_in", "dma_in", "fetch", "mac"};
  for (const auto& [flow, slices] : flows) {
    REQUIRE(slices.size() >= way.size());
    for (std::size_t i = 0; i < way.size(); ++i) {
      CHECK(slices[i]->category == way[i]);
      CHECK(slices[i]->numbers.at("tile") == slices[0]->numbers.at("tile"));
    }
  }
}
