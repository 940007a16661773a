// Where the packets of a traffic test go (adr/0017), and when a node creates them.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/names.hpp"
#include "sim/base/random.hpp"
#include "sim/base/units.hpp"

namespace kernbench {

enum class TrafficPattern : std::uint8_t { kUniform, kTranspose, kHotspot, kNeighbour, kMulticast };
/// Names as on the command line.
inline constexpr Names<TrafficPattern> kTrafficPatterns{"traffic pattern",
                                                        {{TrafficPattern::kUniform, "uniform"},
                                                         {TrafficPattern::kTranspose, "transpose"},
                                                         {TrafficPattern::kHotspot, "hotspot"},
                                                         {TrafficPattern::kNeighbour, "neighbour"},
                                                         {TrafficPattern::kMulticast, "multicast"}}};
/// Those of packets for one receiver.
inline constexpr Names<TrafficPattern> kPatternsOfPairs{"traffic pattern",
                                                        {{TrafficPattern::kUniform, "uniform"},
                                                         {TrafficPattern::kTranspose, "transpose"},
                                                         {TrafficPattern::kHotspot, "hotspot"},
                                                         {TrafficPattern::kNeighbour, "neighbour"}}};

/// Of kMulticast: a packet goes to all of the sender's group but itself.
struct TrafficGroups {
  /// Blocks of the mesh, from its first corner on, the last ones smaller where they do not fit; a side of 0 is the
  /// mesh's.
  int rows = 1;
  int columns = 0;
  std::vector<std::int32_t> nodes = {};  ///< where there are any, instead of blocks: the group of every sender
};

struct TrafficSpec {
  TrafficPattern pattern = TrafficPattern::kUniform;
  int rows = 8;
  int columns = 8;
  std::vector<std::int32_t> hot_nodes;  ///< of kHotspot; empty: the one in the middle
  double hot_fraction = 0.1;            ///< of kHotspot: packets that go to a hot node
  TrafficGroups groups = {};            ///< of kMulticast; the sender's row

  [[nodiscard]] std::int32_t nodes() const { return rows * columns; }
  /// Whether all packets of a node go to the same one (fixed_destination).
  [[nodiscard]] bool fixed() const {
    return pattern == TrafficPattern::kTranspose || pattern == TrafficPattern::kNeighbour;
  }
  [[nodiscard]] bool multicast() const { return pattern == TrafficPattern::kMulticast; }
  /// Of all packets: what goes to the hot nodes.
  [[nodiscard]] double hot_share() const { return pattern == TrafficPattern::kHotspot ? hot_fraction : 0; }
};

/// Fills in what was left open. Throws ConfigError for a pattern that the mesh cannot have.
[[nodiscard]] TrafficSpec checked(TrafficSpec spec);

/// Where the packets of a node go in a pattern that draws nothing: transpose, neighbour.
[[nodiscard]] std::int32_t fixed_destination(const TrafficSpec& spec, std::int32_t node);

/// Where the packets of a node go in kMulticast: those of its group that come behind it, then those before it.
[[nodiscard]] std::vector<std::int32_t> receivers_of(const TrafficSpec& spec, std::int32_t node);

/// The packets of one node: in every cycle one is created with the same probability.
class PacketStream {
 public:
  PacketStream(std::int32_t node, double packets_per_cycle, std::uint64_t seed)
      : node_(node), packets_per_cycle_(packets_per_cycle), random_(seed) {}

  /// The cycle of the next packet; its destination is to be drawn before the one after it.
  Cycles next_cycle();
  std::int32_t destination(const TrafficSpec& spec);

 private:
  std::int32_t node_;
  double packets_per_cycle_;
  Random random_;
  Cycles cycle_ = -1;
};

}  // namespace kernbench
