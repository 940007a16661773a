// `kernbench search`: which machine is best for a bench.
#include <algorithm>
#include <cmath>
#include <memory>

#include "benches/cli/answer_outputs.hpp"
#include "benches/cli/evaluator.hpp"
#include "benches/cli/machine_options.hpp"
#include "benches/cli/search_report.hpp"
#include "benches/cli/sim_run.hpp"
#include "benches/experiments/run/run_bench.hpp"
#include "benches/experiments/search/search_figures.hpp"
#include "benches/experiments/whatif/bench_axes.hpp"
#include "benches/experiments/whatif/what_if_bench.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/program/program.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/shell.hpp"
#include "benches/workloads/selection.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench::search_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench search milestone-1h-gemm --only shape=512x512x512,variant=ref_ref \
      --vary 'die.hbm.bandwidth=128..2048 GB/s' --vary 'die.router.link_bandwidth=128..2048 GB/s' \
      --vary pe.dma.outstanding_bursts=16..512*2 --where 'die.hbm.bandwidth <= die.router.link_bandwidth' \
      --target 'mac_util >= 0.8' --minimise 'wires = die.hbm.bandwidth + die.router.link_bandwidth'
  kernbench search gemm --only m=1024,k=4096,n=1024 --vary variant=ref_ref,load_ref --vary ... --minimise time_ns
  kernbench search ... --minimise time_ns --minimise 'pe.mac.macs_per_cycle'     what no other machine beats in both
  kernbench search ... --sensitivity time_ns                                     which key decides, over all of them

Expressions have + - * / ^ and brackets, keys of the machine in base units (bytes, bytes a second, picoseconds, Hz),
numbers with units (96 MiB, 512 GB/s), sections of rows and columns as their product (die.routers), cost where the
machine file has prices, and metrics of the bench (mac_util, energy_pj); of several points the mean, or mac_util.min,
mac_util.max.)";

struct Options {
  std::string bench;
  std::string only;
  std::vector<std::string> varied;
  std::vector<std::string> links;
  std::vector<std::string> conditions;
  std::vector<std::string> targets;
  std::vector<std::string> minimised;
  std::vector<std::string> maximised;
  std::string sensitivity;
  std::int64_t budget = 500;
  std::int64_t seed = 1;
  bool no_baseline = false;
  std::string out;  ///< folder of results, figures and page; empty: none
  std::shared_ptr<MachineOptions> machine;
  ChildOptions child;
  CacheOption cache;
  OutputOptions output;
};

/// Runs the points of choices; a row for each choice.
class BenchOnChoices {
 public:
  BenchOnChoices(const Bench& bench, const std::vector<LabelledPoint>& points, const Space& space, Evaluator& evaluator)
      : bench_(bench), points_(points), space_(space), evaluator_(evaluator) {}

  std::vector<Row> operator()(const std::vector<Choice>& choices) const {
    std::vector<MachineSpec> machines;
    for (const Choice& choice : choices) machines.push_back(space_.machine(choice));
    return rows_on(machines, choices);
  }

  /// The machine as it is, with what a choice has of the bench.
  [[nodiscard]] Row on(const MachineSpec& machine, const Choice& choice) const {
    return rows_on({machine}, {choice}).front();
  }

  /// With packets of a burst of the HBM at most, the finest that move a time (38.6).
  [[nodiscard]] Row in_full_detail(const Choice& choice) const {
    MachineSpec machine = space_.machine(choice);
    machine.simulation.packet = std::min(machine.simulation.packet, machine.die.hbm.burst);
    return rows_on({machine}, {choice}).front();
  }

 private:
  [[nodiscard]] std::vector<Row> rows_on(const std::vector<MachineSpec>& machines,
                                         const std::vector<Choice>& choices) const {
    std::vector<Evaluation> evaluations;
    std::vector<std::size_t> counts;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const std::vector<std::size_t> chosen = space_.points(choices[i]);
      counts.push_back(chosen.size());
      for (const std::size_t p : chosen) {
        evaluations.push_back(evaluation_of(bench_, points_[p], machines[i], {}));
        evaluations.back().memory = memory_need(bench_, points_[p], machines[i], {});
      }
    }
    const std::vector<Row> all = evaluator_(evaluations);
    std::vector<Row> rows;
    auto first = all.begin();
    for (const std::size_t count : counts) {
      const auto last = first + static_cast<std::ptrdiff_t>(count);
      rows.push_back(summary_row({first, last}));
      first = last;
    }
    return rows;
  }

  const Bench& bench_;
  const std::vector<LabelledPoint>& points_;
  const Space& space_;
  Evaluator& evaluator_;
};

