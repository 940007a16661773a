// What is asked of a collective, on the PEs of a machine or on GPUs (docs/collectives.md).
#pragma once

#include <string>

#include "benches/workloads/axes.hpp"
#include "benches/workloads/collective/collective_case.hpp"
#include "sim/plan/gpu/nccl.hpp"
#include "sim/system/collective/run_collective.hpp"

namespace kernbench {

/// Of which all ranks take part; auto: the first of the others with several.
enum class Scale : std::uint8_t { kAuto, kDie, kPackage, kSystem };
inline constexpr Names<Scale> kScales{
    "scale", {{Scale::kAuto, "auto"}, {Scale::kDie, "die"}, {Scale::kPackage, "package"}, {Scale::kSystem, "system"}}};

struct CollectiveAsked {
  Collective collective = Collective::kAllReduce;
  std::string algorithm = "ring";
  Bytes bytes = Bytes{1} << 20;
  Scale scale = Scale::kAuto;
  std::int64_t ranks = 0;  ///< in its place: the first ones
  RanksPer ranks_per = RanksPer::kPe;
  RootDie root_die = RootDie::kCentre;
  std::string chunk = "usual";  ///< most bytes of a message
  std::int64_t root = 0;
  CollectiveValues values = CollectiveValues::kIntegers;  ///< that are carried where results are compared
  std::int64_t gpus = 0;                                  ///< 0: all
  std::int64_t channels = 0;                              ///< 0: the library's number
  std::int64_t threads = 0;                               ///< likewise
};

[[nodiscard]] Axes<CollectiveAsked> collective_axes();

/// On the part of a machine that does it.
struct CollectiveOnPes {
  CollectiveAsked asked;
  std::string machine;
  MachinePart part;
  CollectiveCase what;
};
/// Throws ConfigError, CapacityError where the machine cannot do it.
[[nodiscard]] CollectiveOnPes place_collective(const MachineSpec& machine, const CollectiveAsked& asked);
/// The same of a GPU.
[[nodiscard]] NcclCollective nccl_of(const CollectiveAsked& asked, const GpuSpec& gpu);

/// With the scale that auto is on this machine.
[[nodiscard]] CollectiveAsked settled_collective(const MachineSpec& machine, const CollectiveAsked& asked);

}  // namespace kernbench
