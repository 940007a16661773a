#include "sim/plan/collective/collective_bound.hpp"

#include <algorithm>
#include <numeric>

#include "sim/base/checked.hpp"

namespace kernbench {

namespace {

std::int64_t times(std::int64_t n, std::int64_t elements) {
  return checked_multiply(n, elements, "data of the collective's bound", "elements");
}

std::int64_t plus(std::int64_t a, std::int64_t b) {
  return checked_add(a, b, "data of the collective's bound", "elements");
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

std::int64_t dot(const RankWork& times_each, const RankWork& work) {
  std::int64_t sum = 0;
  for (const std::int64_t part : {times(times_each.sent, work.sent), times(times_each.taken, work.taken),
                                  times(times_each.added, work.added), times(times_each.copied, work.copied)}) {
    sum = plus(sum, part);
  }
  return sum;
}

void raise_by_units(CollectiveBound& bound, const CollectiveTraffic& traffic, const RankUnits& units) {
  std::int64_t gives = 0;  // of the unit with most
  std::int64_t moves = 0;
  const auto at_least = [&](std::int64_t given, std::int64_t taken) {
    gives = std::max(gives, given);
    moves = std::max(moves, plus(given, taken));
  };
  const auto one = [&](const std::vector<std::int32_t>& ranks) {
    std::int64_t given = 0;
    std::int64_t taken = 0;
    for (const std::int32_t rank : ranks) {
      const RankWork work = least_work(traffic, rank);
      given = plus(given, dot(units.gives, work));
      taken = plus(taken, dot(units.takes, work));
    }
    at_least(given, taken);
  };
  for (const std::vector<std::int32_t>& ranks : units.ranks) one(ranks);
  for (std::int32_t rank = 0; units.ranks.empty() && rank < traffic.ranks; ++rank) one({rank});
  // The mean of all, rounded up: the busiest has no less, and has whole elements.
  const RankWork all = least_work(traffic);
  const std::int64_t count = units.ranks.empty() ? traffic.ranks : std::ssize(units.ranks);
  gives = std::max(gives, ceil_div(dot(units.gives, all), count));
  moves = std::max(moves, ceil_div(plus(dot(units.gives, all), dot(units.takes, all)), count));
  const Bytes done = std::max(bytes_of(traffic, gives), bytes_of(traffic, moves) - units.held);
  raise(bound, units.bandwidth.time_for(done), units.name);
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
    return plus(sum, least_crossing(traffic, part).out);
  });
}

RankWork least_work(const CollectiveTraffic& traffic, std::int32_t rank) {
  const Crossing crossing = least_crossing(traffic, {rank});
  RankWork work{.sent = crossing.out, .taken = crossing.in};
  if (traffic.collective == Collective::kReduce && rank == traffic.root) work.added = traffic.count;
  if (traffic.collective == Collective::kReduceScatter) work.added = blocks_of(traffic, {rank});
  if (traffic.collective == Collective::kAllToAll) work.copied = traffic.count / traffic.ranks;
  return work;
}

RankWork least_work(const CollectiveTraffic& traffic) {
  std::vector<std::vector<std::int32_t>> alone;
  alone.reserve(static_cast<std::size_t>(traffic.ranks));
  for (std::int32_t rank = 0; rank < traffic.ranks; ++rank) alone.push_back({rank});
  const std::int64_t moved = least_exchange(traffic, alone);
  RankWork work{.sent = moved, .taken = moved};
  switch (traffic.collective) {
    case Collective::kAllReduce:
    case Collective::kReduceScatter:
    case Collective::kReduce:
      work.added = times(traffic.ranks - 1, traffic.count);
      break;
    case Collective::kAllToAll:
      work.copied = traffic.count;
      break;
    case Collective::kAllGather:
    case Collective::kBroadcast:
      break;
  }
  return work;
}

CollectiveBound collective_bound(const CollectiveTraffic& traffic, const NetworkLimits& limits) {
  CollectiveBound bound;
  if (traffic.ranks == 1 || traffic.count == 0) return bound;
  raise(bound, limits.farthest, "latency");
  for (const RankUnits& units : limits.units) raise_by_units(bound, traffic, units);
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
