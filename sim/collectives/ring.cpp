// ring: every rank sends to the next one only, in an order in which neighbours in the ring are neighbours on the mesh.
#include "sim/collectives/closed_forms.hpp"
#include "sim/collectives/ring_steps.hpp"
#include "sim/collectives/sizes.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {

namespace {

void build(const CollectiveRequest& request, CollectiveSchedule& schedule) {
  const std::vector<std::int32_t> order = ring_order(request.grid);
  if (request.collective == Collective::kAllReduce) schedule.phases = {"reduce-scatter", "all-gather"};
  add_ring(schedule, order, rank_blocks(request.count, order), {0, request.count}, {.chunk = request.chunk});
}

/// Equal blocks of equal messages. A broadcast and a reduce are a chain of n - 1 hops.
std::optional<Picoseconds> closed_form(const CollectiveRequest& request, const AlphaBeta& cost) {
  const std::int64_t n = request.grid.size();
  if (request.collective == Collective::kBroadcast || request.collective == Collective::kReduce) {
    return chain(n - 1, Messages(request.count, request, cost));
  }
  const Messages messages(request.count / n, request, cost);
  if (request.count % n != 0 || !messages.equal()) return std::nullopt;
  return forwarded_rounds((request.collective == Collective::kAllReduce ? 2 : 1) * (n - 1), messages);
}

const RegisterCollectiveAlgorithm kRegistered({"ring",
                                               "blocks go round a ring of neighbours",
                                               {Collective::kAllReduce, Collective::kReduceScatter,
                                                Collective::kAllGather, Collective::kBroadcast, Collective::kReduce},
                                               build,
                                               ring_size,
                                               closed_form});

}  // namespace

}  // namespace kernbench
