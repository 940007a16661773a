// many-core-predicted and many-core-predicted-p150: products published of a chip of many cores beside what its
// simulated machine says.
#include <string>

#include "benches/many_core_predicted/errors.hpp"
#include "benches/many_core_predicted/published_products.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/row_from_multi_pe.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/collective/pe_set.hpp"
#include "sim/base/errors.hpp"
#include "sim/plan/network/network_plan.hpp"
#include "sim/system/multi_pe_choice.hpp"
#include "sim/system/run.hpp"

namespace kernbench {
namespace {

/// The array takes a tile in so many passes; pe.mac.macs_per_cycle is that of HiFi2.
std::int64_t passes_of(const std::string& fidelity) { return fidelity == "LoFi" ? 1 : fidelity == "HiFi2" ? 2 : 4; }

void set_fidelity(MacArraySpec& array, const std::string& fidelity) {
  const std::int64_t passes = passes_of(fidelity);
  if (array.has_shape() || array.macs_per_cycle * 2 % passes != 0) {
    throw ConfigError(fidelity + " takes " + std::to_string(passes) +
                      " passes of the array, and pe.mac.macs_per_cycle is of HiFi2's 2: expected an even number, got " +
                      (array.has_shape() ? "pe.mac.rows and columns" : std::to_string(array.macs_per_cycle)));
  }
  array.macs_per_cycle = array.macs_per_cycle * 2 / passes;
}

/// What the chip's library does: a grid of C's blocks, one a core; A's blocks go along rows, B's along columns.
struct Product {
  Product(MachineSpec machine, const Point& point)
      : problem{.m = point.at("m"),
                .k = point.at("k"),
                .n = point.at("n"),
                .dtype = parse_dtype(point.at("dtype").get<std::string>(), "dtype")} {
    set_fidelity(machine.pe.mac, point.at("fidelity"));
    over = parse_pes("over", "die", machine);
    const std::string grid =
        std::to_string(machine.die.routers.rows) + "x" + std::to_string(machine.die.routers.columns);
    request = {.problem = problem, .kernel = "grid_multicast", .pes = over.pes};
    plan = choose_placement(over.machine, plan_network(over.machine), request, "grid=" + grid);
    request.placement = plan.placement;
  }

  GemmProblem problem;
  PeSet over;
  MultiPeGemmRequest request;
  MultiPeGemmPlan plan;
};

Row simulate(const MachineSpec& machine, const Point& point, const PublishedProduct& published, bool verify) {
  const Product product(machine, point);
  const Row run = row_of_multi_pe_gemm(run_multi_pe_gemm(product.over.machine, product.request, {.verify = verify}),
                                       product.problem, product.over.machine);
  Row row;
  row.metrics.set(kTime, run.metrics.at(kTime));
  row.metrics.set(kMeasuredTime, published.time_ns);
  row.metrics.set(kUsefulEfficiency, run.metrics.at(kUsefulEfficiency));
  row.metrics.set(kMeasuredEfficiency, published.utilisation);
  row.metrics.set(kError, row.metrics.at(kUsefulEfficiency) / published.utilisation - 1);
  row.metrics.set(kLimitedBy, run.metrics.at(kLimitedBy));
  row.metrics.set(kLimitedByShare, run.metrics.at(kLimitedByShare));
  row.windows["pe_ns"] = run.metrics.at(kTime);
  return row;
}

void check(const MachineSpec& machine, const Point& point) { static_cast<void>(Product(machine, point)); }

Row theory(const MachineSpec& machine, const Point& point) {
  const Product product(machine, point);
  Row row;
  row.metrics = {{kTime, product.plan.bound.time.ns()}, {kBottleneck, product.plan.bound.resource}};
  return row;
}

double cost(const MachineSpec& /*machine*/, const Point& point) {
  return point.at("m").get<double>() * point.at("k").get<double>() * point.at("n").get<double>();
}

Bench bench_of(const ManyCoreChip& chip) {
  return {
      .name = chip.bench,
      .summary = "Products published of the cores of a " + chip.name + " beside its simulated machine, and the errors",
      .version = "2",
      .folder = chip.folder,
      .axes_from = [chip] { return published_axes(published_products(chip)); },
      .machine_file = chip.machine_file,
      .report = {{"time_ns", "simulated (ns)"},
                 {"measured_ns", "measured (ns)"},
                 {"useful_eff", "of peak", true},
                 {"measured_useful_eff", "measured", true},
                 {"error", "error", true},
                 {"limited_by", "limited by"}},
      .simulate =
          [chip](const MachineSpec& machine, const Point& point, const PointSettings& settings) {
            return simulate(machine, point, *product_of(published_products(chip), point), settings.verify);
          },
      .cost = cost,
      .theory = theory,
      .check = check,
      .derive = many_core_error_rows,
      .figures = [chip](const Results& simulated, const Results&) { return many_core_figures(simulated, chip.name); },
      .headline = many_core_headline,
  };
}

const bool registered = [] {
  for (const ManyCoreChip& chip : many_core_chips()) register_bench(bench_of(chip));
  return true;
}();

}  // namespace
}  // namespace kernbench
