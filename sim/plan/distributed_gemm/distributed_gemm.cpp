#include "sim/plan/distributed_gemm/distributed_gemm.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>

#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/base/units.hpp"
#include "sim/plan/dimension.hpp"

namespace kernbench {

namespace {

/// Its stationary tile, and the chunk of the third dimension that its replica has (23.4).
DeviceShare share_of(const DistributedGemmPlan& plan, int device) {
  const auto tile = [device](const DistributedMatrix& x) { return x.tile(x.tile_of(device)); };
  const auto chunk = [device](const DistributedMatrix& x, std::int64_t size) {
    return piece_of(size, x.replication(), x.replica_of(device));
  };
  if (plan.method == DistributedMethod::kA) {
    const Rect a = tile(plan.a);
    return {a.rows, a.columns, chunk(plan.a, plan.c.columns())};
  }
  if (plan.method == DistributedMethod::kB) {
    const Rect b = tile(plan.b);
    return {chunk(plan.b, plan.c.rows()), b.rows, b.columns};
  }
  const Rect c = tile(plan.c);
  return {c.rows, chunk(plan.c, plan.a.columns()), c.columns};
}

/// All operations of the share: m outermost, k innermost, so that products of one part of C follow each other.
std::vector<DistributedOperation> operations_in(const DistributedGemmPlan& plan, int device, const DeviceShare& share) {
  std::vector<DistributedOperation> operations;
  for (const int a_tile : plan.a.tiles_in({share.m, share.k})) {
    const Rect a = common(plan.a.tile(a_tile), {share.m, share.k});
    for (const int b_tile : plan.b.tiles_in({a.columns, share.n})) {
      const Rect b = common(plan.b.tile(b_tile), {a.columns, share.n});
      for (const int c_tile : plan.c.tiles_in({a.rows, b.columns})) {
        const Rect c = common(plan.c.tile(c_tile), {a.rows, b.columns});
        operations.push_back({c.rows, b.rows, c.columns, a_tile, b_tile, c_tile, plan.a.owner_for(device, a_tile),
                              plan.b.owner_for(device, b_tile), plan.c.owner_for(device, c_tile)});
      }
    }
  }
  std::sort(operations.begin(), operations.end(), [](const DistributedOperation& x, const DistributedOperation& y) {
    return std::tie(x.m.begin, x.n.begin, x.k.begin) < std::tie(y.m.begin, y.n.begin, y.k.begin);
  });
  return operations;
}

/// Device t of the T that share a stationary matrix starts t / T of the way through its list (23.5).
void rotate_start(std::vector<DistributedOperation>& operations, const DistributedMatrix& stationary, int device) {
  const auto count = static_cast<std::int64_t>(operations.size());
  const std::int64_t start = count * stationary.tile_of(device) / stationary.tiles();
  std::rotate(operations.begin(), operations.begin() + start, operations.end());
}

DistributedMatrix matrix(const DistributedGemm& problem, std::size_t which, std::int64_t rows, std::int64_t columns) {
  return {rows,
          columns,
          problem.partitions.at(which),
          problem.replication.at(which),
          problem.devices,
          std::string("replication of ").append(1, "ABC"[which])};
}

/// A plan without its operations.
DistributedGemmPlan shared_out(const DistributedGemm& problem) {
  check_dimension("m", problem.m);
  check_dimension("k", problem.k);
  check_dimension("n", problem.n);
  if (problem.devices < 1) {
    throw ConfigError("devices is " + std::to_string(problem.devices) + ": expected at least 1");
  }
  const auto& [of_a, of_b, of_c] = problem.replication;
  const bool redistributes = problem.method == DistributedMethod::kDtensor;
  if (redistributes && (of_a != of_b || of_b != of_c)) {
    throw ConfigError(
        "replication: method dtensor expects the same of A, B and C, which lie on one mesh of devices, got " +
        std::to_string(of_a) + ", " + std::to_string(of_b) + ", " + std::to_string(of_c));
  }
  DistributedGemmPlan plan{problem.method == DistributedMethod::kAuto ? largest_operand_stays(problem) : problem.method,
                           matrix(problem, 0, problem.m, problem.k),
                           matrix(problem, 1, problem.k, problem.n),
                           matrix(problem, 2, problem.m, problem.n),
                           {},
                           {},
                           {}};
  if (redistributes) plan.cuts = cheapest_cuts(plan.a, plan.b, plan.c);
  for (int device = 0; device < problem.devices; ++device) {
    // Each replica of a redistributed product does all of it (23.10).
    const DeviceShare whole{{0, problem.m}, {0, problem.k}, {0, problem.n}};
    plan.shares.push_back(redistributes ? share_by(plan.cuts, whole, plan.c.tile_of(device)) : share_of(plan, device));
  }
  return plan;
}

/// Of `interval` of a dimension of `size` elements, cut into as many pieces as each of the two: how many intervals.
double intervals_in(Interval interval, std::int64_t size, int pieces, int others) {
  if (interval.empty()) return 0;
  const auto cuts = [&interval](std::int64_t step) { return (interval.end - 1) / step - interval.begin / step; };
  const std::int64_t a = ceil_div(size, pieces);
  const std::int64_t b = ceil_div(size, others);
  return static_cast<double>(1 + cuts(a) + cuts(b) - cuts(std::lcm(a, b)));
}

}  // namespace

DistributedMethod largest_operand_stays(const DistributedGemm& problem) {
  const std::int64_t a = problem.m * problem.k;
  const std::int64_t b = problem.k * problem.n;
  const std::int64_t c = problem.m * problem.n;
  if (c >= a && c >= b) return DistributedMethod::kC;
  return b >= a ? DistributedMethod::kB : DistributedMethod::kA;
}

std::array<Partition, 3> parse_partitions(std::string_view text, std::string_view option) {
  const std::vector<std::string> names = split(text, ",");
  if (names.size() != 3) {
    throw ConfigError(std::string(option) + ": '" + std::string(text) +
                      "': expected the partitions of A, B and C, as in row,column,row");
  }
  return {kPartitions.parse(names[0], option), kPartitions.parse(names[1], option),
          kPartitions.parse(names[2], option)};
}

DistributedGemmPlan plan_distributed_gemm(const DistributedGemm& problem) {
  DistributedGemmPlan plan = shared_out(problem);
  const DistributedMatrix& stationary = plan.method == DistributedMethod::kA   ? plan.a
                                        : plan.method == DistributedMethod::kB ? plan.b
                                                                               : plan.c;
  for (int device = 0; device < problem.devices; ++device) {
    plan.devices.push_back(operations_in(plan, device, plan.shares[static_cast<std::size_t>(device)]));
    if (plan.method != DistributedMethod::kDtensor) rotate_start(plan.devices.back(), stationary, device);
  }
  return plan;
}

DistributedGemmSize size_of(const DistributedGemm& problem) {
  const DistributedGemmPlan plan = shared_out(problem);
  const auto tiles = [](const DistributedMatrix& x, Interval rows, Interval columns) {
    return intervals_in(rows, x.rows(), x.grid_rows(), x.grid_rows()) *
           intervals_in(columns, x.columns(), x.grid_columns(), x.grid_columns());
  };
  const bool redistributes = plan.method == DistributedMethod::kDtensor;
  const double of_operation = plan.method == DistributedMethod::kC ? 3 : 4;  // fetches, a product; a copy, an addition
  DistributedGemmSize size;
  for (const DeviceShare& share : plan.shares) {
    const double operations = intervals_in(share.m, problem.m, plan.a.grid_rows(), plan.c.grid_rows()) *
                              intervals_in(share.k, problem.k, plan.a.grid_columns(), plan.b.grid_rows()) *
                              intervals_in(share.n, problem.n, plan.b.grid_columns(), plan.c.grid_columns());
    size.operations += operations;
    size.commands += redistributes ? 1 + tiles(plan.a, share.m, share.k) + tiles(plan.b, share.k, share.n) +
                                         2 * tiles(plan.c, share.m, share.n)
                                   : of_operation * operations;
  }
  if (!redistributes) size.commands += 3.0 * problem.devices * (plan.c.replication() - 1);
  return size;
}

}  // namespace kernbench
