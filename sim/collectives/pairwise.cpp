// pairwise: as direct, one peer after the other: in round k every rank sends to the rank k after it and takes from the
// rank k before it, and goes on when it has it.
#include <utility>

#include "sim/collectives/closed_forms.hpp"
#include "sim/collectives/sizes.hpp"
#include "sim/collectives/steps.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {

namespace {

void build(const CollectiveRequest& request, CollectiveSchedule& schedule) {
  const std::int32_t n = request.grid.size();
  const bool reduces = request.collective == Collective::kReduceScatter;
  const StepStyle style{.chunk = request.chunk};
  const auto block = [&](std::int32_t rank) { return balanced_block(request.count, n, rank); };
  const auto output = [&](std::int32_t rank) {
    return ElementRange{request.count + block(rank).first, block(rank).count};
  };
  for (std::int32_t rank = 0; rank < n; ++rank) {
    CollectiveThread thread;
    if (!reduces) add_copy(thread, output(rank), block(rank).first, style);
    for (std::int32_t round = 1; round < n; ++round) {
      const std::int32_t to = (rank + round) % n;
      const std::int32_t from = (rank - round + n) % n;
      add_steps(thread, StepKind::kSend, to, block(to), style);
      add_steps(thread, reduces ? StepKind::kReduce : StepKind::kReceive, from, reduces ? block(rank) : output(from),
                style);
    }
    schedule.ranks[static_cast<std::size_t>(rank)].push_back(std::move(thread));
  }
}

/// Equal blocks: n - 1 rounds, each as long as a block takes.
std::optional<Picoseconds> closed_form(const CollectiveRequest& request, const AlphaBeta& cost) {
  const std::int64_t n = request.grid.size();
  if (request.count % n != 0) return std::nullopt;
  return (n - 1) * Messages(request.count / n, request, cost).hop();
}

const RegisterCollectiveAlgorithm kRegistered({"pairwise",
                                               "one peer a round: the rank 1, 2, 3, ... away",
                                               {Collective::kAllToAll, Collective::kReduceScatter},
                                               build,
                                               all_pairs_size,
                                               closed_form});

}  // namespace

}  // namespace kernbench
