// gemm: any GEMM on one PE, by a variant or a mapping, or on a GPU: the workload of one's own in a sweep, a search, a
// what-if.
#include "benches/harness/bench.hpp"

#include <algorithm>

#include "benches/gemm/on_gpu.hpp"
#include "benches/harness/open_axis.hpp"
#include "benches/harness/results/row_from_run.hpp"
#include "benches/harness/run/blocked_gemm.hpp"
#include "benches/harness/run/variant_gemm.hpp"
#include "sim/base/capacity_error.hpp"
#include "sim/base/errors.hpp"
#include "sim/plan/mapping_search.hpp"
#include "sim/system/run.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {
namespace {

constexpr const char* kAsA = "as_a";  ///< dtype_b
constexpr const char* kNoEpilogue = "none";

/// Epilogues of a point stand with + between, since commas separate the values of an axis.
std::vector<Epilogue> epilogues_in(std::string text) {
  std::ranges::replace(text, '+', ',');
  return parse_epilogues(text == kNoEpilogue ? "" : text);
}

GemmProblem problem_of(const Point& point) {
  GemmProblem problem{.m = point.at("m"),
                      .k = point.at("k"),
                      .n = point.at("n"),
                      .layout = kLayouts.parse(point.at("layout").get<std::string>(), "layout"),
                      .epilogues = epilogues_in(point.at("epilogue")),
                      .dtype = parse_dtype(point.at("dtype").get<std::string>(), "dtype")};
  const std::string dtype_b = point.at("dtype_b");
  if (dtype_b != kAsA && dtype_b != point.at("dtype")) problem.dtype_b = parse_dtype(dtype_b, "dtype_b");
  check_operands(problem.dtype, problem.stored_b());
  return problem;
}

bool is_mapped(const Point& point) { return !is_staging_variant(point.at("variant")); }

MappingRequest mapping_of(const Point& point) {
  return parse_mapping(point.at("variant").get<std::string>(), "variant");
}

Row simulate(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  const GemmProblem problem = problem_of(point);
  if (is_mapped(point)) return simulate_blocked(machine, problem, settings, mapping_of(point));
  RunSettings run;
  run.verify = settings.verify;
  return row_from_run(run_gemm(machine, problem, point.at("variant"), run), machine, problem);
}

MemoryEstimate memory(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  return gemm_memory(machine, problem_of(point), settings.verify);
}

/// That there is such a problem, and such a mapping of it; whether it fits, its row will say.
void check(const MachineSpec& machine, const Point& point) {
  const GemmProblem problem = problem_of(point);
  if (!is_mapped(point) || point.at("variant") == kChosenMapping) return;
  try {
    static_cast<void>(search_mappings(problem, machine, mapping_of(point), 1));
  } catch (const CapacityError&) {
    return;
  } catch (const ConfigError& error) {
    throw ConfigError("variant " + point.at("variant").get<std::string>() + ": " + error.what());
  }
}

/// In tiles of the machine's array, and what a run costs before and after them.
double cost(const MachineSpec& machine, const Point& point) {
  constexpr double kSetUp = 50;
  constexpr double kMappings = 12;  // simulated where one is chosen, about
  const TileShape& tile = machine.pe.mac.tile;
  const double run =
      kSetUp + static_cast<double>(problem_of(point).macs()) / static_cast<double>(tile.m * tile.k * tile.n);
  return is_mapped(point) ? kMappings * run : run;
}

Row theory(const MachineSpec& machine, const Point& point) {
  const GemmProblem problem = problem_of(point);
  if (is_mapped(point)) return bound_of_blocked(machine, problem, mapping_of(point));
  return row_from_bound(problem, find_gemm_kernel(point.at("variant")).residency, machine);
}

void check_dtype(const std::string& text) { static_cast<void>(parse_dtype(text, "a dtype of operands")); }

const bool registered = register_bench({
    .name = "gemm",
    .summary = "Any GEMM on one PE or a GPU: axes m, k, n, dtype, variant, ... take any values",
    .version = "1",
    .folder = "benches/gemm",
    .axes = {dimension_axis("m"), dimension_axis("k"), dimension_axis("n"), text_axis("dtype", "bf16", check_dtype),
             text_axis("dtype_b", kAsA,
                       [](const std::string& text) {
                         if (text != kAsA) check_dtype(text);
                       }),
             text_axis("layout", "blocked",
                       [](const std::string& text) { static_cast<void>(kLayouts.parse(text, "layout")); }),
             text_axis("epilogue", kNoEpilogue, [](const std::string& text) { static_cast<void>(epilogues_in(text)); }),
             text_axis("variant", kChosenMapping, check_variant)},
    .elsewhere = gemm_on_gpu(),
    .report = {{"time_ns", "time (ns)"}, {"mac_util", "MAC util", true}, {"useful_eff", "useful eff", true}},
    .simulate = simulate,
    .memory = memory,
    .cost = cost,
    .theory = theory,
    .check = check,
});

}  // namespace
}  // namespace kernbench
