// Random requests for properties of schedules.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <string>

#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {

inline GridShape random_shape(std::int32_t longest) {
  return {*rc::gen::inRange(1, longest + 1), *rc::gen::inRange(1, longest + 1)};
}

/// One row of ranks, or a grid of all three levels with 40 ranks or fewer.
inline RankGrid random_grid() {
  if (*rc::gen::arbitrary<bool>()) return {{}, {}, {1, *rc::gen::inRange(1, 41)}};
  RankGrid grid{random_shape(3), random_shape(3), random_shape(3)};
  while (grid.size() > 40) {
    GridShape& level = grid.packages.size() > 2 ? grid.packages : grid.dies.size() > 2 ? grid.dies : grid.pes;
    (level.rows > level.columns ? level.rows : level.columns) -= 1;
  }
  return grid;
}

/// Something that the algorithm does, few elements as often as many.
inline CollectiveRequest random_request(const CollectiveAlgorithm& algorithm) {
  CollectiveRequest request;
  request.collective = *rc::gen::elementOf(algorithm.collectives);
  request.grid = random_grid();
  request.count = *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, 50), rc::gen::inRange<std::int64_t>(0, 1000));
  if (request.collective == Collective::kAllToAll) request.count -= request.count % request.grid.size();
  request.root = *rc::gen::inRange(0, request.grid.size());
  request.chunk = *rc::gen::element<std::int64_t>(0, 1, 7, 16, 100, 2000);
  if (request.chunk > 0 && request.count / request.chunk > 100) request.chunk = 16;
  request.root_die = *rc::gen::element(RootDie::kCentre, RootDie::kCorner);
  return request;
}

inline std::string described(const CollectiveRequest& request) {
  const auto shape = [](GridShape s) { return std::to_string(s.rows) + "x" + std::to_string(s.columns); };
  return std::string(kCollectives[request.collective]) + " of " + std::to_string(request.count) + ", root " +
         std::to_string(request.root) + ", chunk " + std::to_string(request.chunk) + ", " +
         shape(request.grid.packages) + " packages of " + shape(request.grid.dies) + " dies of " +
         shape(request.grid.pes) + " PEs";
}

}  // namespace kernbench
