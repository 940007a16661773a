#include "benches/workloads/collective/collective_case.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "benches/workloads/collective/rank_units.hpp"
#include "sim/base/errors.hpp"
#include "sim/plan/network/link_path.hpp"
#include "sim/plan/network/network_cuts.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {
namespace {

/// Where one rail's PEs are in the part's machine, by rank, whatever the ranks' grid.
class Ranks {
 public:
  Ranks(const MachinePart& part, const NetworkPlan& plan, std::int32_t rail = 0)
      : part_(part), plan_(plan), rail_{rail, part.pes_of_rank} {}

  [[nodiscard]] std::int32_t size() const { return part_.grid.size(); }
  [[nodiscard]] RankPlace place(std::int32_t rank) const { return place_of_pe(rail_.pe(rank)); }
  [[nodiscard]] std::int32_t node(std::int32_t rank) const {
    const RankPlace at = place(rank);
    return plan_.find(NodeKind::kPe, {at.package, at.die, at.pe});
  }
  /// Those in a corner of the mesh that a package's ranks form: two of them are the farthest pair, as latency grows
  /// with every hop.
  [[nodiscard]] std::vector<std::int32_t> in_corners() const {
    const GridSpec alone{1, 1};
    const GridSpec& dies = rail_.of <= pes_of_die(part_.machine) ? part_.machine.package.dies : alone;
    const GridSpec& routers = rail_.of == 1 ? part_.machine.die.routers : alone;
    const auto at_end = [](std::int64_t index, std::int64_t count) { return index == 0 || index == count - 1; };
    std::vector<std::int32_t> corners;
    for (std::int32_t rank = 0; rank < size(); ++rank) {
      const RankPlace at = place_of_pe(rank * rail_.of);  // all PEs of a rank are where its first one is
      const std::int64_t row = at.die / dies.columns * routers.rows + at.pe / routers.columns;
      const std::int64_t column = at.die % dies.columns * routers.columns + at.pe % routers.columns;
      if (at_end(row, dies.rows * routers.rows) && at_end(column, dies.columns * routers.columns)) {
        corners.push_back(rank);
      }
    }
    return corners;
  }
  [[nodiscard]] std::vector<std::int32_t> all() const {
    std::vector<std::int32_t> ranks(static_cast<std::size_t>(size()));
    for (std::int32_t rank = 0; rank < size(); ++rank) ranks[static_cast<std::size_t>(rank)] = rank;
    return ranks;
  }

 private:
  [[nodiscard]] RankPlace place_of_pe(std::int32_t pe) const {
    const auto routers = static_cast<std::int32_t>(part_.machine.die.routers.count());
    const auto dies = static_cast<std::int32_t>(part_.machine.package.dies.count());
    return {pe / routers / dies, pe / routers % dies, pe % routers};
  }

