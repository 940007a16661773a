#include "sim/plan/collective/lanes.hpp"

#include <map>
#include <set>

namespace kernbench {

CollectiveRequest lane_request(const CollectiveRequest& request, Lane lane) {
  const auto share = [&](std::int64_t elements) { return balanced_block(elements, lane.of, lane.number).count; };
  CollectiveRequest own = request;
  switch (request.collective) {
    case Collective::kReduceScatter:
    case Collective::kAllGather:
    case Collective::kAllToAll: {
      // Of each of the n blocks the share: what the blocks of the lane's own count are, longer ones first.
      const std::int64_t blocks = request.grid.size();
      const std::int64_t longer = request.count % blocks;
      own.count = longer * share(request.count / blocks + 1) + (blocks - longer) * share(request.count / blocks);
      break;
    }
    case Collective::kAllReduce:
    case Collective::kBroadcast:
    case Collective::kReduce:
      own.count = share(request.count);
      break;
  }
  return own;
}

std::int64_t schedules_of_lanes(const CollectiveRequest& request, std::int32_t lanes) {
  // Where a balanced share becomes shorter: between these, but for the one lane whose share of longer blocks is longer.
  const auto odd = static_cast<std::int32_t>(request.count / request.grid.size() % lanes);
  std::set<std::int64_t> counts;
  for (const std::int32_t number : {0, odd, lanes - 1}) counts.insert(lane_request(request, {number, lanes}).count);
  return static_cast<std::int64_t>(counts.size());
}

CollectiveLanes generate_lanes(const CollectiveAlgorithm& algorithm, const CollectiveRequest& request,
                               std::int32_t lanes) {
  algorithm.check(request);
  std::map<std::int64_t, std::shared_ptr<const CollectiveSchedule>> by_count;
  CollectiveLanes all;
  for (std::int32_t number = 0; number < lanes; ++number) {
    const CollectiveRequest own = lane_request(request, {number, lanes});
    auto& schedule = by_count[own.count];
    if (!schedule) schedule = std::make_shared<const CollectiveSchedule>(algorithm.generate(own));
    all.push_back(schedule);
  }
  return all;
}

}  // namespace kernbench
