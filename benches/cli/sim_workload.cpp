// `kernbench sim W`: one point of a workload, shown in full, or several in a table.
#include "benches/cli/sim_workload.hpp"

#include <algorithm>
#include <iostream>
#include <memory>

#include "benches/cli/run_summary.hpp"
#include "benches/cli/sim_run.hpp"
#include "benches/cli/workload_options.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/plain_text.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/results/report/pes_report.hpp"
#include "benches/results/report/run_report.hpp"
#include "benches/results/rows/results_json.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/capacity_error.hpp"
#include "sim/base/errors.hpp"
#include "sim/system/model_version.hpp"

namespace kernbench {
namespace {

constexpr Metric<std::string> kMemoryText{"memory"};
constexpr Metric<double> kMemoryBytes{"memory_bytes"};

struct SimWorkloadOptions : SimOptions {
  const Workload& workload;
  bool plan = false;
  WorkloadOptions asked;

  explicit SimWorkloadOptions(const Workload& of) : workload(of), asked(of) {}
};

constexpr const char* kSimWorkloadEnd = R"(

An option may have several values, with commas between, and numbers a range, 64..1024*2 or 64..256+64: all combinations
are simulated and shown in a table.
Exit codes: 0 all well, 1 a simulation failed or computed a wrong value, 2 wrong input.)";

/// Of the trace: what it is of.
TraceHeader header_of(const std::string& title, const Point& point, const LoadedMachine& machine) {
  TraceHeader header{title,
                     {{"machine", machine.spec.name}, {"machine_sha256", machine.sha256}, {"model", kModelVersion}}};
  for (const auto& [name, value] : point.items()) {
    header.facts.emplace_back(name, plain_text(value));
  }
  return header;
}

/// What a child has estimated.
Json as_json(const std::vector<MemoryEstimate>& all) {
  Json estimates = Json::array();
  for (const MemoryEstimate& estimate : all) {
    Json parts = Json::array();
    for (const MemoryPart& part : estimate.parts()) parts.push_back({part.what, part.count, part.each});
    estimates.push_back(std::move(parts));
  }
  return estimates;
}

std::vector<MemoryEstimate> estimates_in(const Json& all) {
  std::vector<MemoryEstimate> estimates;
  for (const Json& parts : all) {
    MemoryEstimate& estimate = estimates.emplace_back();
    for (const Json& part : parts) {
      estimate.add(part.at(0).get<std::string>(), part.at(1).get<double>(), part.at(2).get<double>());
    }
  }
  return estimates;
}

/// The work that is asked for, on one machine.
class Asked {
 public:
  explicit Asked(const SimWorkloadOptions& options)
      : options_(options),
        answers_(options.workload.on(options.machine->kind(), options.machine->file())),
        bench_(side()),
        machine_(options.machine->load(bench_)) {
    for (LabelledPoint& point : expand_points(bench_)) {
      point.point = answers_.settle(machine_.spec, point.point);
      points_.push_back(std::move(point));
    }
    if (!options.asked.chosen_for_us().empty()) leave_out_what_cannot_be();
    for (const LabelledPoint& point : points_) titles_.push_back(answers_.title(machine_.spec, point.point));
    if (points_.size() > 1 && !options.trace.empty()) {
      throw ConfigError("--trace: expected one point, got " + std::to_string(points_.size()));
    }
    if (machine_.spec.gpu != nullptr) require_none_of_pes();
  }

  /// What would be done, without doing it: of each point its bound and the memory that it takes, or why it is skipped.
  [[nodiscard]] Results planned() const {
    const Prepared prepared = prepare();
    std::vector<MemoryNeed> needs;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (!prepared.plan.skipped[i].empty()) continue;
      needs.push_back({titles_[i], prepared.all[i].memory, advice_of(options_, answers_.smaller)});
    }
    static_cast<void>(options_.child.fitted(needs));
    const auto text = [&] {
      std::vector<Row> rows;
      for (std::size_t i = 0; i < points_.size(); ++i) {
        const std::string& skipped = prepared.plan.skipped[i];
        rows.push_back(skipped.empty() ? tried([&] { return bound_of(points_[i].point, prepared.all[i].memory); })
                                       : skipped_row(skipped));
      }
      return format_results(results_of(std::move(rows), "theory"));
    };
    return parse_results(plan_in_child(options_.child, text), "--plan");
  }

