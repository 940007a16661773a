// A bench whose rows are closed forms of a point and of the machine's keys.
#pragma once

#include "benches/workloads/bench.hpp"

namespace kernbench {

/// Two sizes, two ways; time_ns is the size over the HBM's GB/s, twice that "slow".
inline Bench toy_bench() {
  Bench bench;
  bench.name = "toy";
  bench.axes = {{"size", {1, 2}}, {"way", {"fast", "slow"}}};
  bench.report = {{"time_ns", "time (ns)"}};
  bench.simulate = [](const MachineSpec& machine, const Point& point, const PointSettings&) {
    Row row;
    const double factor = point.at("way") == "slow" ? 2 : 1;
    row.metrics.json()["time_ns"] = factor * point.at("size").get<double>() / machine.die.hbm.bandwidth.gbs();
    return row;
  };
  return bench;
}

}  // namespace kernbench