  const MachinePart& part_;
  const NetworkPlan& plan_;
  Rail rail_;
};

/// Of the pairs of a rail's PEs of which one needs something that the other has, the farthest.
Picoseconds farthest_of_rail(const CollectiveRequest& asked, const Ranks& ranks, const MachinePart& part,
                             const NetworkPlan& plan) {
  const bool whole = part.pes() == pes_of_system(part.machine);
  std::vector<std::int32_t> sources = whole ? ranks.in_corners() : ranks.all();
  std::vector<std::int32_t> targets = sources;
  const auto only = [&](std::vector<std::int32_t>& side, std::vector<std::int32_t> these) {
    side = std::move(these);
    (&side == &sources ? targets : sources) = ranks.all();
  };
  // With less than an element for each rank, only the first have blocks.
  std::vector<std::int32_t> owners = ranks.all();
  const bool few = asked.count < ranks.size();
  if (few) owners.resize(static_cast<std::size_t>(asked.count));
  if (asked.collective == Collective::kBroadcast) only(sources, {asked.root});
  if (asked.collective == Collective::kReduce) only(targets, {asked.root});
  if (asked.collective == Collective::kAllGather && few) only(sources, owners);
  if (asked.collective == Collective::kReduceScatter && few) only(targets, owners);
  Picoseconds most{};
  for (const std::int32_t from : sources) {
    for (const std::int32_t to : targets) {
      if (from != to) most = std::max(most, zero_load_latency(plan, ranks.node(from), ranks.node(to)));
    }
  }
  return most;
}

/// Of all rails that have something.
Picoseconds farthest(const CollectiveRequest& asked, const MachinePart& part, const NetworkPlan& plan) {
  Picoseconds most{};
  for (std::int32_t rail = 0; rail < part.pes_of_rank; ++rail) {
    const CollectiveRequest own = rail_request(asked, {rail, part.pes_of_rank});
    if (own.count == 0) continue;
    most = std::max(most, farthest_of_rail(own, Ranks(part, plan, rail), part, plan));
  }
  return most;
}

/// A cut for each die, or each package, that has ranks.
CutGroup cuts(const Ranks& ranks, const NetworkPlan& plan, bool of_dies) {
  CutGroup group{of_dies ? "all dies" : "all packages", {}};
  RankPlace last{-1, -1, -1};
  for (const std::int32_t rank : ranks.all()) {
    const RankPlace at = ranks.place(rank);
    if (at.package != last.package || (of_dies && at.die != last.die)) {
      const auto nodes = of_dies ? nodes_of_die(plan, at.package, at.die) : nodes_of_package(plan, at.package);
      std::string name = "package" + std::to_string(at.package);
      if (of_dies) name += ".die" + std::to_string(at.die);
      group.cuts.push_back({std::move(name), {}, outgoing(plan, nodes), incoming(plan, nodes)});
    }
    group.cuts.back().ranks.push_back(rank);
    last = at;
  }
  return group;
}

CollectiveBound bound_with(std::vector<RankUnits> units, const CollectiveRequest& request, const MachinePart& part) {
  const NetworkPlan plan = plan_network(part.machine);
  const Ranks ranks(part, plan);
  NetworkLimits limits{.farthest = farthest(request, part, plan), .units = std::move(units), .groups = {}};
  for (const bool of_dies : {true, false}) {
    if (of_dies && part.pes_of_rank > pes_of_die(part.machine)) continue;  // a die is part of a rank
    CutGroup group = cuts(ranks, plan, of_dies);
    if (group.cuts.size() > 1) limits.groups.push_back(std::move(group));
  }
  return collective_bound({.collective = request.collective,
                           .count = request.count,
                           .ranks = ranks.size(),
                           .root = request.root,
                           .element_bytes = kElementBytes},
                          limits);
}

}  // namespace

std::int64_t whole_elements(Bytes bytes, std::string_view place) {
  if (bytes >= 0 && bytes % kElementBytes == 0) return bytes / kElementBytes;
  throw ConfigError(std::string(place) + ": expected a multiple of an element's " + std::to_string(kElementBytes) +
                    " B, got " + std::to_string(bytes) + " B");
}

Bytes usual_chunk(const CollectiveCase& asked, const MachineSpec& machine) {
  const bool passes_on = asked.algorithm == "binary_tree" || asked.algorithm == "double_binary_tree" ||
                         asked.algorithm == "hierarchical" || asked.collective == Collective::kBroadcast ||
                         asked.collective == Collective::kReduce;
  const Bytes slot = machine.pe.message_queue.slot;
  return passes_on ? slot - slot % kElementBytes : 0;
}

CollectiveRequest request_of(const CollectiveCase& asked, const MachinePart& part) {
  return {.collective = asked.collective,
          .count = whole_elements(asked.bytes, "size"),
          .root = asked.root,
          .chunk = whole_elements(asked.chunk, "chunk"),
          .grid = part.grid,
          .root_die = asked.root_die};
}

CollectiveBound bound_of(const CollectiveCase& asked, const MachinePart& part) {
  const CollectiveAlgorithm& algorithm = find_collective_algorithm(asked.algorithm);
  const CollectiveRequest request = request_of(asked, part);
  algorithm.check(request);
  return bound_with(rank_units(algorithm, request, part), request, part);
}

CollectiveBound network_bound(const CollectiveCase& asked, const MachinePart& part) {
  const CollectiveRequest request = request_of(asked, part);
  find_collective_algorithm(asked.algorithm).check(request);
  return bound_with(rank_ports(part), request, part);
}

MemoryEstimate memory_of(const CollectiveCase& asked, const MachinePart& part, bool verify) {
  return collective_memory(part.machine, find_collective_algorithm(asked.algorithm), request_of(asked, part),
                           part.pes_of_rank, verify);
}

CollectiveRails rails_of(const CollectiveCase& asked, const MachinePart& part) {
  return generate_rails(find_collective_algorithm(asked.algorithm), request_of(asked, part), part.pes_of_rank);
}

}  // namespace kernbench
