// A time that no algorithm beats for a collective on a network, and what sets it (18.8, 18.9).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/plan/collective/schedule.hpp"

namespace kernbench {

/// Ranks that only so much leads out of and into, e.g. those of one die.
struct NetworkCut {
  std::string name;
  std::vector<std::int32_t> ranks;
  Bandwidth out;
  Bandwidth in;
};

/// Cuts without a rank in common, e.g. all dies. Where every rank is in one of them they are also taken together.
struct CutGroup {
  std::string name;
  std::vector<NetworkCut> cuts;
};

struct CollectiveTraffic {
  Collective collective = Collective::kAllReduce;
  std::int64_t count = 0;  ///< elements, as CollectiveSchedule says
  std::int32_t ranks = 1;
  std::int32_t root = 0;
  Bytes element_bytes = 1;
};

/// What is done with elements of a rank's buffer: so many of them, or so many times with each (18.14).
struct RankWork {
  std::int64_t sent = 0;
  std::int64_t taken = 0;   ///< out of a message, into the buffer
  std::int64_t added = 0;   ///< of those the ones that are added to what is there
  std::int64_t copied = 0;  ///< inside the buffer
};

/// Units of one kind, each of which works for some of the ranks: their ports, the memory of their die.
struct RankUnits {
  std::string name;
  Bandwidth bandwidth;                             ///< of one
  RankWork gives{};                                ///< how often one moves an element that is sent, taken, ...
  RankWork takes{};                                ///< beside that, of what it need not have done with at the end
  Bytes held = 0;                                  ///< of which it holds so much at most
  std::vector<std::vector<std::int32_t>> ranks{};  ///< of each unit, each rank once; none: every rank has its own
};

struct NetworkLimits {
  /// No byte is faster between the two ranks that are farthest from each other, of those of which one needs what the
  /// other has (broadcast, reduce: one is the root), whatever ranks it passes.
  Picoseconds farthest;
  std::vector<RankUnits> units;
  std::vector<CutGroup> groups;
};

/// Elements that leave and enter a set of ranks at least.
struct Crossing {
  std::int64_t out = 0;
  std::int64_t in = 0;
};

/// Whatever the algorithm (18.8). Nothing for a set of no rank or of all.
[[nodiscard]] Crossing least_crossing(const CollectiveTraffic& traffic, const std::vector<std::int32_t>& inside);

/// Elements that go from one of `parts` parts to another at least, where the parts have all ranks among them (18.8).
[[nodiscard]] std::int64_t least_exchange(const CollectiveTraffic& traffic,
                                          const std::vector<std::vector<std::int32_t>>& parts);

/// What a rank has to do at least, whatever the algorithm, and what all of them have to do together (18.14). What is
/// added to may be sent in its place: right for units that do with it no more than with what is sent.
[[nodiscard]] RankWork least_work(const CollectiveTraffic& traffic, std::int32_t rank);
[[nodiscard]] RankWork least_work(const CollectiveTraffic& traffic);

struct CollectiveBound {
  Picoseconds time;
  std::string resource;  ///< "latency", or name of units, or of a cut or group and " out" or " in"; "" for 0
};

/// The largest of: the latency; each unit; each cut; all units of a kind, and all cuts of a group, together. 0 for one
/// rank or no element.
[[nodiscard]] CollectiveBound collective_bound(const CollectiveTraffic& traffic, const NetworkLimits& limits);

}  // namespace kernbench
