// universal-gemm: GEMMs whose matrices are spread over the packages of a machine, by every method, partition and
// replication (adr/0044).
#include "benches/workloads/bench.hpp"

#include <algorithm>

#include "benches/results/rows/run_metrics.hpp"
#include "benches/universal_gemm/figures.hpp"
#include "benches/universal_gemm/figures/groups.hpp"
#include "benches/universal_gemm/point.hpp"
#include "benches/workloads/open_axis.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/plan/dimension.hpp"
#include "sim/plan/network/network_size.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {
namespace {

constexpr Metric<double> kCommunicationTime{"communication_ns"};
constexpr Metric<double> kComputeTime{"compute_ns"};
constexpr Metric<double> kMemoryTime{"memory_ns"};

AxisValue shape(const char* group, std::int64_t m, std::int64_t k, std::int64_t n) {
  return {std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n),
          {{"group", group}, {"m", m}, {"k", k}, {"n", n}}};
}

/// A shape that is none of the bench's: "4096x1024x4096".
AxisValue read_shape(const std::string& text) {
  const std::vector<std::string> sizes = split(text, "x");
  if (sizes.size() != 3) throw ConfigError("expected MxKxN, suite or smoke, got " + in_quotes(text));
  std::vector<std::int64_t> numbers;
  for (const std::string& size : sizes) {
    numbers.push_back(dimension_axis("shape").open->read(size).fields.get<std::int64_t>());
  }
  return shape("own", numbers[0], numbers[1], numbers[2]);
}

/// Four of each group: with three methods, three partitions and two replications 432 cases.
std::vector<AxisValue> suite() {
  std::vector<AxisValue> shapes;
  for (const std::int64_t m : {1024, 2048, 4096, 8192}) shapes.push_back(shape("gpt3_expansion", m, 12288, 49152));
  for (const std::int64_t m : {1024, 2048, 4096, 8192}) shapes.push_back(shape("gpt3_shrinking", m, 49152, 12288));
  for (const std::int64_t side : {2048, 4096, 8192, 16384}) shapes.push_back(shape("square", side, side, side));
  for (const std::int64_t long_side : {4096, 8192, 16384, 32768}) {
    shapes.push_back(shape("odd_m_large", long_side, 1024, 1024));
    shapes.push_back(shape("odd_n_large", 1024, 1024, long_side));
    shapes.push_back(shape("odd_k_large", 1024, long_side, 1024));
  }
  return shapes;
}

/// Two small ones, the second ragged.
std::vector<AxisValue> smoke() { return {shape("smoke", 1024, 1024, 1024), shape("smoke", 1000, 520, 777)}; }

Axis shapes() {
  return {.name = "shape",
          .values = {shape("gpt3_expansion", 8192, 12288, 49152), shape("gpt3_expansion", 1024, 12288, 49152),
                     shape("gpt3_shrinking", 1024, 49152, 12288), shape("square", 4096, 4096, 4096),
                     shape("square", 8192, 8192, 8192), shape("odd_m_large", 32768, 1024, 1024),
                     shape("odd_n_large", 1024, 1024, 32768), shape("odd_k_large", 1024, 32768, 1024)},
          .open = OpenAxis{.dimension = {}, .read = read_shape, .sets = {{"suite", suite}, {"smoke", smoke}}}};
}

/// Of A, B and C: "row,column,row" in rows; with hyphens where values stand in lists.
AxisValue partitions_value(const std::string& text) {
  const std::vector<std::string> parts = split(text, "-");
  if (parts.size() != 3) {
    throw ConfigError("expected the partitions of A, B and C, as in row-column-row, got " + in_quotes(text));
  }
  const std::string fields = joined(parts, ",");
  static_cast<void>(parse_partitions(fields, "partition"));
  return {text, Json{{"partitions", fields}}};
}

