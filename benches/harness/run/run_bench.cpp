// The parent's side of a run; it builds no simulation object and starts no thread.
#include "benches/harness/run/run_bench.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <numeric>
#include <set>

#include "benches/harness/results/results_json.hpp"
#include "benches/harness/run/isolated.hpp"
#include "benches/harness/run/kept_rows.hpp"
#include "benches/harness/run/partial_rows.hpp"
#include "benches/harness/run/progress.hpp"
#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/utc_time.hpp"
#include "sim/base/capacity_error.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/system/model_version.hpp"

namespace kernbench {
namespace {

Row row_without_run(const Point& point, const char* status, const std::string& reason) {
  Row row;
  row.point = point;
  row.status = status;
  row.reason = reason;
  return row;
}

Row failed_row(const Point& point, const std::string& reason) { return row_without_run(point, "failed", reason); }

/// What `make` returns for the point; a machine that is too small for it skips it.
template <typename Make>
Row row_or_skipped(const Point& point, const Make& make) {
  try {
    Row row = make();
    row.point = point;
    return row;
  } catch (const CapacityError& error) {
    return row_without_run(point, "skipped", error.what());
  }
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

/// "128x128x128 load_ref  1234.5 ns"; nothing of a failed point, whose error has been logged.
std::string row_line(const Bench& bench, const LabelledPoint& point, const Row& row) {
  if (row.status == "failed") return "";
  std::string text = point_name(point) + "  ";
  if (row.status != "ok") return text + row.status;
  if (bench.report.empty() || !row.metrics.contains(bench.report.front().metric)) return text + "done";
  const std::string& metric = bench.report.front().metric;
  const Json& value = row.metrics.at(metric);
  const bool ns = metric.ends_with("_ns") && value.is_number();
  return text + (ns ? formatted("%.1f ns", value.get<double>()) : metric + " " + value.dump());
}

void log_point(const LabelledPoint& point, const Row& row, const Outcome& outcome) {
  if (row.status == "failed") spdlog::error("{}: {}", point_name(point), row.reason);
  if (!outcome.output.empty()) spdlog::trace("{} printed:\n{}", point_name(point), outcome.output);
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// 1 where the bench does not say, or the machine cannot run the point.
double cost_of(const Bench& bench, const MachineSpec& machine, const Point& point) {
  try {
    return bench.cost ? bench.cost(machine, point) : 1;
  } catch (const ConfigError&) {
    return 1;  // the point itself will say so
  }
}

/// Runs what is still missing; `rows` are the simulated rows by point, the missing ones null.
int simulate_missing(const Bench& bench, const std::vector<LabelledPoint>& points, const LoadedMachine& machine,
                     const RunOptions& options, PartialRows& partial, std::vector<std::optional<Row>>& rows,
                     std::size_t reused) {
  std::vector<std::size_t> missing;
  std::vector<Work> works;
  std::vector<double> costs;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (rows[i]) continue;
    missing.push_back(i);
    costs.push_back(cost_of(bench, machine.spec, points[i].point));
    works.emplace_back([&bench, &machine, &options, &point = points[i].point] {
      const auto simulate = [&] { return bench.simulate(machine.spec, point, options.settings); };
      return row_to_json(row_or_skipped(point, simulate)).dump();
    });
  }
  Progress progress(bench.name, points.size(), reused, std::accumulate(costs.begin(), costs.end(), 0.0),
                    options.progress ? Progress::Shows::kRows : Progress::Shows::kNothing);
  IsolationOptions isolation{options.jobs, options.timeout, options.memory};
  isolation.on_tick = [&progress] { progress.draw(); };
  isolation.on_done = [&](std::size_t index, const Outcome& outcome) {
    const LabelledPoint& point = points[missing[index]];
    Row row = row_of(point.point, outcome);
    partial.append(row);
    progress.clear();
    log_point(point, row, outcome);
    progress.point_done(row_line(bench, point, row), costs[index], row.status == "failed");
    rows[missing[index]] = std::move(row);
  };
  return run_isolated(works, isolation).stopped_by;
}

std::set<std::string> texts_of(const std::vector<LabelledPoint>& points) {
  std::set<std::string> texts;
  for (const LabelledPoint& point : points) texts.insert(point.point.dump());
  return texts;
}

/// Rows of points that this run leaves alone stay in the file; with --fresh those of its own points go.
PartialRows& open_partial_rows(const Bench& bench, const std::vector<LabelledPoint>& points, const Results& simulated,
                               RunFolder& folder, const RunOptions& options) {
  std::set<std::string> wanted = texts_of(expand_points(bench));
  if (options.fresh) {
    for (const std::string& text : texts_of(points)) wanted.erase(text);
  }
  PartialRows& partial =
      folder.open_partial_rows(partial_header(simulated, options.settings),
                               [&wanted](const Json& point) { return wanted.contains(point.dump()); });
  if (partial.superseded() && !options.fresh) {
    spdlog::info(
        "rows of an interrupted run are not taken over: its machine, bench, model, settings or program differ");
  }
  if (partial.unreadable() > 0) {
    spdlog::warn("{} lines of {} are no rows, and passed over", partial.unreadable(),
                 (folder.path() / "partial.jsonl").string());
  }
  return partial;
}

/// Puts rows of an earlier run between those of this one, all in the order of the bench's points.
void keep_other_rows(const Bench& bench, const std::vector<LabelledPoint>& points, const std::filesystem::path& file,
                     BenchRun& run) {
  KeptRows kept = kept_rows(file, bench, run.simulated.source, points);
  if (kept.dropped > 0) {
    spdlog::warn("{} rows of other points in {} are replaced, not kept: {}", kept.dropped, file.string(), kept.why);
  }
  if (kept.unreadable) spdlog::warn("{} is replaced: {}", file.string(), kept.why);
  if (kept.rows.empty()) return;
  run.kept = kept.rows.size();
  for (Row& row : run.simulated.rows) kept.rows.insert_or_assign(row.point.dump(), std::move(row));
  run.simulated.rows.clear();
  for (const LabelledPoint& point : expand_points(bench)) {
    if (auto row = kept.rows.extract(point.point.dump())) run.simulated.rows.push_back(std::move(row.mapped()));
  }
}

/// A row of theory for each simulated point, within the limits of a simulation. Failures of points that are not this
/// run's are none of its failures.
void add_theory(const Bench& bench, const std::vector<LabelledPoint>& points, const MachineSpec& machine,
                const RunOptions& options, BenchRun& run) {
  std::set<std::string> simulated;
  for (const Row& row : run.simulated.rows) simulated.insert(row.point.dump());
  std::vector<LabelledPoint> all = run.kept > 0 ? expand_points(bench) : points;
  std::erase_if(all, [&simulated](const LabelledPoint& point) { return !simulated.contains(point.point.dump()); });
  std::vector<Work> works;
  works.reserve(all.size());
  for (const LabelledPoint& point : all) {
    works.emplace_back([&bench, &machine, &point = point.point] {
      return row_to_json(row_or_skipped(point, [&] { return bench.theory(machine, point); })).dump();
    });
  }
  const IsolationReport report = run_isolated(works, {options.jobs, options.timeout, options.memory});
  run.stopped_by = report.stopped_by;
  if (run.stopped_by != 0) return;
  const std::set<std::string> own = texts_of(points);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Row& row = run.theory.rows.emplace_back(row_of(all[i].point, *report.outcomes[i]));
    if (row.status == "failed") spdlog::error("{}: theory: {}", point_name(all[i]), row.reason);
    if (!own.contains(row.point.dump())) continue;
    ++run.attempted;
    if (row.status == "failed") ++run.failed;
  }
}

}  // namespace

std::string point_name(const LabelledPoint& point) { return joined(point.labels, " "); }

std::vector<MemoryNeed> memory_needs(const Bench& bench, const std::vector<LabelledPoint>& points,
                                     const MachineSpec& machine, const PointSettings& settings) {
  std::vector<MemoryNeed> needs;
  if (!bench.memory) return needs;
  for (const LabelledPoint& point : points) {
    try {
      needs.push_back({point_name(point), bench.memory(machine, point.point, settings),
                       "a smaller machine, or leave the point out with --only"});
    } catch (const ConfigError&) {  // a point that this machine cannot run: its row will say so
    }
  }
  return needs;
}

Source current_source(const Bench& bench, const LoadedMachine& machine, const std::string& kind) {
  return {kind, machine.spec.name, machine.sha256, kModelVersion, bench.version, machine.settings};
}

std::vector<PlannedPoint> plan_run(const Bench& bench, const std::vector<LabelledPoint>& points,
                                   const LoadedMachine& machine, const std::filesystem::path& folder,
                                   const RunOptions& options) {
  Results results;
  results.bench = bench.name;
  results.source = current_source(bench, machine, "sim");
  std::set<std::string> known;
  std::ifstream partial(folder / "partial.jsonl");
  std::string line;
  const bool ours =
      std::getline(partial, line) && Json::parse(line, nullptr, false) == partial_header(results, options.settings);
  while (ours && !options.fresh && std::getline(partial, line)) {
    const Json row = Json::parse(line, nullptr, false);
    if (row.is_object() && row.value("status", "") == "ok") known.insert(row["point"].dump());
  }
  std::vector<PlannedPoint> planned;
  double total = 0;
  for (const LabelledPoint& point : points) {
    planned.push_back({known.contains(point.point.dump()), cost_of(bench, machine.spec, point.point)});
    total += planned.back().cost;
  }
  for (PlannedPoint& point : planned) point.cost /= total;
  return planned;
}

BenchRun run_bench(const Bench& bench, const std::vector<LabelledPoint>& points, const LoadedMachine& machine,
                   RunFolder& folder, const RunOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  BenchRun run;
  run.simulated.bench = run.theory.bench = bench.name;
  run.simulated.source = current_source(bench, machine, "sim");
  run.theory.source = current_source(bench, machine, "theory");

  PartialRows& partial = open_partial_rows(bench, points, run.simulated, folder, options);
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
    ++run.attempted;
    if (row->status == "failed") ++run.failed;
    run.simulated.rows.push_back(std::move(*row));
  }
  if (run.stopped_by != 0) return run;
  keep_other_rows(bench, points, folder.path() / "results.json", run);
  derive_rows(bench, run.simulated);
  if (bench.theory) add_theory(bench, points, machine.spec, options, run);
  if (run.stopped_by != 0) return run;
  if (options.provenance) {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    run.simulated.provenance = {{"host", host_name()}, {"created_at", utc_now()}, {"program", program_identity()}};
    if (!options.command.empty()) run.simulated.provenance["command"] = options.command;
    run.theory.provenance = run.simulated.provenance;
    run.simulated.provenance["wall_s"] = wall.count();
    run.simulated.provenance["jobs"] = options.jobs > 0 ? options.jobs : available_cores();
  }
  return run;
}

}  // namespace kernbench
