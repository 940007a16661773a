// Whole runs of a bench made for the purpose: same bytes, failed rows, resuming.
#include "benches/experiments/run/run_bench.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "benches/experiments/run/isolated.hpp"
#include "benches/io/files/write_file.hpp"
#include "benches/results/rows/results_csv.hpp"
#include "benches/results/rows/results_json.hpp"
#include "benches/results/rows/store.hpp"
#include "benches/workloads/selection.hpp"
#include "sim/base/capacity_error.hpp"
#include "sim/base/errors.hpp"
#include "sim/system/model_version.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/toy_machine.hpp"

namespace fs = std::filesystem;
using kernbench::Bench;
using kernbench::BenchRun;
using kernbench::Json;
using kernbench::LoadedMachine;
using kernbench::MachineSpec;
using kernbench::Point;
using kernbench::PointSettings;
using kernbench::Row;
using kernbench::RunFolder;
using kernbench::RunOptions;

namespace {

Row row_with_time(double time_ns) {
  Row row;
  row.metrics.json()["time_ns"] = time_ns;
  return row;
}

/// Ten points; the later ones finish first. Every simulation leaves a line in `log`.
Bench bench_that_logs(const fs::path& log) {
  Bench bench;
  bench.name = "toy";
  bench.version = "1";
  bench.axes = {{"size", {1, 2, 3, 4, 5}}, {"variant", {"a", "b"}}};
  bench.simulate = [log](const MachineSpec&, const Point& point, const PointSettings&) {
    const int size = point["size"];
    std::this_thread::sleep_for(std::chrono::milliseconds(5 * (5 - size)));
    std::ofstream(log, std::ios::app) << point.dump() << "\n";
    return row_with_time(size * 10.1);
  };
  bench.theory = [](const MachineSpec&, const Point& point) { return row_with_time(point["size"].get<int>() * 10); };
  return bench;
}

std::vector<Json> points_of(const Bench& bench) {
  std::vector<Json> points;
  for (const auto& point : expand_points(bench)) points.push_back(point.point);
  return points;
}

/// To its end, as if its results had been written.
BenchRun run(const Bench& bench, const fs::path& folder, int jobs = 2, const LoadedMachine& on = toy_machine(),
             bool fresh = false) {
  RunOptions options;
  options.jobs = jobs;
  options.fresh = fresh;
  options.provenance = false;
  RunFolder locked(folder);
  BenchRun run = run_bench(bench, expand_points(bench), on, locked, options);
  if (run.failed == 0) locked.discard_partial_rows(points_of(bench));
  return run;
}

std::size_t lines_in(const fs::path& file) {
  std::ifstream stream(file);
  std::size_t lines = 0;
  for (std::string line; std::getline(stream, line);) ++lines;
  return lines;
}

}  // namespace

TEST_SUITE("ADR-0009") {
  TEST_CASE("9.9 a row that was skipped keeps its reason and is no failure") {
    const TemporaryFolder folder;
    Bench bench = bench_that_logs(folder.path() / "log");
    bench.simulate = [](const MachineSpec&, const Point& point, const PointSettings&) {
      if (point["size"] == 4) throw std::runtime_error("broken");
      Row row = row_with_time(1);
      if (point["size"] == 2) {
        row.status = "skipped";
        row.reason = "needs two dies";
        row.metrics.json() = kernbench::Json::object();
      }
      return row;
    };
    const BenchRun run_of_it = run(bench, folder.path() / "out");
    CHECK(run_of_it.failed == 2);  // size 4, of two variants
    CHECK(run_of_it.simulated.rows[2].status == "skipped");
    CHECK(run_of_it.simulated.rows[2].reason == "needs two dies");
  }
}

TEST_SUITE("ADR-0027") {
  TEST_CASE("27.5 a point that the machine is too small for is skipped, simulated and in theory") {
    const TemporaryFolder folder;
    Bench bench = bench_that_logs(folder.path() / "log");
    bench.simulate = [](const MachineSpec&, const Point& point, const PointSettings&) -> Row {
      if (point["size"] == 4) throw kernbench::CapacityError("no room for 4");
      return row_with_time(1);
    };
    bench.theory = [&bench](const MachineSpec& machine, const Point& point) {
      return bench.simulate(machine, point, kernbench::PointSettings{});
    };
    const BenchRun run_of_it = run(bench, folder.path() / "out");
    CHECK(run_of_it.failed == 0);
    for (const kernbench::Results* results : {&run_of_it.simulated, &run_of_it.theory}) {
      std::size_t skipped = 0;
      for (const Row& row : results->rows) {
        CHECK((row.point["size"] == 4) == (row.status == "skipped"));
        if (row.status == "skipped") CHECK(row.reason == "no room for 4");
        skipped += row.status == "skipped" ? 1 : 0;
      }
      CHECK(skipped == 2);
    }
  }
}