Question question_of(const Options& options) {
  Question question;
  for (const std::string& text : options.minimised) question.goals.push_back(goal_of("--minimise", text, false));
  for (const std::string& text : options.maximised) question.goals.push_back(goal_of("--maximise", text, true));
  for (const std::string& text : options.targets) question.targets.emplace_back("--target", text);
  if (question.goals.size() > 3) {
    throw ConfigError("--minimise, --maximise: expected at most three goals, got " +
                      std::to_string(question.goals.size()));
  }
  if (question.goals.empty() && options.sensitivity.empty()) {
    throw ConfigError("expected what to look for: --minimise, --maximise or --sensitivity, such as --minimise time_ns");
  }
  question.budget = static_cast<std::size_t>(options.budget);
  question.seed = static_cast<std::uint32_t>(options.seed);
  return question;
}

/// What simulating the answer once more says.
std::string confirmation(const Question& question, const MachineSpec& machine, const Candidate& best, const Row& row) {
  if (row.status != "ok") return "NO: simulated once more it " + row.status + ": " + row.reason;
  for (const Condition& target : question.targets) {
    if (!target.holds(machine, &row)) return "NO: in full detail it misses " + target.text();
  }
  const double value = question.goals.front().expression.value(machine, &row);
  const double before = best.values.front();
  if (value == before) return "simulated once more, in full detail: the same";
  return "simulated once more, in full detail: " + percent(std::abs(value / before - 1)) +
         (value > before ? " more" : " less");
}

/// The command line by which this answer comes out again.
std::string command_line(const Options& options) {
  std::string line = "kernbench search --bench " + options.bench;
  for (const std::string& argument : options.machine->given()) line += " " + quoted_for_shell(argument);
  const auto add = [&line](const char* option, const std::vector<std::string>& values) {
    for (const std::string& value : values) line += std::string(" ") + option + " " + quoted_for_shell(value);
  };
  if (!options.only.empty()) add("--only", {options.only});
  add("--vary", options.varied);
  add("--link", options.links);
  add("--where", options.conditions);
  add("--target", options.targets);
  add("--minimise", options.minimised);
  add("--maximise", options.maximised);
  if (!options.sensitivity.empty()) add("--sensitivity", {options.sensitivity});
  return line + " --budget " + std::to_string(options.budget) + " --seed " + std::to_string(options.seed);
}

/// The answer in a sentence.
std::string headline_of(const SearchReport& report) {
  const std::string machines = counted(static_cast<std::int64_t>(report.found.tried.size()), "machine");
  if (report.question->goals.empty()) return "";
  if (report.question->goals.size() > 1) {
    return "Of " + machines + " that were tried " + std::to_string(report.found.front.size()) +
           " are beaten by no other in all goals.";
  }
  if (!report.found.best) return "None of " + machines + " that were tried meets the targets.";
  const Candidate& best = report.found.tried[*report.found.best];
  return "The best of " + machines + " has " + joined(report.space->settings(best.choice), ", ") + ".";
}

void write_out(const Options& options, const SearchReport& report, const LoadedMachine& machine) {
  AnswerToWrite answer{.title = "search: " + report.title,
                       .headline = headline_of(report),
                       .command = command_line(options),
                       .metrics = goal_texts(report.question->goals),
                       .figures = {},
                       .results = as_results(rows_of(report), "search-" + options.bench, machine)};
  for (const char* const metric : {"time_ns", "mac_util", "limited_by"}) answer.metrics.emplace_back(metric);
  if (!report.question->goals.empty()) {
    answer.figures =
        search_figures({*report.space, *report.question, report.found, report.random ? &*report.random : nullptr,
                        answer.results, places_of_tried(report), report.title});
  }
  if (report.influence && !report.influence->axes.empty()) {
    answer.figures.push_back(
        sensitivity_figure(*report.space, *report.influence, report.influence_of, answer.results, report.title));
  }
  write_answer(answer, machine, options.out);
}

/// That a search asks for, about, of so many points on each machine: of a budget, and of as many drawn at random.
std::size_t most_evaluations(const Options& options, const Question& question, const Space& space, std::size_t points) {
  const auto budget = static_cast<double>(question.budget);
  const bool all = space.size() <= budget;
  double machines = options.sensitivity.empty() ? 0 : std::min(space.size(), budget);
  if (!question.goals.empty()) machines += std::min(space.size(), budget) * (all || options.no_baseline ? 1 : 2);
  return static_cast<std::size_t>(machines * static_cast<double>(points));
}