Axis partitions() {
  std::vector<AxisValue> values;
  for (const char* text : {"row-column-row", "column-row-row", "block-block-block"})
    values.push_back(partitions_value(text));
  return {.name = "partitions", .values = values, .open = OpenAxis{.dimension = {}, .read = partitions_value}};
}

/// `auto` where it is asked for: it is one of those that keep a matrix still.
Axis methods() {
  const auto read = [](const std::string& text) {
    static_cast<void>(kDistributedMethods.parse(text, "method"));
    return AxisValue(text, text);
  };
  return {.name = "method",
          .values = {"stationary_a", "stationary_b", "stationary_c", "dtensor"},
          .open = OpenAxis{.dimension = {}, .read = read}};
}

/// Of all three matrices.
Axis replications() {
  Axis axis = count_axis("replication", 1, 1, 64);
  axis.values = {1, 2};
  return axis;
}

/// A point that this machine cannot do, for its packages, its HBM or its TCM, is a skipped row: others can be done.
Row skipped(const ConfigError& why) {
  Row row;
  row.status = "skipped";
  row.reason = why.what();
  return row;
}

Row theory(const MachineSpec& machine, const Point& point) {
  try {
    const DistributedBound bound = distributed_gemm_bound(machine, distributed_request(machine, point));
    Row row;
    row.metrics.set(kTime, bound.time().ns());
    row.metrics.set(kBottleneck, bound.limit());
    row.metrics.set(kComputeTime, bound.compute.ns());
    row.metrics.set(kCommunicationTime, bound.communication.ns());
    row.metrics.set(kBusiestLink, bound.link);
    row.metrics.set(kMemoryTime, bound.memory.ns());
    return row;
  } catch (const ConfigError& error) {
    return skipped(error);
  }
}

Row simulate(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  const DistributedRequest request = distributed_request(machine, point);
  RunSettings run;
  run.verify = settings.verify;
  try {
    return row_of_distributed(run_distributed_gemm(machine, request, run), request, machine);
  } catch (const ConfigError& error) {
    return skipped(error);
  }
}

MemoryEstimate memory(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  MemoryEstimate estimate = system_memory(machine);
  const auto size = [&point](const char* name) { return point.at(name).get<std::int64_t>(); };
  if (settings.verify) {  // a float of each element, where they lie and where they are fetched to or staged
    estimate.add("elements of A, B and C, whose values are carried",
                 size("m") * size("k") + size("k") * size("n") + size("m") * size("n"), 4 * sizeof(float));
  }
  return estimate;
}

double cost(const MachineSpec& machine, const Point& point) {
  const TileShape& tile = machine.pe.mac.tile;
  return point.at("m").get<double>() * point.at("k").get<double>() * point.at("n").get<double>() /
         static_cast<double>(tile.m * tile.k * tile.n);
}

const bool registered = register_bench({
    .name = "universal-gemm",
    .summary = "GEMMs spread over the packages of a machine: every method, partition and replication",
    .version = "2",
    .folder = "benches/universal_gemm",
    .axes = {shapes(), methods(), partitions(), replications(), count_axis("prefetch", 2, 1, 64),
             count_axis("outstanding", 2, 1, 64),
             text_axis("placement", "even",
                       [](const std::string& text) { static_cast<void>(placement_of_cells(text)); }),
             count_axis("launch_ns", 200, 0, 1'000'000)},
    .machine_file = "topology/switched_4.yaml",
    .uses_network = true,
    .report = {{"time_ns", "time (ns)"}, {"peak_fraction", "of peak", true}, {"tflops", "TFLOPS"}},
    .simulate = simulate,
    .memory = memory,
    .cost = cost,
    .theory = theory,
    .figures = universal_gemm_figures,
    .headline = universal_gemm_headline,
    .measured_bench = "gpu-distributed-gemm",
    .figures_beside = universal_gemm_beside,
    .toggles = group_toggles,
});

}  // namespace
}  // namespace kernbench
