// algbw, busbw and count as nccl-tests defines them; bandwidths in GB/s = 1e9 bytes per second (18.10).
#pragma once

#include <cstdint>

#include "sim/base/units.hpp"
#include "sim/plan/collective/schedule.hpp"

namespace kernbench {

/// What algbw is multiplied by: bytes that the busiest link of an ideal algorithm carries, by bytes of the collective.
[[nodiscard]] constexpr double busbw_factor(Collective collective, std::int64_t ranks) {
  const double others = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  switch (collective) {
    case Collective::kAllReduce:
      return 2 * others;
    case Collective::kReduceScatter:
    case Collective::kAllGather:
    case Collective::kAllToAll:
      return others;
    case Collective::kBroadcast:
    case Collective::kReduce:
      return 1;
  }
  return 1;
}

/// Elements as nccl-tests counts them, of the `elements` that a collective's size is made of: what each rank gives, or
/// of a reduce_scatter gets; of an all_to_all what each rank gives each other one. Rounded up where ranks differ.
[[nodiscard]] constexpr std::int64_t nccl_count(Collective collective, std::int64_t ranks, std::int64_t elements) {
  switch (collective) {
    case Collective::kReduceScatter:
    case Collective::kAllGather:
    case Collective::kAllToAll:
      return elements / ranks + (elements % ranks == 0 ? 0 : 1);
    case Collective::kAllReduce:
    case Collective::kBroadcast:
    case Collective::kReduce:
      return elements;
  }
  return elements;
}

struct CollectiveBandwidth {
  double algbw_gbs = 0;
  double busbw_gbs = 0;
};

/// `bytes` is the collective's size as nccl-tests counts it, which is CollectiveSchedule::count elements: the whole
/// buffer of a rank; of an all_gather the buffer that it fills, of a reduce_scatter the one that it reads. `time` is
/// more than 0.
[[nodiscard]] constexpr CollectiveBandwidth bandwidth_of(Collective collective, std::int64_t ranks, Bytes bytes,
                                                         Picoseconds time) {
  const double algbw = 1000.0 * static_cast<double>(bytes) / static_cast<double>(time.value);
  return {algbw, algbw * busbw_factor(collective, ranks)};
}

}  // namespace kernbench
