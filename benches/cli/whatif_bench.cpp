// `kernbench whatif bench`: the points of a bench as one workload.
#include <memory>

#include "benches/cli/machine_options.hpp"
#include "benches/cli/whatif.hpp"
#include "benches/experiments/run/run_bench.hpp"
#include "benches/experiments/whatif/bench_axes.hpp"
#include "benches/experiments/whatif/what_if_bench.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/selection.hpp"

namespace kernbench {
namespace {

/// Every point on every machine; a row for each machine.
class BenchOnMachines {
 public:
  BenchOnMachines(const PointsAsked& asked, Evaluator& evaluator)
      : bench_(asked.bench), points_(asked.points), changed_(asked.changed), evaluator_(evaluator) {}

  /// On the first machine, once it has been asked.
  [[nodiscard]] const std::vector<Row>& base() const { return base_; }

  std::vector<Row> operator()(const std::vector<MachineSpec>& machines) {
    std::vector<Evaluation> evaluations;
    for (const MachineSpec& machine : machines) {
      for (const LabelledPoint& point : points_) {
        evaluations.push_back(evaluation_of(bench_, point, machine, {}));
        evaluations.back().memory = memory_need(bench_, point, machine, {});
      }
    }
    const std::vector<Row> all = evaluator_(evaluations);
    std::vector<Row> means;
    for (std::size_t i = 0; i < machines.size(); ++i) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(i * points_.size());
      const std::vector<Row> rows(first, first + static_cast<std::ptrdiff_t>(points_.size()));
      if (base_.empty()) hold(rows);
      means.push_back(mean_row(rows, base_));
    }
    return means;
  }

 private:
  /// The first machine is asked alone.
  void hold(const std::vector<Row>& rows) {
    base_ = rows;
    if (!changed_) return;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].status == "ok") points_[i].point = changed_(points_[i].point, rows[i]);
    }
  }

  const Bench& bench_;
  std::vector<LabelledPoint> points_;
  std::function<Point(const Point&, const Row& base)> changed_;
  Evaluator& evaluator_;
  std::vector<Row> base_{};  // of the first machine
};

}  // namespace

namespace {

/// What was chosen on a machine: a mapping, or a kernel of a GPU's library.
std::string choice_of(const Row& row) {
  return row.metrics.value_or(kMappingText, row.metrics.value_or(kKernelText, ""));
}

/// Nothing where it does not run.
std::optional<FreeChange> free_change(const PointsAsked& asked, const MachineSpec& machine, Evaluator& evaluator) {
  const PointsAsked best{asked.bench, {*asked.freely}, "", {}};
  Row row = BenchOnMachines(best, evaluator)({machine}).front();
  if (row.status != "ok") return std::nullopt;
  return FreeChange{choice_of(row), std::move(row)};
}

}  // namespace

int answer_what_if(const PointsAsked& asked, const LoadedMachine& machine, const PointsOptions& options) {
  WhatIfReport report;
  report.title = asked.title;
  Evaluator evaluator("whatif", options.child, options.what_if.cache);
  if (asked.freely) report.free = free_change(asked, machine.spec, evaluator);
  BenchOnMachines evaluate(asked, evaluator);
  const Evaluate each = std::ref(evaluate);
  const WhatIfQuestion question{asked.bench.name, asked.words, *options.machine, machine, each, evaluator};
  return answer_what_if(std::move(report), question, options.what_if, options.output);
}

}  // namespace kernbench

namespace kernbench::whatif_bench_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench whatif bench milestone-1h-gemm --only variant=ref_ref
  kernbench whatif bench milestone-1h-ccl --only case=all_reduce-ring-die-tcm,size=1MiB

The time is the geometric mean of the points' times.)";

struct Options : PointsOptions {
  std::string bench;
  std::string only;
};

int run(const Options& options) {
  const Bench bench = with_only(options.machine->side_of(find_bench(options.bench)), options.only);
  require_any_machine(bench, "whatif bench");
  const std::vector<LabelledPoint> points = select_points(bench, options.only);
  const LoadedMachine machine = options.machine->load(bench);
  PointsAsked asked{bench, points, "", {"bench", bench.name}};
  asked.title =
      bench.name + ", " + counted(static_cast<std::int64_t>(points.size()), "point") + " on " + machine.spec.name;
  if (!options.only.empty()) asked.words.insert(asked.words.end(), {"--only", options.only});
  return answer_what_if(asked, machine, options);
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  command.add_option("BENCH,--bench", options->bench, "Which bench; `kernbench list` names them")
      .required()
      .type_name("NAME");
  command.add_option("--only", options->only, "Only points with these values").type_name("AXIS=VALUE,...");
  options->what_if.add_to(command, options->machine, options->child, options->output);
  command.footer(kExamples);
  return [options] { return run(*options); };
}

}  // namespace kernbench::whatif_bench_command
