// two_shot: an all_reduce as direct's reduce_scatter, then its all_gather: every rank adds up its own block, then sends
// it to all. The busiest rank sends 2 (n - 1) / n of what it has, and two messages follow each other.
#include <algorithm>

#include "sim/collectives/closed_forms.hpp"
#include "sim/collectives/sizes.hpp"
#include "sim/collectives/steps.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {

namespace {

void build(const CollectiveRequest& request, CollectiveSchedule& schedule) {
  const std::int32_t ranks = request.grid.size();
  schedule.phases = {"reduce-scatter", "all-gather"};
  const StepStyle first{.chunk = request.chunk};
  const StepStyle second = first.in_phase(1);
  const auto block = [&](std::int32_t rank) { return balanced_block(request.count, ranks, rank); };
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    CollectiveThread thread;
    const auto for_others = [&](std::int32_t way, const auto& visit) {
      for (std::int32_t far = 1; far < ranks; ++far) visit((rank + ranks + way * far) % ranks);
    };
    for_others(1, [&](std::int32_t to) { add_steps(thread, StepKind::kSend, to, block(to), first); });
    for_others(-1, [&](std::int32_t from) { add_steps(thread, StepKind::kReduce, from, block(rank), first); });
    for_others(1, [&](std::int32_t to) { add_steps(thread, StepKind::kSend, to, block(rank), second); });
    for_others(-1, [&](std::int32_t from) { add_steps(thread, StepKind::kReceive, from, block(from), second); });
    schedule.ranks[static_cast<std::size_t>(rank)].push_back(std::move(thread));
  }
}

ScheduleSize size(const CollectiveRequest& request) {
  const SizeTerms terms(request);
  const double others = terms.ranks - 1;
  // Ranks without a block send to those with one, and the reverse.
  return {4 * others * terms.blocks, 4 * others * terms.count, others * std::min(terms.ranks, 2 * terms.blocks)};
}

/// Equal blocks: n - 1 of them leave, and come, one behind the other, twice.
std::optional<Picoseconds> closed_form(const CollectiveRequest& request, const AlphaBeta& cost) {
  const std::int64_t n = request.grid.size();
  if (request.count % n != 0) return std::nullopt;
  return 2 * (cost.alpha + (n - 1) * Messages(request.count / n, request, cost).all());
}

const RegisterCollectiveAlgorithm kRegistered({"two_shot",
                                               "two shots: every rank adds up its block, then sends it to all",
                                               {Collective::kAllReduce},
                                               build,
                                               size,
                                               closed_form});

}  // namespace

}  // namespace kernbench
