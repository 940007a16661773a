// What the algorithms say of the size of their schedules, before they make them (adr/0018, 18.12).
#pragma once

#include <algorithm>

#include "sim/collectives/closed_forms.hpp"
#include "sim/collectives/power_of_two.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {

/// A request as the formulas of sizes want it.
struct SizeTerms {
  explicit SizeTerms(const CollectiveRequest& request)
      : ranks(static_cast<double>(request.grid.size())),
        count(static_cast<double>(request.count)),
        blocks(std::min(ranks, count)) {}
  double ranks;
  double count;
  double blocks;  ///< that are not empty, of one for each rank
};

[[nodiscard]] constexpr bool is_rooted(Collective collective) {
  return collective == Collective::kBroadcast || collective == Collective::kReduce;
}

/// Of something sent, and taken, over `edges` connections, each once: chains and trees.
[[nodiscard]] constexpr ScheduleSize size_over_edges(double edges, double count) {
  return {2 * edges, 2 * edges * count, edges};
}

/// add_ring over all ranks.
[[nodiscard]] inline ScheduleSize ring_size(const CollectiveRequest& request) {
  const SizeTerms terms(request);
  if (is_rooted(request.collective)) return size_over_edges(terms.ranks - 1, terms.count);
  const double passes = request.collective == Collective::kAllReduce ? 2 : 1;  // of all blocks, round the ring
  return {passes * 2 * (terms.ranks - 1) * terms.blocks, passes * 2 * (terms.ranks - 1) * terms.count, terms.ranks};
}

/// Every rank sends straight to every rank that needs it.
[[nodiscard]] inline ScheduleSize all_pairs_size(const CollectiveRequest& request) {
  const SizeTerms terms(request);
  const double others = terms.ranks - 1;
  if (is_rooted(request.collective)) return size_over_edges(others, terms.count);
  const bool all_reduce = request.collective == Collective::kAllReduce;
  ScheduleSize size = all_reduce
                          ? size_over_edges(terms.ranks * others, terms.count)
                          : ScheduleSize{2 * others * terms.blocks, 2 * others * terms.count, others * terms.blocks};
  if (all_reduce || request.collective == Collective::kAllToAll) size += {terms.ranks, 0, 0};  // copies, never cut
  return size;
}

/// add_tree over all ranks.
[[nodiscard]] inline ScheduleSize tree_size(const CollectiveRequest& request) {
  const SizeTerms terms(request);
  const double ways = request.collective == Collective::kAllReduce ? 2 : 1;
  return size_over_edges(ways * (terms.ranks - 1), terms.count);
}

/// Ranks paired off until a power of two is left.
struct SeatTerms : SizeTerms {
  explicit SeatTerms(const CollectiveRequest& request) : SizeTerms(request) {
    const SeatedRanks seated(request.grid.size(), 0);
    seats = seated.seats();
    guests = seated.pairs();
    rounds = static_cast<double>(log2_of(seated.seats()));
  }
  double seats = 1;
  double guests = 0;
  double rounds = 0;  ///< of exchanges between all seats
};

}  // namespace kernbench
