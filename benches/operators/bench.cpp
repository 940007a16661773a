// operators: LayerNorm, GELU, softmax, ... over shapes, on the PEs of a package or on a GPU (docs/operators.md).
#include "benches/operators/figures.hpp"
#include "benches/operators/workload.hpp"
#include "sim/plan/operators/operator.hpp"

namespace kernbench {
namespace {

std::vector<AxisValue> all_operators() {
  std::vector<AxisValue> values;
  for (const std::string_view name : kOperators.all()) values.emplace_back(std::string(name), Json(name));
  return values;
}

Bench operators_bench() {
  Bench bench = bench_of(operator_workload(), {{"operation", all_operators()},
                                               {"batch_size", {1, 8, 32}},
                                               {"sequence_length", {128, 1024}},
                                               {"tensor_dimension", {768, 4096}}});
  bench.name = "operators";
  bench.summary = "LayerNorm, RMSNorm, GELU, Swish, softmax, MSE, cross-entropy, rotary: axes take any shape";
  bench.figures = operator_figures;
  bench.headline = operators_headline;
  bench.measured_bench = "gpu-operators";
  bench.figures_beside = operator_figures_beside;
  return bench;
}

const bool registered = register_workload(operator_workload(), operators_bench());

}  // namespace
}  // namespace kernbench
