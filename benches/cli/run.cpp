// `kernbench run`: simulates the points of a bench, or reads its committed results, and draws its figures.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "benches/cli/committed.hpp"
#include "benches/cli/evaluator.hpp"
#include "benches/cli/executor_option.hpp"
#include "benches/cli/machine_options.hpp"
#include "benches/cli/memory_option.hpp"
#include "benches/cli/output_options.hpp"
#include "benches/cli/points_of_run.hpp"
#include "benches/cli/run_outputs.hpp"
#include "benches/cli/run_summary.hpp"
#include "benches/cli/written_text.hpp"
#include "benches/experiments/run/isolated.hpp"
#include "benches/experiments/run/run_bench.hpp"
#include "benches/experiments/whatif/sweep.hpp"
#include "benches/io/files/run_outputs.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/program/program.hpp"
#include "benches/io/text/log.hpp"
#include "benches/io/text/shell.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/results/rows/store.hpp"
#include "benches/workloads/selection.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench::run_command {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(Examples:
  kernbench run milestone-1h-gemm
  kernbench run milestone-1h-gemm --only shape=128x128x128,variant=load_ref
  kernbench run milestone-1h-gemm --set pe.dma.outstanding_bursts=4 --out out/few
  kernbench run milestone-1h-gemm --sweep 'die.hbm.bandwidth=128..1024*2 GB/s' \
      --link die.router.link_bandwidth=die.hbm.bandwidth
  kernbench run gemm --only k=4096,n=4096 --sweep m=1..4096*4 --sweep variant=ref_ref,auto
  kernbench run milestone-1h-gemm --fast    (or MILESTONE_FAST=1)

Writes OUT/BENCH/results.json, results.csv, theory.json, theory.csv, figures/ and index.html. A run that was
interrupted goes on where it stopped when the same command is given again. A sweep writes to OUT/BENCH-sweep, a row
for each point on each machine. Exit code 1: some rows failed.)";

struct Options : PointsOfRun {
  std::string bench;
  std::shared_ptr<MachineOptions> machine;
  std::string show;
  fs::path out = "out";
  int jobs = 0;
  double timeout_s = 600;
  MemoryOption memory;
  bool fast = false;
  bool fresh = false;
  bool replace = false;
  bool dry_run = false;
  bool verify = false;
  bool no_provenance = false;
  bool no_figures = false;
  CacheOption cache;
  ExecutorOption executor;
  bool quiet = false;
  int verbose = 0;
  WideOption wide;
};

Verbosity verbosity(const Options& options) {
  if (options.quiet) return Verbosity::kQuiet;
  if (options.verbose == 0) return Verbosity::kNormal;
  return options.verbose == 1 ? Verbosity::kVerbose : Verbosity::kDebug;
}

bool fast_wanted(const Options& options) {
  const char* environment = std::getenv("MILESTONE_FAST");
  return options.fast || (environment != nullptr && std::strcmp(environment, "1") == 0);
}

/// The rows of the selected points, in the order of the points.
void keep_selected(Results& results, const std::vector<LabelledPoint>& points) {
  std::vector<Row> kept;
  for (const LabelledPoint& point : points) {
    const auto row = std::find_if(results.rows.begin(), results.rows.end(),
                                  [&point](const Row& candidate) { return candidate.point == point.point; });
    if (row != results.rows.end()) kept.push_back(*row);
  }
  results.rows = std::move(kept);
}

std::vector<Json> points_of(const std::vector<LabelledPoint>& labelled) {
  std::vector<Json> points;
  points.reserve(labelled.size());
  for (const LabelledPoint& point : labelled) points.push_back(point.point);
  return points;
}

/// The committed results as if they had just been run; says how they are stale.
BenchRun committed_run(const Bench& bench, const std::vector<LabelledPoint>& points, const LoadedMachine& machine) {
  auto committed = read_committed(bench);
  if (!committed) {
    throw ConfigError("--fast: " + bench.name + " has no committed results in " + committed_folder(bench).string() +
                      ": run it without --fast first");
  }
  const auto reasons = staleness(committed->simulated.source, current_source(bench, machine, "sim"));
  if (reasons.empty()) {
    spdlog::info("not simulated: {} is up to date", (committed_folder(bench) / "results.json").string());
  } else {
    spdlog::warn("not simulated, and the committed results are STALE: {}", joined_in_words(reasons));
  }
  BenchRun run;
  run.simulated = std::move(committed->simulated);
  run.theory = std::move(committed->theory);
  keep_selected(run.simulated, points);
  keep_selected(run.theory, points);
  if (run.simulated.rows.size() < points.size()) {
    throw ConfigError("--fast: " + bench.name +
                      " has no committed results of some of these points: run it without --fast");
  }
  derive_rows(bench, run.simulated);
  for (const Results* results : {&run.simulated, &run.theory}) {
    run.attempted += results->rows.size();
    for (const Row& row : results->rows) run.failed += row.status == "failed" ? 1 : 0;
  }
  return run;
}

