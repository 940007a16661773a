// halving_doubling (Rabenseifner): reduce_scatter by halving, all_gather by doubling. (R. Thakur, R. Rabenseifner, W.
// Gropp: Optimization of collective communication operations in MPICH, Int. J. High Performance Computing Applications
// 19, 2005.)
#include <utility>

#include "sim/collectives/closed_forms.hpp"
#include "sim/collectives/power_of_two.hpp"
#include "sim/collectives/sizes.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {

namespace {

/// Seat 0 gives every other seat its block, half of what is left at a time.
void add_scatter(CollectiveThread& thread, std::int32_t seat, const SeatedRanks& ranks, const SeatBlocks& blocks,
                 const StepStyle& style) {
  for (std::int32_t far = ranks.seats() / 2; far > 0; far /= 2) {
    if (seat % (2 * far) == 0) {
      add_steps(thread, StepKind::kSend, ranks.sitting(seat + far), blocks.of(seat + far, seat + 2 * far), style);
    } else if (seat % far == 0) {
      add_steps(thread, StepKind::kReceive, ranks.sitting(seat - far), blocks.of(seat, seat + far), style);
    }
  }
}

/// The way back.
void add_gather(CollectiveThread& thread, std::int32_t seat, const SeatedRanks& ranks, const SeatBlocks& blocks,
                const StepStyle& style) {
  for (std::int32_t far = 1; far < ranks.seats(); far *= 2) {
    if (seat % (2 * far) == 0) {
      add_steps(thread, StepKind::kReceive, ranks.sitting(seat + far), blocks.of(seat + far, seat + 2 * far), style);
    } else if (seat % far == 0) {
      add_steps(thread, StepKind::kSend, ranks.sitting(seat - far), blocks.of(seat, seat + far), style);
    }
  }
}

/// What a guest has in common with its host.
struct GuestParts {
  ElementRange in;                 ///< given to the host at first
  std::vector<ElementRange> back;  ///< got from it at last
};

GuestParts guest_parts(const CollectiveRequest& request, std::int32_t guest) {
  const ElementRange whole{0, request.count};
  const ElementRange own = balanced_block(request.count, request.grid.size(), guest);
  const std::int64_t after = own.first + own.count;
  switch (request.collective) {
    case Collective::kReduceScatter:
      return {whole, {own}};
    case Collective::kAllGather:
      return {own, {{0, own.first}, {after, request.count - after}}};
    case Collective::kBroadcast:
      return {{}, {whole}};
    case Collective::kReduce:
      return {whole, {}};
    case Collective::kAllReduce:
    case Collective::kAllToAll:
      break;
  }
  return {whole, {whole}};
}

void build(const CollectiveRequest& request, CollectiveSchedule& schedule) {
  const std::int32_t n = request.grid.size();
  const Collective collective = request.collective;
  const bool by_rank = collective == Collective::kReduceScatter || collective == Collective::kAllGather;
  const bool rooted = collective == Collective::kBroadcast || collective == Collective::kReduce;
  const bool halves = collective != Collective::kBroadcast && collective != Collective::kAllGather;
  const bool doubles = collective != Collective::kReduce && collective != Collective::kReduceScatter;
  const SeatedRanks ranks(n, rooted ? request.root : 0);
  const SeatBlocks blocks{request.count, ranks.seats(), by_rank ? &ranks : nullptr, n};
  schedule.phases = {"halving", "doubling"};
  const StepStyle halving{.chunk = request.chunk};
  const StepStyle doubling = halving.in_phase(1);
  for (std::int32_t seat = 0; seat < ranks.seats(); ++seat) {
    CollectiveThread sitting;
    CollectiveThread guest;
    const std::int32_t rank = ranks.sitting(seat);
    const std::int32_t guest_rank = ranks.guest(seat);
    const GuestParts parts = ranks.has_guest(seat) ? guest_parts(request, guest_rank) : GuestParts{};
    add_steps(guest, StepKind::kSend, rank, parts.in, halving);
    add_steps(sitting, halves ? StepKind::kReduce : StepKind::kReceive, guest_rank, parts.in, halving);
    if (halves) add_halving_reduce_scatter(sitting, seat, ranks, blocks, halving);
    if (collective == Collective::kBroadcast) add_scatter(sitting, seat, ranks, blocks, halving);
    if (collective == Collective::kReduce) add_gather(sitting, seat, ranks, blocks, doubling);
    if (doubles) add_doubling_all_gather(sitting, seat, ranks, blocks, doubling);
    for (const ElementRange part : parts.back) {
      add_steps(sitting, StepKind::kSend, guest_rank, part, doubling);
      add_steps(guest, StepKind::kReceive, rank, part, doubling);
    }
    schedule.ranks[static_cast<std::size_t>(rank)].push_back(std::move(sitting));
    if (!guest.empty()) schedule.ranks[static_cast<std::size_t>(guest_rank)].push_back(std::move(guest));
  }
}

ScheduleSize size(const CollectiveRequest& request) {
  const SeatTerms terms(request);
  // All seats exchange in each round, in all what they end with, or began with; those under a root in pairs only.
  const ScheduleSize exchanges{2 * terms.seats * terms.rounds, 2 * terms.seats * terms.count,
                               terms.seats * terms.rounds};
  const ScheduleSize tree{2 * (terms.seats - 1), terms.rounds * terms.count, 0};
  ScheduleSize size{6 * terms.guests, 4 * terms.guests * terms.count, 2 * terms.guests};
  size += exchanges;
  if (request.collective == Collective::kAllReduce) size += {exchanges.messages, exchanges.elements, 0};
  if (is_rooted(request.collective)) size += tree;
  return size;
}

/// A power of two of ranks, equal blocks.
std::optional<Picoseconds> closed_form(const CollectiveRequest& request, const AlphaBeta& cost) {
  const std::int32_t n = request.grid.size();
  if (!power_of_two(n) || request.count % n != 0) return std::nullopt;
  const bool one_way = request.collective == Collective::kReduceScatter || request.collective == Collective::kAllGather;
  return (one_way ? 1 : 2) * doubling_hops(request.count / n, request, cost);
}

const RegisterCollectiveAlgorithm kRegistered({"halving_doubling",
                                               "reduces by halving, gathers by doubling (Rabenseifner)",
                                               {Collective::kAllReduce, Collective::kReduceScatter,
                                                Collective::kAllGather, Collective::kBroadcast, Collective::kReduce},
                                               build,
                                               size,
                                               closed_form});

}  // namespace

}  // namespace kernbench
