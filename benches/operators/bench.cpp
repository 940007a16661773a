// operators: LayerNorm, GELU, softmax, ... over shapes, on the PEs of a package (docs/operators.md).
#include "benches/harness/bench.hpp"

#include <utility>

#include "benches/harness/collective/pe_set.hpp"
#include "benches/harness/open_axis.hpp"
#include "benches/harness/results/row_from_operator.hpp"
#include "benches/operators/figures.hpp"
#include "sim/plan/network/network_size.hpp"
#include "sim/system/operators/operator_run.hpp"

namespace kernbench {
namespace {

/// What a point asks for, on the part of a machine that does it.
struct OperatorPoint {
  PeSet over;
  OperatorProblem problem;

  OperatorPoint(const MachineSpec& machine, const Point& point)
      : over(parse_pes("over", point.at("over").get<std::string>(), machine)),
        problem{parse_operator(point.at("operation").get<std::string>(), "operation"), point.at("batch_size"),
                point.at("sequence_length"), point.at("tensor_dimension"),
                parse_dtype(point.at("dtype").get<std::string>(), "dtype")} {
    check_operator(problem);
  }
  [[nodiscard]] std::int64_t pes() const { return static_cast<std::int64_t>(over.pes.size()); }
  [[nodiscard]] OperatorPlan plan() const { return plan_operator_on(over.machine, problem, pes()); }
};

Row simulate(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  const OperatorPoint asked(machine, point);
  const OperatorPlan plan = asked.plan();
  RunSettings run;
  run.verify = settings.verify;
  Row row = row_of_operator(run_operator(asked.over.machine, plan, asked.over.pes, run), plan, asked.over.machine);
  if (settings.verify) row.flags.emplace_back("verified");
  row.stages.clear();  // of each of many PEs, which do the same
  return row;
}

MemoryEstimate memory(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  const OperatorPoint asked(machine, point);
  MemoryEstimate estimate = network_memory(asked.over.machine);
  estimate.add(operator_memory(asked.over.machine, asked.problem, asked.pes(), settings.verify));
  return estimate;
}

void check(const MachineSpec& machine, const Point& point) { static_cast<void>(OperatorPoint(machine, point)); }

/// In packets, and what a PE costs before them.
double cost(const MachineSpec& machine, const Point& point) {
  constexpr double kSetUpOfPe = 50;
  const OperatorPoint asked(machine, point);
  return kSetUpOfPe * static_cast<double>(asked.pes()) +
         static_cast<double>(asked.problem.least_read() + asked.problem.least_written()) /
             static_cast<double>(machine.simulation.packet);
}

Row theory(const MachineSpec& machine, const Point& point) {
  const OperatorPoint asked(machine, point);
  return row_of_operator_bound(asked.plan(), asked.over.machine);
}

Axis with_values(Axis axis, std::vector<AxisValue> values) {
  axis.values = std::move(values);
  return axis;
}

std::vector<AxisValue> all_operators() {
  std::vector<AxisValue> values;
  for (const Operator op : kOperators.values()) {
    const std::string name(kOperators[op]);
    values.emplace_back(name, Json(name));
  }
  return values;
}

Axis operation_axis() {
  const auto read = [](const std::string& text) -> AxisValue {
    const std::string name(kOperators[parse_operator(text, "an operator")]);
    return {name, Json(name)};
  };
  return {"operation", all_operators(), OpenAxis{{}, read}};
}

const bool registered = register_bench({
    .name = "operators",
    .summary = "LayerNorm, RMSNorm, GELU, Swish, softmax, MSE, cross-entropy, rotary: axes take any shape",
    .version = "2",
    .folder = "benches/operators",
    .axes = {operation_axis(),
             {"implementation", {"plan"}},
             with_values(dimension_axis("batch_size"), {1, 8, 32}),
             with_values(dimension_axis("sequence_length"), {128, 1024}),
             with_values(dimension_axis("tensor_dimension"), {768, 4096}),
             text_axis("dtype", "bf16",
                       [](const std::string& text) { static_cast<void>(parse_dtype(text, "a dtype")); }),
             text_axis("over", "package", [](const std::string&) {})},
    .uses_network = true,
    .report = {{"time_ns", "time (ns)"},
               {"efficiency", "efficiency", true},
               {"throughput_gbps", "GB/s"},
               {"vector_util", "vector unit", true}},
    .simulate = simulate,
    .memory = memory,
    .cost = cost,
    .theory = theory,
    .check = check,
    .figures = operator_figures,
    .headline = operators_headline,
    .measured_bench = "gpu-operators",
    .figures_beside = operator_figures_beside,
});

}  // namespace
}  // namespace kernbench
