// How fast copies between devices can be, by the links of the routes that they take (adr/0044, 44.12).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sim/plan/distributed_gemm/distributed_program.hpp"
#include "sim/plan/network/link_loads.hpp"

namespace kernbench {

class RouteBound {
 public:
  /// The plan outlives it.
  explicit RouteBound(const NetworkPlan& plan);

  /// `bytes` go from endpoint `source` to endpoint `destination`.
  void add(std::int32_t source, std::int32_t destination, Bytes bytes);

  struct Longest {
    Picoseconds time;  ///< from when the first byte may start until the last one is there; 0: nothing is moved
    std::string link;  ///< on which all of that passes
  };
  /// Of all links: what passes it at its bandwidth, after the least latency of the ways to it and before the least of
  /// the ways on.
  [[nodiscard]] Longest longest() const;

 private:
  struct Ways {
    Picoseconds to{std::numeric_limits<std::int64_t>::max()};  ///< until a head enters the link
    Picoseconds on{std::numeric_limits<std::int64_t>::max()};  ///< from there to the destination
  };

  const NetworkPlan& plan_;
  LinkLoads loads_;
  std::vector<Ways> ways_;  // by link
};

/// Of all copies of the commands, from the partition where they begin through the PE that makes them to where they end.
[[nodiscard]] RouteBound::Longest longest_route(const std::vector<DeviceCommand>& commands, const MachineSpec& machine,
                                                const NetworkPlan& network);

}  // namespace kernbench
