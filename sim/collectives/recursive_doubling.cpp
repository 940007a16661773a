// recursive_doubling: whole messages with the rank 1, 2, 4, ... away; broadcast and reduce along the binomial tree.
#include <utility>

#include "sim/collectives/closed_forms.hpp"
#include "sim/collectives/power_of_two.hpp"
#include "sim/collectives/sizes.hpp"
#include "sim/collectives/tree_steps.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {

namespace {

/// Each chunk goes on to the next exchange as soon as it is reduced.
void add_exchanges(CollectiveThread& thread, std::int32_t seat, const SeatedRanks& ranks, ElementRange whole,
                   const StepStyle& style) {
  std::vector<std::int32_t> from;
  std::vector<std::int32_t> to;
  if (ranks.has_guest(seat)) from.push_back(ranks.guest(seat));
  for (std::int32_t far = 1; far < ranks.seats(); far *= 2) {
    from.push_back(ranks.sitting(seat ^ far));
    to.push_back(ranks.sitting(seat ^ far));
  }
  std::size_t next = 0;
  if (ranks.has_guest(seat)) {
    to.push_back(ranks.guest(seat));
  } else {
    add_steps(thread, StepKind::kSend, to[next++], whole, style);
  }
  for (const std::int32_t peer : from) {
    for_each_chunk(whole, style.chunk, [&](ElementRange chunk) {
      add_step(thread, StepKind::kReduce, peer, chunk, style);
      if (next < to.size()) add_step(thread, StepKind::kSend, to[next], chunk, style);
    });
    ++next;
  }
}

void build_all(const CollectiveRequest& request, CollectiveSchedule& schedule) {
  const std::int32_t n = request.grid.size();
  const SeatedRanks ranks(n, 0);
  const StepStyle style{.chunk = request.chunk};
  const ElementRange whole{0, request.count};
  const SeatBlocks blocks{request.count, ranks.seats(), &ranks, n};
  for (std::int32_t seat = 0; seat < ranks.seats(); ++seat) {
    CollectiveThread sitting;
    CollectiveThread guest;
    const std::int32_t rank = ranks.sitting(seat);
    if (request.collective == Collective::kAllReduce) {
      add_exchanges(sitting, seat, ranks, whole, style);
      add_steps(guest, StepKind::kSend, rank, whole, style);
      add_steps(guest, StepKind::kReceive, rank, whole, style);
    } else {
      const ElementRange theirs = balanced_block(request.count, n, std::min(rank + 1, n - 1));
      const std::int64_t after = theirs.first + theirs.count;
      if (ranks.has_guest(seat)) add_steps(sitting, StepKind::kReceive, rank + 1, theirs, style);
      add_doubling_all_gather(sitting, seat, ranks, blocks, style);
      add_steps(guest, StepKind::kSend, rank, theirs, style);
      for (const ElementRange rest : {ElementRange{0, theirs.first}, ElementRange{after, request.count - after}}) {
        if (ranks.has_guest(seat)) add_steps(sitting, StepKind::kSend, rank + 1, rest, style);
        add_steps(guest, StepKind::kReceive, rank, rest, style);
      }
    }
    schedule.ranks[static_cast<std::size_t>(rank)].push_back(std::move(sitting));
    if (ranks.has_guest(seat)) schedule.ranks[static_cast<std::size_t>(rank) + 1].push_back(std::move(guest));
  }
}

/// The parent of a place is the place without its lowest bit; the child with the most descendants is served first.
void build_tree(const CollectiveRequest& request, CollectiveSchedule& schedule) {
  const std::int32_t n = request.grid.size();
  const auto rank_at = [&](std::int32_t place) { return (request.root + place) % n; };
  std::vector<TreeNode> nodes(static_cast<std::size_t>(n));
  for (std::int32_t place = n - 1; place > 0; --place) {
    const std::int32_t parent = place & (place - 1);
    nodes[static_cast<std::size_t>(rank_at(place))].parent.peer = rank_at(parent);
    nodes[static_cast<std::size_t>(rank_at(parent))].children.push_back({rank_at(place)});
  }
  add_tree(schedule, nodes, {0, request.count}, {.chunk = request.chunk});
}

void build(const CollectiveRequest& request, CollectiveSchedule& schedule) {
  const bool rooted = request.collective == Collective::kBroadcast || request.collective == Collective::kReduce;
  rooted ? build_tree(request, schedule) : build_all(request, schedule);
}

ScheduleSize size(const CollectiveRequest& request) {
  if (is_rooted(request.collective)) return tree_size(request);
  const SeatTerms terms(request);
  const double exchanges = terms.seats * terms.rounds;
  const double channels = exchanges + 2 * terms.guests;
  if (request.collective == Collective::kAllGather) {
    return {2 * exchanges + 6 * terms.guests, 2 * terms.count * terms.ranks, channels};
  }
  const double messages = 2 * exchanges + 4 * terms.guests;
  return {messages, messages * terms.count, channels};
}

/// A power of two of ranks; equal messages in an all_reduce, equal blocks in an all_gather, one message in a tree.
std::optional<Picoseconds> closed_form(const CollectiveRequest& request, const AlphaBeta& cost) {
  const std::int32_t n = request.grid.size();
  if (!power_of_two(n)) return std::nullopt;
  if (request.collective == Collective::kAllGather) {
    if (request.count % n != 0) return std::nullopt;
    return doubling_hops(request.count / n, request, cost);
  }
  const Messages messages(request.count, request, cost);
  if (request.collective == Collective::kAllReduce ? !messages.equal() : messages.count > 1) return std::nullopt;
  return forwarded_rounds(log2_of(n), messages);
}

const RegisterCollectiveAlgorithm kRegistered({"recursive_doubling",
                                               "exchanges with the rank 1, 2, 4, ... away; binomial trees",
                                               {Collective::kAllReduce, Collective::kAllGather, Collective::kBroadcast,
                                                Collective::kReduce},
                                               build,
                                               size,
                                               closed_form});

}  // namespace

}  // namespace kernbench