/// The command line by which these numbers come out again, wherever they are written to.
std::string command_line(const Options& options) {
  std::string line = "kernbench run --bench " + options.bench;
  for (const std::string& argument : options.machine->given()) line += " " + quoted_for_shell(argument);
  line += options.given();
  if (options.verify) line += " --verify";
  if (fast_wanted(options)) line += " --fast";
  return line;
}

void require_no_set_of_swept(const Bench& bench, const LoadedMachine& machine) {
  const Point first = expand_points(bench).front().point;
  for (const auto& [key, value] : machine.settings) {
    if (std::ranges::find(bench.machine_defaults, key + "=" + value) != bench.machine_defaults.end()) continue;
    if (first.contains(key)) throw ConfigError("--set " + key + "=" + value + ": expected no key that --sweep has");
  }
}

/// Results of another machine or sweep stay unless --replace says otherwise.
void require_same_experiment(const Options& options, const Bench& bench, const Source& here) {
  const fs::path file = options.out / bench.name / "results.json";
  if (options.replace || !fs::exists(file)) return;
  std::vector<std::string> differences;
  try {
    const Results there = read_results(file);
    if (there.source.machine_sha256 != here.machine_sha256) {
      differences = staleness(there.source, here);
    } else if ((!options.sweeps.empty() || !options.points.empty() || is_open(bench)) &&
               there.source.bench == here.bench && has_other_points(there.rows, bench)) {
      differences = {"rows of other points"};
    } else {
      return;
    }
  } catch (const ConfigError&) {
    return;  // no results
  }
  throw ConfigError(file.string() + " has results of another experiment: " + joined_in_words(differences) +
                    ": expected --out with a folder of their own for these, or --replace");
}

/// Of a sweep; a run without one is how numbers are checked, and simulates (37.3).
std::unique_ptr<EvaluationCache> cache_of(const Options& options) {
  if (options.sweeps.empty() || options.fresh) return nullptr;
  if (options.dry_run && !has_evaluation_cache(evaluation_cache_folder())) return nullptr;  // which writes nothing
  return options.cache.open();
}

/// In tasks of a cluster, where that is asked for.
std::unique_ptr<SlurmExecutor> cluster_of(const Options& options, const Bench& bench, const LoadedMachine& machine) {
  if (!options.executor.is_cluster() || fast_wanted(options)) return nullptr;
  Experiment experiment{options.bench, bench.version, !options.sweeps.empty(), machine.spec, {options.verify}};
  experiment.jobs = std::max(options.jobs, 1);
  experiment.timeout_s = options.timeout_s;
  experiment.memory = options.memory.given() ? options.memory.limit().bytes : 0;
  return options.executor.open(std::move(experiment), options.out, bench.name, options.fresh);
}

