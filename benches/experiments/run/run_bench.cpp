// The parent's side of a run; it builds no simulation object and starts no thread.
#include "benches/experiments/run/run_bench.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <set>

#include "benches/experiments/run/kept_rows.hpp"
#include "benches/experiments/run/partial_rows.hpp"
#include "benches/io/files/program_identity.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/utc_time.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/capacity_error.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/system/model_version.hpp"

namespace kernbench {
namespace {

/// What `make` returns. A machine that is too small for the point skips it; other input that is wrong is a fault, since
/// a bench asks for what there is.
template <typename Make>
Row made_by_bench(const Make& make) {
  try {
    return make();
  } catch (const CapacityError&) {
    throw;
  } catch (const ConfigError& error) {
    throw SimulationError(error.what());
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

/// "128x128x128 load_ref  1234.5 ns"; nothing of a failed point, whose error has been logged.
std::string row_line(const Bench& bench, const LabelledPoint& point, const Row& row) {
  if (row.status == "failed") return "";
  std::string text = point.name + "  ";
  if (row.status != "ok") return text + row.status;
  if (bench.report.empty() || !row.metrics.json().contains(bench.report.front().metric)) return text + "done";
  const std::string& metric = bench.report.front().metric;
  const Json& value = row.metrics.json().at(metric);
  const bool ns = metric.ends_with("_ns") && value.is_number();
  return text + (ns ? formatted("%.1f ns", value.get<double>()) : metric + " " + value.dump());
}

void log_point(const LabelledPoint& point, const Row& row, const std::string& output) {
  if (row.status == "failed") spdlog::error("{}: {}", point.name, row.reason);
  if (!output.empty()) spdlog::trace("{} printed:\n{}", point.name, output);
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
void simulate_missing(const Bench& bench, const std::vector<LabelledPoint>& points, const LoadedMachine& machine,
                      const RunOptions& options, PartialRows& partial, std::vector<std::optional<Row>>& rows,
                      BenchRun& run) {
  std::vector<std::size_t> missing;
  std::vector<Evaluation> evaluations;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (rows[i]) continue;
    missing.push_back(i);
    evaluations.push_back(evaluation_of(bench, points[i], machine.spec, options.settings));
  }
  EvaluateOptions how;
  how.title = bench.name;
  how.shows = options.progress ? Progress::Shows::kRows : Progress::Shows::kNothing;
  how.done_before = run.reused;
  how.children = {options.jobs, options.timeout, options.memory};
  how.executor = options.executor;
  how.cache = options.cache;
  how.on_row = [&](std::size_t index, const Row& row, const std::string& output) {
    const LabelledPoint& point = points[missing[index]];
    partial.append(row);
    log_point(point, row, output);
    return row_line(bench, point, row);
  };
  Evaluated evaluated = evaluate(evaluations, how);
  run.known = evaluated.known;
  run.stopped_by = evaluated.stopped_by;
  for (std::size_t i = 0; i < missing.size(); ++i) rows[missing[i]] = std::move(evaluated.rows[i]);
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
  std::vector<Evaluation> evaluations;
  evaluations.reserve(all.size());
  for (const LabelledPoint& point : all) {
    evaluations.push_back({point.point, [&bench, &machine, &point = point.point] {
                             return made_by_bench([&] { return bench.theory(machine, point); });
                           }});
  }
  EvaluateOptions how;
  how.shows = Progress::Shows::kNothing;
  how.children = {options.jobs, options.timeout, options.memory};
  Evaluated evaluated = evaluate(evaluations, how);
  run.stopped_by = evaluated.stopped_by;
  if (run.stopped_by != 0) return;
  const std::set<std::string> own = texts_of(points);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Row& row = run.theory.rows.emplace_back(std::move(*evaluated.rows[i]));
    if (row.status == "failed") spdlog::error("{}: theory: {}", all[i].name, row.reason);
    if (!own.contains(row.point.dump())) continue;
    ++run.attempted;
    if (row.status == "failed") ++run.failed;
  }
}

}  // namespace

std::optional<MemoryNeed> memory_need(const Bench& bench, const LabelledPoint& point, const MachineSpec& machine,
                                      const PointSettings& settings) {
  if (!bench.memory) return std::nullopt;
  try {
    return MemoryNeed{point.name, bench.memory(machine, point.point, settings),
                      "a smaller machine, or leave the point out with --only"};
  } catch (const ConfigError&) {
    return std::nullopt;  // a point that this machine cannot run: its row will say so
  }
}

std::vector<MemoryNeed> memory_needs(const Bench& bench, const std::vector<LabelledPoint>& points,
                                     const MachineSpec& machine, const PointSettings& settings) {
  std::vector<MemoryNeed> needs;
  for (const LabelledPoint& point : points) {
    if (std::optional<MemoryNeed> need = memory_need(bench, point, machine, settings)) {
      needs.push_back(std::move(*need));
    }
  }
  return needs;
}

Evaluation evaluation_of(const Bench& bench, const LabelledPoint& point, const MachineSpec& machine,
                         const PointSettings& settings) {
  Evaluation evaluation;
  evaluation.point = point.point;
  evaluation.cost = cost_of(bench, machine, point.point);
  evaluation.simulate = [&bench, &machine, point = point.point, settings] {
    return made_by_bench([&] { return bench.simulate(machine, point, settings); });
  };
  evaluation.identity = [&bench, &machine, point = point.point, settings] {
    return identity_of(bench, machine, point, settings);
  };
  return evaluation;
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
  std::vector<Evaluation> evaluations;
  evaluations.reserve(points.size());
  for (const LabelledPoint& point : points) {
    evaluations.push_back(evaluation_of(bench, point, machine.spec, options.settings));
    planned.push_back({known.contains(point.point.dump()), evaluations.back().cost});
    total += planned.back().cost;
  }
  if (options.cache != nullptr) {
    const std::vector<bool> cached = known_evaluations(evaluations, *options.cache);
    for (std::size_t i = 0; i < planned.size(); ++i) planned[i].known = planned[i].known || cached[i];
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
  simulate_missing(bench, points, machine, options, partial, rows, run);
  if (run.known > 0) {
    spdlog::info("{} of {} points are known from other runs (--no-cache simulates them again)", run.known,
                 points.size());
  }

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
