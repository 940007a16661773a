// Values as diagrams print them, and links put together that lead from one box to another.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/load_machine.hpp"
#include "sim/plan/network/network_plan.hpp"

namespace kernbench {

std::string label(Bandwidth bandwidth);  ///< "256 GB/s"
std::string label(Picoseconds time);     ///< "0.04 ns"
std::string size_label(Bytes bytes);     ///< "16 MiB"

/// Parallel connections between two boxes, one direction.
struct LinkBundle {
  std::int64_t links = 0;
  Bandwidth bandwidth;  ///< of one
  Picoseconds latency;

  void add(const NetworkLink& link);

  /// "4 × 128 GB/s" and "16 ns".
  [[nodiscard]] std::vector<std::string> lines() const;
};

using BoxPair = std::pair<std::int32_t, std::int32_t>;

/// The links between boxes: `box_of` names a node's box by a number, or -1 where it is in none.
std::map<BoxPair, LinkBundle> bundles(const NetworkPlan& plan,
                                      const std::function<std::int32_t(const NetworkNode&)>& box_of);

/// The first line below a diagram's title: machine and its hash.
std::string machine_note(const LoadedMachine& machine);

/// What to add where a grid is larger than what is drawn of it; no line where it is not.
std::vector<std::string> cut_note(const GridSpec& all, const GridSpec& drawn, const std::string& what);

}  // namespace kernbench