  [[nodiscard]] std::string plan_table(Results planned, const Terminal& terminal) const {
    for (Row& row : planned.rows) {
      if (row.metrics.has(kMemoryBytes)) {
        row.metrics.set(kMemoryText, approximate_bytes(row.metrics.at(kMemoryBytes)));
      }
    }
    Bench bench = bench_;
    bench.speed_up_over = "";
    bench.report = {{"time_ns", "bound (ns)"}, {"bottleneck", "bound by"}, {"bound", "bound by"}, {"memory", "memory"}};
    std::erase_if(bench.report, [&planned](const ReportColumn& column) {
      return std::ranges::none_of(planned.rows,
                                  [&](const Row& row) { return row.metrics.json().contains(column.metric); });
    });
    const std::string heading = styled(prose(title(), terminal), Style::kBold, terminal.colours);
    if (points_.size() == 1 && bench.report.empty()) {
      return heading +
             prose("There is neither a bound in closed form nor an estimate of memory. Nothing was simulated.",
                   terminal);
    }
    return heading + format_summary(bench, points_, {.simulated = planned, .theory = {}}, terminal) + "\n" +
           prose("Nothing was simulated.", terminal);
  }

  [[nodiscard]] Results simulated() const {
    return results_of(machine_.spec.gpu != nullptr ? computed() : simulated_rows(), "sim");
  }

  [[nodiscard]] std::string title() const {
    if (titles_.size() == 1) return titles_.front();
    return options_.workload.name + " on " + machine_.spec.name + ", " + std::to_string(titles_.size()) + " points";
  }

  [[nodiscard]] std::string tables(const Results& results, const std::vector<Row>& derived,
                                   const Terminal& terminal) const {
    const std::string heading = styled(prose(title(), terminal), Style::kBold, terminal.colours);
    if (points_.size() > 1) {
      const std::string summary = answers_.summary ? answers_.summary(derived, terminal) : "";
      return heading + format_summary(bench_, points_, {.simulated = results, .theory = {}}, terminal) + summary;
    }
    const Row& row = results.rows.front();
    std::string text = heading;
    if (answers_.report) {
      text += answers_.report(machine_.spec, points_.front().point, row, terminal);
    } else {
      text += format_ledgers(row, machine_.spec, terminal);
      for (const Fact& line : answers_.facts(row)) text += fact(line.name, line.value, terminal);
    }
    if (answers_.multi_pe && row.metrics.value_or(kPeCount, 1) > 1)
      text += format_repeated(row, "--no-fast-forward", terminal);
    return text + format_extras(row, options_.trace.string(), terminal);
  }

  /// Of one point, in a sentence: what its report begins with, else its time; empty of several.
  [[nodiscard]] std::string headline(const Results& results) const {
    const Row& row = results.rows.front();
    if (results.rows.size() > 1 || row.status != "ok") return "";
    const std::vector<Fact> facts = answers_.facts ? answers_.facts(row) : std::vector<Fact>{};
    const std::string limit = limit_text(row);
    return (facts.empty() ? "time " + one_decimal(row.metrics.at(kTime)) + " ns"
                          : facts.front().name + " " + facts.front().value) +
           (limit.empty() ? "" : "; limited by " + limit) + ".";
  }

  [[nodiscard]] std::vector<Row> derived(const Results& results) const {
    return answers_.derive ? answers_.derive(results) : std::vector<Row>{};
  }
  [[nodiscard]] const LoadedMachine& machine() const { return machine_; }
  /// Of the table of several.
  [[nodiscard]] std::vector<std::string> metrics() const {
    std::vector<std::string> names;
    for (const ReportColumn& column : answers_.columns) names.push_back(column.metric);
    return names;
  }

 private:
  struct Prepared {
    std::vector<Simulated> all;
    Planned plan;
  };