TEST_SUITE("ADR-0010") {
  TEST_CASE("10.3 results are the same bytes for any number of jobs, rows in the order of the points") {
    const TemporaryFolder folder;
    const Bench bench = bench_that_logs(folder.path() / "log");
    const BenchRun one = run(bench, folder.path() / "one", 1);
    CHECK(one.failed == 0);
    REQUIRE(one.simulated.rows.size() == 10);
    CHECK(one.simulated.rows[3].point.dump() == R"({"size":2,"variant":"b"})");
    CHECK(one.theory.rows[3].point == one.simulated.rows[3].point);
    for (const int jobs : {2, 5}) {
      const BenchRun more = run(bench, folder.path() / "more", jobs);
      CHECK(format_results(more.simulated) == format_results(one.simulated));
      CHECK(format_results(more.theory) == format_results(one.theory));
      CHECK(format_csv(more.simulated) == format_csv(one.simulated));
    }
  }

  TEST_CASE("10.2 a fault is a failed row with its reason; the other rows complete") {
    const TemporaryFolder folder;
    Bench bench;
    bench.name = "faults";
    bench.axes = {{"fault", {"none", "throw", "abort", "hang", "not finite"}}};
    bench.simulate = [](const MachineSpec&, const Point& point, const PointSettings&) {
      const std::string fault = point["fault"];
      if (fault == "throw") throw kernbench::SimulationError("pe0.dma waits for credits for ever");
      if (fault == "abort") std::abort();
      while (fault == "hang") ::pause();
      return row_with_time(fault == "not finite" ? std::nan("") : 1.0);
    };
    bench.theory = [](const MachineSpec&, const Point& point) {
      if (point["fault"] == "throw") throw kernbench::ConfigError("A does not fit");
      while (point["fault"] == "hang") ::pause();
      return row_with_time(1.0);
    };
    RunOptions options;
    options.timeout = std::chrono::milliseconds(300);
    RunFolder locked(folder.path());
    const BenchRun run = run_bench(bench, expand_points(bench), toy_machine(), locked, options);
    CHECK(run.failed == 6);
    std::string outcomes;
    for (const Row& row : run.simulated.rows) outcomes += row.status + " " + row.reason + "\n";
    CHECK(outcomes ==
          "ok \n"
          "failed pe0.dma waits for credits for ever\n"
          "failed killed by SIGABRT (Aborted)\n"
          "failed timed out after 0.3 s\n"
          "failed time_ns is not a finite number\n");
    CHECK(run.theory.rows[1].reason == "A does not fit");
    CHECK(run.theory.rows[2].status == "ok");
    CHECK(run.theory.rows[3].reason == "timed out after 0.3 s");
  }

  TEST_CASE("10.6 rows of an incomplete run are taken over; failed ones are tried again") {
    const TemporaryFolder folder;
    const fs::path log = folder.path() / "log";
    Bench bench = bench_that_logs(log);
    const std::string expected = format_results(run(bench, folder.path() / "expected").simulated);
    fs::remove(log);

    Bench half = bench;
    half.simulate = [good = bench.simulate](const MachineSpec& spec, const Point& point,
                                            const PointSettings& settings) {
      if (point["variant"] == "b") throw std::runtime_error("not yet");
      return good(spec, point, settings);
    };
    const fs::path out = folder.path() / "out";
    CHECK(run(half, out).failed == 5);
    CHECK(lines_in(log) == 5);
    // A run that is killed while it writes leaves half a line.
    std::ofstream(out / "partial.jsonl", std::ios::app) << R"({"point": {"size": 3, "var)";

    const BenchRun resumed = run(bench, out);
    CHECK(resumed.reused == 5);
    CHECK(lines_in(log) == 10);
    CHECK(format_results(resumed.simulated) == expected);
    CHECK_FALSE(fs::exists(out / "partial.jsonl"));
    CHECK(run(bench, out).reused == 0);  // a complete run is not resumed
  }

  TEST_CASE("10.6 rows are not taken over from another machine, bench version or program, nor with --fresh") {
    const TemporaryFolder folder;
    const fs::path out = folder.path() / "out";
    Bench bench = bench_that_logs(folder.path() / "log");
    Bench failing = bench;
    failing.simulate = [good = bench.simulate](const MachineSpec& spec, const Point& point, const PointSettings& s) {
      if (point["size"] == 5) throw std::runtime_error("not yet");
      return good(spec, point, s);
    };
    CHECK(run(failing, out).failed == 2);
    const std::string partial = kernbench::read_file(out / "partial.jsonl");
    const auto reused = [&](const Bench& with, const LoadedMachine& on, bool fresh = false) {
      kernbench::write_file(out / "partial.jsonl", partial);
      return run(with, out, 2, on, fresh).reused;
    };
    Bench newer = bench;
    newer.version = "2";
    CHECK(reused(bench, toy_machine()) == 8);
    CHECK(reused(bench, toy_machine(), true) == 0);
    CHECK(reused(bench, toy_machine("another")) == 0);
    CHECK(reused(newer, toy_machine()) == 0);
    std::string other_program = partial;
    other_program.replace(partial.find(" bytes of "), 10, "0 bytes of ");
    kernbench::write_file(out / "partial.jsonl", other_program);
    CHECK(run(bench, out).reused == 0);
  }

  TEST_CASE("10.7 a second run into the same folder is refused while the first is on") {
    const TemporaryFolder folder;
    Bench outer;
    outer.name = "outer";
    outer.axes = {{"size", {1}}};
    outer.simulate = [&](const MachineSpec&, const Point&, const PointSettings&) {
      return run(bench_that_logs(folder.path() / "log"), folder.path() / "out"), row_with_time(1);
    };
    const BenchRun refused = run(outer, folder.path() / "out");
    CHECK(refused.simulated.rows[0].reason.find("another run is writing to " + (folder.path() / "out").string()) == 0);
  }

  TEST_CASE("10.7 the folder is held until the results are on the disk") {
    const TemporaryFolder folder;
    const auto refused = [&folder] {
      const auto report = kernbench::run_isolated({[&folder] { return RunFolder(folder.path()), std::string(); }});
      return report.outcomes[0]->reason.find("another run is writing to ") == 0;
    };
    {
      RunFolder first(folder.path());
      CHECK(refused());
      first.replace_outputs({{"results.json", "new"}});
      CHECK(refused());
      first.discard_partial_rows({});
      CHECK(refused());
    }
    CHECK_FALSE(refused());
  }
}

