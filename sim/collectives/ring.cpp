// ring: every rank sends to the next one only, in an order in which neighbours in the ring are neighbours on the mesh.
#include "sim/collectives/ring_steps.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {

namespace {

void build(const CollectiveRequest& request, CollectiveSchedule& schedule) {
  const std::vector<std::int32_t> order = ring_order(request.grid);
  if (request.collective == Collective::kAllReduce) schedule.phases = {"reduce-scatter", "all-gather"};
  add_ring(schedule, order, rank_blocks(request.count, order), {0, request.count}, {.chunk = request.chunk});
}

const RegisterCollectiveAlgorithm kRegistered({"ring",
                                               "blocks go round a ring of neighbours",
                                               {Collective::kAllReduce, Collective::kReduceScatter,
                                                Collective::kAllGather, Collective::kBroadcast, Collective::kReduce},
                                               build});

}  // namespace

}  // namespace kernbench