int run(const Options& options) {
  set_up_log(verbosity(options));
  options.executor.check();
  const Bench& registered = options.machine->side_of(find_bench(options.bench));
  const LoadedMachine machine = options.machine->load(registered);
  if (options.verify) require_pes(machine, "--verify");
  if (options.executor.is_cluster()) require_pes(machine, "--executor slurm");
  const Bench bench = options.bench_of(registered, machine.spec, fast_wanted(options));
  std::vector<LabelledPoint> points = select_points(bench, options.only);
  if (!options.sweeps.empty()) require_few(points);
  print_notes(options.check(bench, machine.spec, points));
  static_cast<void>(run_toggles(bench, options.show));  // refuses what there is not, before anything is simulated
  require_no_set_of_swept(bench, machine);
  const std::unique_ptr<EvaluationCache> cache = cache_of(options);
  if (options.dry_run) {
    RunOptions how;
    how.fresh = options.fresh;
    how.cache = cache.get();
    how.settings.verify = options.verify;
    const auto planned = plan_run(bench, points, machine, options.out / bench.name, how);
    std::cout << format_plan(bench, points, planned, options.wide.terminal());
    return 0;
  }
  if (bench.uses_network) {
    note_defaults(machine);
    warn_of_buffers(machine.spec);
  }

  BenchRun run;
  if (fast_wanted(options)) run = committed_run(bench, points, machine);

  require_same_experiment(options, bench,
                          fast_wanted(options) ? run.simulated.source : current_source(bench, machine, "sim"));
  RunFolder folder(options.out / bench.name);
  require_own_outputs(folder.path());
  const std::unique_ptr<SlurmExecutor> cluster = cluster_of(options, bench, machine);
  if (!fast_wanted(options)) {
    RunOptions how;
    how.jobs = options.jobs;
    how.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout_s * 1000));
    how.fresh = options.fresh;
    how.settings.verify = options.verify;
    const MemoryLimit limit = options.memory.limit();
    how.jobs = options.jobs > 0 ? options.jobs : available_cores();
    if (cluster == nullptr) {  // whose nodes have a memory of their own
      how.jobs = limit.jobs_that_fit(memory_needs(bench, points, machine.spec, how.settings), how.jobs);
    }
    how.memory = limit.bytes / std::clamp(static_cast<int>(points.size()), 1, how.jobs);
    how.progress = !options.quiet;
    how.provenance = !options.no_provenance;
    how.command = command_line(options);
    how.cache = cache.get();
    how.executor = cluster.get();
    run = run_bench(bench, points, machine, folder, how);
    if (run.stopped_by != 0) {
      spdlog::warn("interrupted with {} of {} points done, which are kept: the same command goes on from there",
                   run.attempted, points.size());
      return 128 + run.stopped_by;
    }
  }
  const std::vector<fs::path> files =
      write_run({bench, run, machine, command_line(options), options.show}, folder, !options.no_figures);
  if (run.failed == 0) folder.discard_partial_rows(points_of(points));
  if (run.failed == 0 && cluster != nullptr) cluster->discard();
  if (!options.quiet) {
    std::cout << format_summary(bench, points, run, options.wide.terminal());
    if (!options.points.empty()) {
      std::cout << format_totals(run.simulated, options.wide.terminal())
                << prose(bench.headline(run.simulated, run.theory), options.wide.terminal()) << '\n';
    }
    std::cout << written_text(files, folder.path(), options.verbose > 0);
  }
  if (run.failed == 0) return 0;
  spdlog::error("{} of {} rows failed", run.failed, run.attempted);
  return 1;
}

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  command.add_option("BENCH,--bench", options->bench, "Which bench; `kernbench list` names them")
      .required()
      .type_name("NAME");
  options->machine = MachineOptions::add_to(command);
  options->add_to(command);
  command
      .add_option("--show", options->show,
                  "What the page shows at first, of what its buttons show and hide (universal-gemm)")
      .type_name("AXIS=VALUE,...");
  command.add_option("--out", options->out, "Output folder").type_name("DIR").show_default().writes_folder();
  command.add_option("--jobs,-j", options->jobs, "Points at a time; 0: one for each core")
      .rule(whole_number(0, 4096))
      .type_name("N")
      .show_default();
  command.add_option("--timeout", options->timeout_s, "Limit for one point in seconds; 0: none")
      .rule(seconds_or_none())
      .type_name("SECONDS")
      .show_default();
  options->memory.add_to(command);
  Option& fast = command.add_flag("--fast", options->fast,
                                  "Do not simulate: draw from the committed results, and say if they are stale");
  command
      .add_flag("--dry-run,--plan", options->dry_run,
                "List the points, what each costs, and which are known; run nothing")
      .excludes(fast);
  command.add_flag("--verify", options->verify, "Carry operand values through every run and compare the results");
  command.add_flag("--fresh", options->fresh,
                   "Do not take over rows of an interrupted run; nor, in a sweep, known ones");
  options->cache.add_to(command);
  options->executor.add_to(command);
  command.add_flag("--replace", options->replace, "Results of another machine or sweep in the output folder may go");
  command.add_flag("--no-figures", options->no_figures, "Data only");
  command.add_flag("--no-provenance", options->no_provenance, "Leave host, date and wall time out of the files");
  Option& quiet = command.add_flag("--quiet,-q", options->quiet, "Warnings and errors only");
  command.add_flag("--verbose,-v", options->verbose, "Name every file that is written; -vv: also what points print")
      .excludes(quiet);
  options->wide.add_to(command);
  command.footer(kExamples);
  return [options] { return run(*options); };
}

const bool registered = register_command({10, "run", "Run a bench: simulate, write results, draw figures", set_up});

}  // namespace
}  // namespace kernbench::run_command
