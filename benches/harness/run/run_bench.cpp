// The parent's side of a run; it builds no simulation object and starts no thread.
#include "benches/harness/run/run_bench.hpp"

#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "benches/harness/results/results_json.hpp"
#include "benches/harness/run/isolated.hpp"
#include "benches/harness/run/partial_rows.hpp"
#include "benches/harness/run/progress.hpp"
#include "benches/harness/text/utc_time.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/system/model_version.hpp"

namespace kernbench {
namespace {

Row failed_row(const Point& point, const std::string& reason) {
  Row row;
  row.point = point;
  row.status = "failed";
  row.reason = reason;
  return row;
}

/// Tells one build of this program from another: rows of an older one are not taken over.
std::string program_identity() {
  struct stat self {};
  if (::stat("/proc/self/exe", &self) != 0) return "unknown";
  return std::to_string(self.st_size) + " bytes of " + std::to_string(self.st_mtim.tv_sec) + "." +
         std::to_string(self.st_mtim.tv_nsec);
}

/// What the rows of a run depend on.
Json partial_header(const Results& results, const PointSettings& settings) {
  return {{"schema", "kernbench.partial/1"},
          {"bench", results.bench},
          {"source", source_to_json(results.source)},
          {"settings", {{"verify", settings.verify}}},
          {"program", program_identity()}};
}

Row row_of(const Point& point, const Outcome& outcome) {
  if (!outcome.ok) return failed_row(point, outcome.reason);
  const Json json = Json::parse(outcome.payload, nullptr, false);
  if (json.is_discarded()) return failed_row(point, "its result is not JSON");
  try {
    return row_from_json(json, "its result");
  } catch (const ConfigError& error) {
    return failed_row(point, error.what());
  }
}

void log_point(const LabelledPoint& point, const Row& row, const Outcome& outcome) {
  if (row.status == "ok") {
    spdlog::debug("{}: done", point_name(point));
  } else if (row.status == "skipped") {
    spdlog::debug("{}: skipped: {}", point_name(point), row.reason);
  } else {
    spdlog::error("{}: {}", point_name(point), row.reason);
  }
  if (!outcome.output.empty()) spdlog::trace("{} printed:\n{}", point_name(point), outcome.output);
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// Runs what is still missing; `rows` are the simulated rows by point, the missing ones null.
int simulate_missing(const Bench& bench, const std::vector<LabelledPoint>& points, const LoadedMachine& machine,
                     const RunOptions& options, PartialRows& partial, std::vector<std::optional<Row>>& rows,
                     std::size_t reused) {
  std::vector<std::size_t> missing;
  std::vector<Work> works;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (rows[i]) continue;
    missing.push_back(i);
    works.emplace_back([&bench, &machine, &options, &point = points[i].point] {
      Row row = bench.simulate(machine.spec, point, options.settings);
      row.point = point;
      return row_to_json(row).dump();
    });
  }
  Progress progress(bench.name, points.size(), reused, options.progress);
  IsolationOptions isolation{options.jobs, options.timeout};
  isolation.on_tick = [&progress] { progress.draw(); };
  isolation.on_done = [&](std::size_t index, const Outcome& outcome) {
    const LabelledPoint& point = points[missing[index]];
    Row row = row_of(point.point, outcome);
    partial.append(row);
    progress.clear();
    log_point(point, row, outcome);
    progress.point_done(row.status == "failed");
    rows[missing[index]] = std::move(row);
  };
  return run_isolated(works, isolation).stopped_by;
}

Row theory_row(const Bench& bench, const MachineSpec& machine, const LabelledPoint& point) {
  try {
    Row row = bench.theory(machine, point.point);
    row.point = point.point;
    row_to_json(row);  // throws for numbers that cannot be written
    return row;
  } catch (const std::exception& error) {
    spdlog::error("{}: theory: {}", point_name(point), error.what());
    return failed_row(point.point, error.what());
  }
}

}  // namespace

std::string point_name(const LabelledPoint& point) { return joined(point.labels, " "); }

Source current_source(const Bench& bench, const LoadedMachine& machine, const std::string& kind) {
  return {kind, machine.spec.name, machine.sha256, kModelVersion, bench.version};
}

BenchRun run_bench(const Bench& bench, const std::vector<LabelledPoint>& points, const LoadedMachine& machine,
                   const RunOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  BenchRun run;
  run.simulated.bench = run.theory.bench = bench.name;
  run.simulated.source = current_source(bench, machine, "sim");
  run.theory.source = current_source(bench, machine, "theory");

  PartialRows partial(options.folder, partial_header(run.simulated, options.settings), options.fresh);
  if (partial.superseded()) {
    spdlog::info(
        "rows of an interrupted run are not taken over: its machine, bench, model, settings or program differ");
  }
  std::vector<std::optional<Row>> rows(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (const Row* row = partial.find(points[i].point)) {
      rows[i] = *row;
      ++run.reused;
    }
  }
  if (run.reused > 0) {
    spdlog::info("resuming: {} of {} points are known from an interrupted run (--fresh runs them again)", run.reused,
                 points.size());
  }
  run.stopped_by = simulate_missing(bench, points, machine, options, partial, rows, run.reused);

  for (std::optional<Row>& row : rows) {
    if (!row) continue;
    if (row->status == "failed") ++run.failed;
    run.simulated.rows.push_back(std::move(*row));
  }
  if (run.stopped_by != 0) return run;
  if (run.failed == 0) partial.discard();
  derive_rows(bench, run.simulated);
  if (bench.theory) {
    for (const LabelledPoint& point : points) {
      run.theory.rows.push_back(theory_row(bench, machine.spec, point));
      if (run.theory.rows.back().status == "failed") ++run.failed;
    }
  }
  if (options.provenance) {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    run.simulated.provenance = {{"host", host_name()}, {"created_at", utc_now()}};
    run.theory.provenance = run.simulated.provenance;
    run.simulated.provenance["wall_s"] = wall.count();
    run.simulated.provenance["jobs"] = options.jobs > 0 ? options.jobs : available_cores();
  }
  return run;
}

}  // namespace kernbench