  /// A row a point.
  [[nodiscard]] Results results_of(std::vector<Row> rows, const char* kind) const {
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].point = points_[i].point;
    Results results = as_results(std::move(rows), "sim-" + options_.workload.name, machine_);
    results.source.kind = kind;
    results.source.bench = options_.workload.version;
    return results;
  }

  [[nodiscard]] Bench side() const {
    const MachineKind kind = options_.machine->kind();
    Bench bench = bench_of(options_.workload, options_.asked.values(kind));
    if (const Bench* const of_kind = side_of(bench, kind)) bench = Bench(*of_kind);
    bench.theory = {};  // its columns say it
    return bench;
  }

  /// Of values that one name stands for, as long as one of them can be.
  void leave_out_what_cannot_be() {
    const std::vector<std::string> chosen = options_.asked.chosen_for_us();
    const auto rest_of = [&chosen](Point point) {
      for (const std::string& field : chosen) point.erase(field);
      return point;
    };
    const auto can = [this](const LabelledPoint& point) {
      try {
        return !answers_.title(machine_.spec, point.point).empty();
      } catch (const ConfigError&) {
        return false;
      }
    };
    std::vector<Point> possible;
    for (const LabelledPoint& point : points_) {
      if (can(point)) possible.push_back(rest_of(point.point));
    }
    std::erase_if(points_, [&](const LabelledPoint& point) {
      return std::ranges::count(possible, rest_of(point.point)) > 0 && !can(point);
    });
  }

  void require_none_of_pes() const {
    if (options_.verify) require_pes(machine_, "--verify");
    if (!options_.trace.empty()) require_pes(machine_, "--trace");
    if (!options_.time_limit.empty()) require_pes(machine_, "--time-limit");
    if (options_.no_fast_forward) require_pes(machine_, "--no-fast-forward");
  }

  /// Where nothing is simulated event by event.
  [[nodiscard]] std::vector<Row> computed() const {
    std::vector<Row> rows;
    for (const LabelledPoint& point : points_) rows.push_back(answers_.run(machine_.spec, point.point, {}));
    return rows;
  }

  /// Refuses what no simulation need start for; says what the machine is short of.
  [[nodiscard]] Planned plan_of(const std::vector<Simulated>& all) const {
    if (!answers_.plan) return {.skipped = std::vector<std::string>(points_.size()), .memory = {}};
    const auto least = std::ranges::min_element(
        all, {}, [](const Simulated& one) { return one.memory.bytes(); });  // of all, some may be skipped
    options_.child.memory.limit().require({least->header.title, least->memory, advice_of(options_, answers_.smaller)});
    const Json planned = Json::parse(plan_in_child(options_.child, [this] {
      std::vector<Point> points;
      for (const LabelledPoint& point : points_) points.push_back(point.point);
      const Planned plan = answers_.plan(machine_.spec, points,
                                         {.choice = !options_.asked.chosen_for_us().empty(),
                                          .verify = options_.verify,
                                          .whole = options_.no_fast_forward || !options_.trace.empty()});
      return Json{{"warnings", plan.warnings},
                  {"notes", plan.notes},
                  {"skipped", plan.skipped},
                  {"memory", as_json(plan.memory)}}
          .dump();
    }));
    return {planned.at("warnings"), planned.at("notes"), planned.at("skipped"), estimates_in(planned.at("memory"))};
  }

  [[nodiscard]] static Row skipped_row(const std::string& why) {
    Row row;
    row.status = "skipped";
    row.reason = why;
    return row;
  }

  /// Of several values by one name those that the machine has no room for are skipped.
  [[nodiscard]] Row tried(const std::function<Row()>& make) const {
    if (options_.asked.chosen_for_us().empty()) return make();
    try {
      return make();
    } catch (const CapacityError& error) {
      return skipped_row(error.what());
    }
  }

  /// Where there is none the row says nothing of it.
  [[nodiscard]] Row bound_of(const Point& point, const MemoryEstimate& memory) const {
    Row row;
    if (answers_.set_up) answers_.set_up(machine_.spec, point);
    if (answers_.bound) row.metrics = answers_.bound(machine_.spec, point).metrics;
    if (!memory.parts().empty()) row.metrics.set(kMemoryBytes, memory.bytes());
    return row;
  }

  [[nodiscard]] Prepared prepare() const {
    std::vector<Simulated> all;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Point& point = points_[i].point;
      all.push_back({header_of(titles_[i], point, machine_),
                     answers_.memory ? answers_.memory(machine_.spec, point, {options_.verify}) : MemoryEstimate{},
                     [this, &point](const RunSettings& how) {
                       return tried([&] { return answers_.run(machine_.spec, point, how); });
                     }});
    }
    Planned plan = plan_of(all);
    for (const std::string& warning : plan.warnings) std::cerr << "warning: " << warning << '\n';
    print_notes(plan.notes);
    for (std::size_t i = 0; i < plan.memory.size(); ++i) all[i].memory = plan.memory[i];
    return {std::move(all), std::move(plan)};
  }

  [[nodiscard]] std::vector<Row> simulated_rows() const {
    const Prepared prepared = prepare();
    const std::vector<Simulated>& all = prepared.all;
    if (all.size() == 1) return {simulate_isolated(options_, all.front(), answers_.smaller)};
    std::vector<Simulated> worth;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (prepared.plan.skipped[i].empty()) worth.push_back(all[i]);
    }
    const std::vector<RowAnswer> answers = simulate_each(options_, worth, answers_.smaller);
    auto answer = answers.begin();
    std::vector<Row> rows;
    for (const std::string& why : prepared.plan.skipped) {
      rows.push_back(why.empty() ? (answer++)->row : skipped_row(why));
    }
    return rows;
  }

  const SimWorkloadOptions& options_;
  const WorkloadAnswers& answers_;
  Bench bench_;
  LoadedMachine machine_;
  std::vector<LabelledPoint> points_;
  std::vector<std::string> titles_;
};

