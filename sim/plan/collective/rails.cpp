#include "sim/plan/collective/rails.hpp"

#include <map>
#include <set>

namespace kernbench {

CollectiveRequest rail_request(const CollectiveRequest& request, Rail rail) {
  const auto share = [&](std::int64_t elements) { return balanced_block(elements, rail.of, rail.number).count; };
  CollectiveRequest own = request;
  switch (request.collective) {
    case Collective::kReduceScatter:
    case Collective::kAllGather:
    case Collective::kAllToAll: {
      // Of each of the n blocks the share: what the blocks of the rail's own count are, longer ones first.
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

std::int64_t schedules_of_rails(const CollectiveRequest& request, std::int32_t rails) {
  // Where a balanced share becomes shorter: between these, but for the one rail whose share of longer blocks is longer.
  const auto odd = static_cast<std::int32_t>(request.count / request.grid.size() % rails);
  std::set<std::int64_t> counts;
  for (const std::int32_t number : {0, odd, rails - 1}) counts.insert(rail_request(request, {number, rails}).count);
  return static_cast<std::int64_t>(counts.size());
}

CollectiveRails generate_rails(const CollectiveAlgorithm& algorithm, const CollectiveRequest& request,
                               std::int32_t rails) {
  algorithm.check(request);
  std::map<std::int64_t, std::shared_ptr<const CollectiveSchedule>> by_count;
  CollectiveRails all;
  for (std::int32_t number = 0; number < rails; ++number) {
    const CollectiveRequest own = rail_request(request, {number, rails});
    auto& schedule = by_count[own.count];
    if (!schedule) schedule = std::make_shared<const CollectiveSchedule>(algorithm.generate(own));
    all.push_back(schedule);
  }
  return all;
}

}  // namespace kernbench
