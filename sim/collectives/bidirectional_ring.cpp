// bidirectional_ring: two rings in opposite directions, each on one half of every block.
#include <algorithm>

#include "sim/collectives/ring_steps.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {

namespace {

void build(const CollectiveRequest& request, CollectiveSchedule& schedule) {
  if (request.collective == Collective::kAllReduce) schedule.phases = {"reduce-scatter", "all-gather"};
  std::vector<std::int32_t> order = ring_order(request.grid);
  for (const int direction : {0, 1}) {
    std::vector<ElementRange> blocks = rank_blocks(request.count, order);
    for (ElementRange& block : blocks) block = half_of(block, direction);
    const StepStyle style{.chunk = request.chunk, .channel = static_cast<std::int16_t>(direction)};
    add_ring(schedule, order, blocks, half_of({0, request.count}, direction), style);
    std::ranges::reverse(order);
  }
}

const RegisterCollectiveAlgorithm kRegistered({"bidirectional_ring",
                                               "two rings in opposite directions, each with half of the data",
                                               {Collective::kAllReduce, Collective::kReduceScatter,
                                                Collective::kAllGather, Collective::kBroadcast, Collective::kReduce},
                                               build});

}  // namespace

}  // namespace kernbench
