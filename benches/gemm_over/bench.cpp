// gemm-over: any GEMM over several PEs, each way they can do it: the workload of one's own in a sweep, a search, a
// what-if.
#include "benches/harness/bench.hpp"

#include "benches/harness/collective/pe_set.hpp"
#include "benches/harness/open_axis.hpp"
#include "benches/harness/results/row_from_over.hpp"
#include "sim/plan/known_bound.hpp"
#include "sim/plan/network/network_size.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {
namespace {

constexpr const char* kLeastBound = "least_bound";  ///< placement: of those that the variant can have

/// What a point asks for, on the part of a machine that does it.
struct OverPoint {
  PeSet over;
  GemmOverRequest request;
  std::string placement;

  OverPoint(const MachineSpec& machine, const Point& point)
      : over(parse_pes("over", point.at("over").get<std::string>(), machine)), placement(point.at("placement")) {
    request.problem = {.m = point.at("m"), .k = point.at("k"), .n = point.at("n")};
    request.kernel = point.at("variant");
    request.pes = over.pes;
    if (placement == kLeastBound) placement.clear();
  }

  [[nodiscard]] GemmOverPlan plan() const {
    return choose_placement(over.machine, plan_network(over.machine), request, placement);
  }
};

Row simulate(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  OverPoint asked(machine, point);
  const GemmOverPlan plan = asked.plan();
  asked.request.placement = plan.placement;
  RunSettings run;
  run.verify = settings.verify;
  Row row = row_of_gemm_over(run_gemm_over(asked.over.machine, asked.request, run), asked.request.problem,
                             asked.over.machine);
  add_plan(plan, asked.over.machine, row);
  row.metrics["chosen_placement"] = to_text(plan.placement);
  return row;
}

/// But for the matrices' values (--verify), which a plan places.
MemoryEstimate memory(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  const OverPoint asked(machine, point);
  MemoryEstimate estimate = network_memory(asked.over.machine);
  estimate.add(gemm_over_memory(asked.over.machine, asked.request.problem,
                                static_cast<std::int64_t>(asked.over.pes.size()), 0, settings.verify));
  return estimate;
}

void check(const MachineSpec& machine, const Point& point) { static_cast<void>(OverPoint(machine, point)); }

double cost(const MachineSpec& machine, const Point& point) {
  constexpr double kSetUpOfPe = 50;  // in tiles of the machine's array
  const OverPoint asked(machine, point);
  const TileShape& tile = machine.pe.mac.tile;
  return kSetUpOfPe * static_cast<double>(asked.over.pes.size()) +
         static_cast<double>(asked.request.problem.macs()) / static_cast<double>(tile.m * tile.k * tile.n);
}

Row theory(const MachineSpec& machine, const Point& point) {
  const OverPoint asked(machine, point);
  Row row;
  if (const std::string why = why_no_bound(machine); !why.empty()) {
    row.status = "skipped";
    row.reason = why;
    return row;
  }
  const GemmOverPlan plan = asked.plan();
  row.metrics["time_ns"] = plan.bound.time.ns();
  row.metrics["bottleneck"] = plan.bound.resource;
  return row;
}

void check_variant(const std::string& text) { static_cast<void>(find_gemm_over_kernel(text)); }

void check_placement(const std::string& text) {
  if (text != kLeastBound) static_cast<void>(parse_placement(text, {}));
}

const bool registered = register_bench({
    .name = "gemm-over",
    .summary = "Any GEMM over the PEs of a die, a package or all: axes m, k, n, over, variant, ... take any values",
    .version = "2",
    .folder = "benches/gemm_over",
    .axes = {dimension_axis("m"), dimension_axis("k"), dimension_axis("n"),
             text_axis("over", "die", [](const std::string&) {}), text_axis("variant", "owner_computes", check_variant),
             text_axis("placement", kLeastBound, check_placement)},
    .uses_network = true,
    .report = {{"time_ns", "time (ns)"}, {"mac_util", "MAC util", true}, {"work_imbalance", "work imbalance", true}},
    .simulate = simulate,
    .memory = memory,
    .cost = cost,
    .theory = theory,
    .check = check,
});

}  // namespace
}  // namespace kernbench