int run(const Options& options) {
  if (!options.out.empty()) prepare_answer_folder(options.out, "search-" + options.bench);
  const Bench& registered = options.machine->side_of(find_bench(options.bench));
  const Bench bench = with_own_axes(registered, "--vary", options.varied, options.only).bench;
  require_any_machine(bench, "search");
  const std::vector<LabelledPoint> points = select_points(bench, options.only);
  const LoadedMachine machine = options.machine->load(bench);
  const Question question = question_of(options);
  for (const Goal& goal : question.goals) goal.expression.require_known(machine.spec);
  for (const Condition& target : question.targets) target.require_known(machine.spec);
  std::vector<Condition> conditions = machine_conditions(options.conditions);
  for (const Condition& condition : conditions) condition.require_known(machine.spec);
  const Space space(machine.spec, bench, points, options.varied, options.links, std::move(conditions));
  Evaluator evaluator("search", options.child, options.cache);
  const std::size_t points_of_each = space.points(space.as_it_is()).size();
  evaluator.expect(most_evaluations(options, question, space, points_of_each));
  const BenchOnChoices evaluate(bench, points, space, evaluator);
  SearchReport report{.title = bench.name + ", " + counted(static_cast<std::int64_t>(points_of_each), "point") +
                               " on " + machine.spec.name,
                      .machine = &machine.spec,
                      .space = &space,
                      .question = &question};
  if (!options.sensitivity.empty()) {
    report.influence_of = options.sensitivity;
    Expression expression("--sensitivity", options.sensitivity);
    expression.require_known(machine.spec);
    expression.require_same_dimensions(expression);
    report.influence = sensitivity(space, expression, question.budget, question.seed, evaluate);
  }
  if (!question.goals.empty()) {
    const Choice as_it_is = space.as_it_is();
    report.base = judged(question, machine.spec, as_it_is, evaluate.on(machine.spec, as_it_is));
    report.found = search(space, question, evaluate);
    if (!report.found.all && !options.no_baseline) {
      report.random = random_search(space, question, evaluate, report.found.tried.size());
      count_in(report.found, *report.random, question);
    }
    if (report.found.best) {
      const Candidate& best = report.found.tried[*report.found.best];
      Evaluator anew("search", options.child);
      report.confirmed = confirmation(question, space.machine(best.choice), best,
                                      BenchOnChoices(bench, points, space, anew).in_full_detail(best.choice));
    }
  }
  report.known = evaluator.known();
  if (!options.out.empty()) write_out(options, report, machine);
  options.output.deliver(
      [&](const Terminal& terminal) { return format_search(report, terminal); },
      results_documents([&] { return as_results(rows_of(report), "search-" + bench.name, machine); }));
  return report.found.best || !report.found.front.empty() || question.goals.empty() ? 0 : 1;
}

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  command.add_option("BENCH,--bench", options->bench, "Which bench; `kernbench list` names them")
      .required()
      .type_name("NAME");
  command.add_option("--only", options->only, "Only points with these values").type_name("AXIS=VALUE,...");
  command
      .add_option("--vary", options->varied,
                  "A key of the machine and its values, as of run --sweep, or FROM..TO, eight an octave; or an axis of "
                  "the bench")
      .type_name("KEY=VALUES")
      .one_value_each();
  command.add_option("--link", options->links, "Another key gets the value of a varied one")
      .type_name("KEY=VARIED")
      .one_value_each();
  command.add_option("--where", options->conditions, "Only machines of which this holds")
      .type_name("CONDITION")
      .one_value_each();
  command.add_option("--target", options->targets, "What has to hold of the results")
      .type_name("CONDITION")
      .one_value_each();
  command.add_option("--minimise", options->minimised, "What to make small; several goals: what no other machine beats")
      .type_name("[NAME=]EXPRESSION")
      .one_value_each();
  command.add_option("--maximise", options->maximised, "What to make large")
      .type_name("[NAME=]EXPRESSION")
      .one_value_each();
  command
      .add_option("--sensitivity", options->sensitivity,
                  "How much of its variance over all these machines is each key's")
      .type_name("EXPRESSION");
  command.add_option("--budget", options->budget, "At most so many machines are simulated for a question")
      .rule(whole_number(1, 1'000'000))
      .type_name("N")
      .show_default();
  command.add_option("--seed", options->seed, "Of what is drawn at random: the same seed, the same answer")
      .rule(whole_number(0, 4'000'000'000))
      .type_name("N")
      .show_default();
  command.add_flag("--no-baseline", options->no_baseline, "Do not draw as many machines at random to compare with");
  command.add_option("--out", options->out, "Write results, figures and a page into this folder")
      .type_name("DIR")
      .writes_folder();
  options->machine = MachineOptions::add_to(command);
  options->child.jobs = 0;
  options->child.add_jobs(command);
  options->child.add_limits(command);
  options->cache.add_to(command);
  options->output.add_to(command);
  command.footer(kExamples);
  return [options] { return run(*options); };
}

const bool registered = register_command({22, "search", "Which machine is best for a bench, under conditions", set_up});

}  // namespace
}  // namespace kernbench::search_command
