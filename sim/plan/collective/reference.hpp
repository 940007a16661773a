// What a collective makes of the ranks' buffers, for checks: plain sums and copies, element by element.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/plan/collective/schedule.hpp"

namespace kernbench {

/// [rank][element]
template <class Value>
using RankBuffers = std::vector<std::vector<Value>>;

/// The part of rank `rank`'s buffer that the collective defines at its end.
[[nodiscard]] inline ElementRange defined_result(const CollectiveSchedule& schedule, std::int32_t rank) {
  switch (schedule.collective) {
    case Collective::kReduceScatter:
      return balanced_block(schedule.count, schedule.size(), rank);
    case Collective::kAllToAll:
      return {schedule.count, schedule.count};
    case Collective::kReduce:
      return rank == schedule.root ? ElementRange{0, schedule.count} : ElementRange{};
    case Collective::kAllReduce:
    case Collective::kAllGather:
    case Collective::kBroadcast:
      return {0, schedule.count};
  }
  return {};
}

/// Element `element` of rank `rank` at the end, an element of defined_result; `before` holds what the buffers had at
/// first. Sums are of type Sum.
template <class Value, class Sum = Value>
[[nodiscard]] Sum reference_value(const CollectiveSchedule& schedule, const RankBuffers<Value>& before,
                                  std::int32_t rank, std::int64_t element) {
  const auto at = [&](std::int64_t of_rank, std::int64_t index) {
    return before[static_cast<std::size_t>(of_rank)][static_cast<std::size_t>(index)];
  };
  switch (schedule.collective) {
    case Collective::kBroadcast:
      return at(schedule.root, element);
    case Collective::kAllGather: {
      std::int64_t owner = 0;
      while (element >= balanced_block(schedule.count, schedule.size(), owner + 1).first) ++owner;
      return at(owner, element);
    }
    case Collective::kAllToAll: {
      const std::int64_t block = schedule.count / schedule.size();
      const std::int64_t output = element - schedule.count;
      return at(output / block, rank * block + output % block);
    }
    case Collective::kAllReduce:
    case Collective::kReduceScatter:
    case Collective::kReduce:
      break;
  }
  Sum sum{};
  for (std::int32_t other = 0; other < schedule.size(); ++other) sum += static_cast<Sum>(at(other, element));
  return sum;
}

}  // namespace kernbench