TEST_SUITE("ADR-0009") {
  TEST_CASE("9.3 what varies from run to run is in the provenance, and only there") {
    const TemporaryFolder folder;
    const Bench bench = bench_that_logs(folder.path() / "log");
    BenchRun quiet = run(bench, folder.path());
    CHECK(quiet.simulated.provenance.empty());
    RunOptions options;
    options.jobs = 3;
    RunFolder locked(folder.path());
    BenchRun said = run_bench(bench, expand_points(bench), toy_machine(), locked, options);
    CHECK(said.simulated.provenance["jobs"] == 3);
    CHECK(said.simulated.provenance["wall_s"] > 0);
    CHECK(said.simulated.provenance["created_at"].get<std::string>().size() ==
          std::string("2026-01-31T12:00:00Z").size());
    CHECK(said.theory.provenance["host"] == said.simulated.provenance["host"]);
    said.simulated.provenance = kernbench::Json::object();
    CHECK(format_results(said.simulated) == format_results(quiet.simulated));
  }
}

TEST_SUITE("ADR-0013") {
  TEST_CASE("13.1 results name the version of the model, and those of another one are stale") {
    const TemporaryFolder folder;
    const BenchRun now = run(bench_that_logs(folder.path() / "log"), folder.path());
    CHECK(now.simulated.source.model == kernbench::kModelVersion);
    CHECK(now.theory.source.model == kernbench::kModelVersion);
    auto older = now.simulated.source;
    older.model += "-older";
    const auto reasons = kernbench::staleness(older, now.simulated.source);
    REQUIRE(reasons.size() == 1);
    CHECK(reasons[0].find("model version") == 0);
  }
}