/// Says what would be done.
int plan_sim_workload(const SimWorkloadOptions& options) {
  const Asked asked(options);
  Results planned = asked.planned();
  options.output.deliver([&](const Terminal& terminal) { return asked.plan_table(planned, terminal); },
                         results_documents([&] { return planned; }));
  return 0;
}

int run_sim_workload(const SimWorkloadOptions& options) {
  if (options.plan) return plan_sim_workload(options);
  const Asked asked(options);
  Results results = asked.simulated();
  const Results simulated = results;
  const std::vector<Row> derived = asked.derived(simulated);
  results.rows.insert(results.rows.end(), derived.begin(), derived.end());
  options.deliver([&](const Terminal& terminal) { return asked.tables(simulated, derived, terminal); }, results,
                  asked.machine(), asked.title(), asked.headline(simulated), asked.metrics());
  for (const Row& row : simulated.rows) {
    if (row.status == "failed") throw SimulationError(row.reason);
  }
  return 0;
}

}  // namespace

std::function<int()> set_up_sim_workload(CommandSpec& command, const Workload& workload) {
  auto options = std::make_shared<SimWorkloadOptions>(workload);
  options->asked.add_to(command);
  options->add_to(command);
  options->child.jobs = 0;
  options->child.add_jobs(command);
  if (workload.on_pes && workload.on_pes->multi_pe) {
    options->machine->add_packet(command);
    command.add_flag("--no-fast-forward", options->no_fast_forward,
                     "Simulate every PE and package, also where one stands for all (adr/0060, adr/0062)");
  }
  Option& plan = command.add_flag("--plan", options->plan,
                                  "Say what would be done: of each point its bound, the memory that it takes, whether "
                                  "it is skipped; simulates nothing");
  for (const auto& option : command.options()) {
    if (option->shown_name() == "--verify") options->asked.need_verify(*option);
    for (const char* name : {"--trace", "--time-limit", "--out"}) {
      if (option->shown_name() == name) plan.excludes(*option);
    }
  }
  command.footer(workload.examples + kSimWorkloadEnd);
  return [options] { return run_sim_workload(*options); };
}

void add_workload_commands(std::vector<ProgramCommand>& commands, int order, SetUpWorkload set_up) {
  for (const Workload& workload : all_workloads()) {
    commands.push_back({order, workload.name, workload.summary,
                        [&workload, set_up](CommandSpec& command) { return set_up(command, workload); }});
  }
}

}  // namespace kernbench
