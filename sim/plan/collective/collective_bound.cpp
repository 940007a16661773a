#include "sim/plan/collective/collective_bound.hpp"

#include <algorithm>
#include <numeric>

#include "sim/base/checked.hpp"

namespace kernbench {

namespace {

std::int64_t times(std::int64_t n, std::int64_t elements) {
  return checked_multiply(n, elements, "data of the collective's bound", "elements");
}

Bytes bytes_of(const CollectiveTraffic& traffic, std::int64_t elements) {
  return checked_multiply(elements, traffic.element_bytes, "data of the collective's bound", kInBytes);
}

/// Elements of the blocks of some ranks.
std::int64_t blocks_of(const CollectiveTraffic& traffic, const std::vector<std::int32_t>& ranks) {
  return std::accumulate(ranks.begin(), ranks.end(), std::int64_t{0}, [&](std::int64_t sum, std::int32_t rank) {
    return sum + balanced_block(traffic.count, traffic.ranks, rank).count;
  });
}

/// The larger time wins; of equal ones the first.
void raise(CollectiveBound& bound, Picoseconds time, const std::string& resource) {
  if (time > bound.time) bound = {time, resource};
}

/// Of cuts that have every rank among them; none otherwise.
void raise_by_all(CollectiveBound& bound, const CollectiveTraffic& traffic, const CutGroup& group) {
  std::vector<std::vector<std::int32_t>> parts;
  Bandwidth out;
  Bandwidth in;
  std::size_t ranks = 0;
  for (const NetworkCut& cut : group.cuts) {
    parts.push_back(cut.ranks);
    out += cut.out;
    in += cut.in;
    ranks += cut.ranks.size();
  }
  if (ranks != static_cast<std::size_t>(traffic.ranks)) return;
  const Bytes bytes = bytes_of(traffic, least_exchange(traffic, parts));
  raise(bound, out.time_for(bytes), group.name + " out");
  raise(bound, in.time_for(bytes), group.name + " in");
}

void raise_by_ports(CollectiveBound& bound, const CollectiveTraffic& traffic, const NetworkLimits& limits) {
  std::vector<std::vector<std::int32_t>> alone;
  alone.reserve(static_cast<std::size_t>(traffic.ranks));
  for (std::int32_t rank = 0; rank < traffic.ranks; ++rank) alone.push_back({rank});
  // The mean of all ranks, rounded up: the busiest has no less, and has whole elements.
  const std::int64_t mean = ceil_div(least_exchange(traffic, alone), traffic.ranks);
  Crossing most{mean, mean};
  for (const std::vector<std::int32_t>& rank : alone) {
    const Crossing crossing = least_crossing(traffic, rank);
    most = {std::max(most.out, crossing.out), std::max(most.in, crossing.in)};
  }
  raise(bound, limits.injection.time_for(bytes_of(traffic, most.out)), "injection");
  raise(bound, limits.ejection.time_for(bytes_of(traffic, most.in)), "ejection");
}

}  // namespace

Crossing least_crossing(const CollectiveTraffic& traffic, const std::vector<std::int32_t>& inside) {
  const auto ranks = static_cast<std::int64_t>(inside.size());
  if (ranks == 0 || ranks == traffic.ranks) return {};
  const std::int64_t all = traffic.count;
  const bool has_root = std::ranges::find(inside, traffic.root) != inside.end();
  switch (traffic.collective) {
    case Collective::kAllReduce:
      return {all, all};
    case Collective::kReduceScatter:
      return {all - blocks_of(traffic, inside), blocks_of(traffic, inside)};
    case Collective::kAllGather:
      return {blocks_of(traffic, inside), all - blocks_of(traffic, inside)};
    case Collective::kAllToAll: {
      const std::int64_t blocks = ranks * (traffic.ranks - ranks);
      return {times(blocks, all / traffic.ranks), times(blocks, all / traffic.ranks)};
    }
    case Collective::kBroadcast:
      return has_root ? Crossing{all, 0} : Crossing{0, all};
    case Collective::kReduce:
      return has_root ? Crossing{0, all} : Crossing{all, 0};
  }
  return {};
}

std::int64_t least_exchange(const CollectiveTraffic& traffic, const std::vector<std::vector<std::int32_t>>& parts) {
  const auto others =
      static_cast<std::int64_t>(std::ranges::count_if(parts, [](const auto& part) { return !part.empty(); })) - 1;
  if (traffic.collective == Collective::kAllReduce) return times(2 * others, traffic.count);
  if (traffic.collective != Collective::kAllToAll) return times(others, traffic.count);
  return std::accumulate(parts.begin(), parts.end(), std::int64_t{0}, [&](std::int64_t sum, const auto& part) {
    return checked_add(sum, least_crossing(traffic, part).out, "data of the collective's bound", "elements");
  });
}

CollectiveBound collective_bound(const CollectiveTraffic& traffic, const NetworkLimits& limits) {
  CollectiveBound bound;
  if (traffic.ranks == 1 || traffic.count == 0) return bound;
  raise(bound, limits.farthest, "latency");
  raise_by_ports(bound, traffic, limits);
  for (const CutGroup& group : limits.groups) {
    for (const NetworkCut& cut : group.cuts) {
      const Crossing crossing = least_crossing(traffic, cut.ranks);
      raise(bound, cut.out.time_for(bytes_of(traffic, crossing.out)), cut.name + " out");
      raise(bound, cut.in.time_for(bytes_of(traffic, crossing.in)), cut.name + " in");
    }
    raise_by_all(bound, traffic, group);
  }
  return bound;
}

}  // namespace kernbench
