// bidirectional_ring: two rings in opposite directions, each on one half of every block.
#include <algorithm>

#include "sim/collectives/closed_forms.hpp"
#include "sim/collectives/ring_steps.hpp"
#include "sim/collectives/sizes.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {

namespace {

void build(const CollectiveRequest& request, CollectiveSchedule& schedule) {
  if (request.collective == Collective::kAllReduce) schedule.phases = {"reduce-scatter", "all-gather"};
  std::vector<std::int32_t> order = ring_order(request.grid);
  for (const int direction : {0, 1}) {
    std::vector<RingBlock> blocks = rank_blocks(request.count, order);
    for (RingBlock& block : blocks) block.front() = half_of(block.front(), direction);
    const StepStyle style{.chunk = request.chunk, .channel = static_cast<std::int16_t>(direction)};
    add_ring(schedule, order, blocks, half_of({0, request.count}, direction), style);
    std::ranges::reverse(order);
  }
}

/// Two rings; each message carries half.
ScheduleSize size(const CollectiveRequest& request) {
  const ScheduleSize ring = ring_size(request);
  return {2 * ring.messages, ring.elements, 2 * ring.channels};
}

/// Equal halves in one message each. Both directions share a rank's ports, so the second is one message behind.
std::optional<Picoseconds> closed_form(const CollectiveRequest& request, const AlphaBeta& cost) {
  const std::int64_t n = request.grid.size();
  const bool chain = request.collective == Collective::kBroadcast || request.collective == Collective::kReduce;
  const std::int64_t halves = chain ? 2 : 2 * n;
  const Messages half(request.count / halves, request, cost);
  if (request.count % halves != 0 || half.count > 1) return std::nullopt;
  const std::int64_t rounds = (request.collective == Collective::kAllReduce ? 2 : 1) * (n - 1);
  const Picoseconds round = half.alpha + half.each;
  return (rounds - 1) * (chain ? round : std::max(round, 2 * half.each)) + round + half.each;
}

const RegisterCollectiveAlgorithm kRegistered({"bidirectional_ring",
                                               "two rings in opposite directions, each with half of the data",
                                               {Collective::kAllReduce, Collective::kReduceScatter,
                                                Collective::kAllGather, Collective::kBroadcast, Collective::kReduce},
                                               build,
                                               size,
                                               closed_form});

}  // namespace

}  // namespace kernbench
