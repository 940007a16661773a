// direct: one shot. Every rank sends what another one needs straight to it, all messages at once. Were what comes in of
// an all_reduce added to what goes out, ranks would wait for each other in a circle (19.17): it sends a copy.
#include "sim/collectives/closed_forms.hpp"
#include "sim/collectives/sizes.hpp"
#include "sim/collectives/steps.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {

namespace {

/// Of the buffer of a rank that has two.
ElementRange second_half(const CollectiveRequest& request) { return {request.count, request.count}; }

/// What rank `from` sends to rank `to`, as the range of from's buffer.
ElementRange sent(const CollectiveRequest& request, std::int32_t from, std::int32_t to) {
  const ElementRange whole{0, request.count};
  const auto block = [&](std::int32_t rank) { return balanced_block(request.count, request.grid.size(), rank); };
  switch (request.collective) {
    case Collective::kAllReduce:
      return second_half(request);
    case Collective::kReduceScatter:
    case Collective::kAllToAll:
      return block(to);
    case Collective::kAllGather:
      return block(from);
    case Collective::kBroadcast:
      return from == request.root ? whole : ElementRange{};
    case Collective::kReduce:
      return to == request.root ? whole : ElementRange{};
  }
  return {};
}

/// Where it goes in the receiver's buffer.
ElementRange taken(const CollectiveRequest& request, std::int32_t from, std::int32_t to) {
  if (request.collective == Collective::kAllReduce) return {0, request.count};
  ElementRange range = sent(request, from, to);
  if (request.collective == Collective::kAllToAll) {
    range.first = request.count + balanced_block(request.count, request.grid.size(), from).first;
  }
  return range;
}

void build(const CollectiveRequest& request, CollectiveSchedule& schedule) {
  const std::int32_t ranks = request.grid.size();
  const bool reduces = request.collective == Collective::kAllReduce ||
                       request.collective == Collective::kReduceScatter || request.collective == Collective::kReduce;
  const StepKind take = reduces ? StepKind::kReduce : StepKind::kReceive;
  const StepStyle style{.chunk = request.chunk};
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    CollectiveThread thread;
    if (request.collective == Collective::kAllToAll) {
      add_copy(thread, taken(request, rank, rank), sent(request, rank, rank).first, style);
    } else if (request.collective == Collective::kAllReduce) {
      add_copy(thread, second_half(request), 0, style);
    }
    // Everybody starts with the rank after it: no two ranks send to the same one at the same time.
    for (std::int32_t ahead = 1; ahead < ranks; ++ahead) {
      const std::int32_t to = (rank + ahead) % ranks;
      add_steps(thread, StepKind::kSend, to, sent(request, rank, to), style);
    }
    for (std::int32_t back = 1; back < ranks; ++back) {
      const std::int32_t from = (rank - back + ranks) % ranks;
      add_steps(thread, take, from, taken(request, from, rank), style);
    }
    schedule.ranks[static_cast<std::size_t>(rank)].push_back(std::move(thread));
  }
}

/// Equal messages: n - 1 of them leave, or come, one behind the other.
std::optional<Picoseconds> closed_form(const CollectiveRequest& request, const AlphaBeta& cost) {
  const std::int64_t n = request.grid.size();
  const bool whole = request.collective == Collective::kAllReduce || request.collective == Collective::kBroadcast ||
                     request.collective == Collective::kReduce;
  if (!whole && request.count % n != 0) return std::nullopt;
  const Messages messages(whole ? request.count : request.count / n, request, cost);
  return cost.alpha + (n - 1) * messages.all();
}

const RegisterCollectiveAlgorithm kRegistered({"direct",
                                               "one shot: every rank sends straight to every rank that needs it",
                                               {kCollectives.values().begin(), kCollectives.values().end()},
                                               build,
                                               all_pairs_size,
                                               closed_form,
                                               {Collective::kAllReduce}});

}  // namespace

}  // namespace kernbench
