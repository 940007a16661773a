// Collective algorithms: each turns a request into a schedule; all are found by name (adr/0018, docs/collectives.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/names.hpp"
#include "sim/base/source_place.hpp"
#include "sim/base/units.hpp"
#include "sim/plan/collective/alpha_beta.hpp"
#include "sim/plan/collective/rank_grid.hpp"
#include "sim/plan/collective/schedule.hpp"
#include "sim/plan/collective/schedule_size.hpp"

namespace kernbench {

inline constexpr Names<Collective> kCollectives{"collective",
                                                {{Collective::kAllReduce, "all_reduce"},
                                                 {Collective::kReduceScatter, "reduce_scatter"},
                                                 {Collective::kAllGather, "all_gather"},
                                                 {Collective::kBroadcast, "broadcast"},
                                                 {Collective::kAllToAll, "all_to_all"},
                                                 {Collective::kReduce, "reduce"}}};

/// Where the hierarchical all_reduce gathers what a package has: die (rows / 2, columns / 2), or die (0, 0).
enum class RootDie : std::uint8_t { kCentre, kCorner };
inline constexpr Names<RootDie> kRootDies{"root die", {{RootDie::kCentre, "centre"}, {RootDie::kCorner, "corner"}}};

struct CollectiveRequest {
  Collective collective = Collective::kAllReduce;
  std::int64_t count = 0;  ///< elements, as CollectiveSchedule says
  std::int32_t root = 0;   ///< rank; broadcast, reduce
  std::int64_t chunk = 0;  ///< no message has more elements than this; 0: as many as the algorithm has in one piece
  RankGrid grid;
  RootDie root_die = RootDie::kCentre;
};

struct CollectiveAlgorithm {
  std::string name;
  std::string summary;
  std::vector<Collective> collectives;  ///< those it does
  /// Adds the steps. The request is legal, has two ranks or more and an element or more; `schedule` has its threads'
  /// owners, no threads.
  void (*build)(const CollectiveRequest& request, CollectiveSchedule& schedule) = nullptr;
  /// How large that will be, for requests that `build` may be asked for: not less, and not much more. Its cost does not
  /// grow with the ranks or elements.
  ScheduleSize (*size)(const CollectiveRequest& request) = nullptr;
  /// The time in closed form where the algorithm has one that is exact for the request; may be null.
  std::optional<Picoseconds> (*closed_form)(const CollectiveRequest& request, const AlphaBeta& cost) = nullptr;
  /// Those done in place for which it needs a second buffer all the same: what it sends is a copy.
  std::vector<Collective> sends_a_copy = {};

  [[nodiscard]] bool does(Collective collective) const;
  /// A rank's buffer is this many times the count: 2 for an all_to_all, whose output is not its input, and for
  /// `sends_a_copy`; else 1.
  [[nodiscard]] std::int64_t buffers(Collective collective) const;
  /// Throws ConfigError for a collective that it does not do (naming the algorithms that do), a root that is no rank, a
  /// negative count or chunk, a grid with an empty side, and an all_to_all whose count the number of ranks does not
  /// divide.
  void check(const CollectiveRequest& request) const;
  /// The schedule, after check.
  [[nodiscard]] CollectiveSchedule generate(const CollectiveRequest& request) const;
  /// How large the schedule will be, after check.
  [[nodiscard]] ScheduleSize schedule_size(const CollectiveRequest& request) const;
  /// closed_form with the same checks: 0 for one rank or no element, nothing where there is no exact form.
  [[nodiscard]] std::optional<Picoseconds> closed_time(const CollectiveRequest& request, const AlphaBeta& cost) const;
};

/// All registered algorithms, by name.
[[nodiscard]] const std::vector<CollectiveAlgorithm>& collective_algorithms();
/// Throws ConfigError that names the nearest algorithm, and all of them.
[[nodiscard]] const CollectiveAlgorithm& find_collective_algorithm(const std::string& name,
                                                                   std::string_view place = {});

/// `const RegisterCollectiveAlgorithm kRegistered({"name", "summary", {...}, build, size, closed_form});` in its own
/// file, with what of the rest it needs. Throws std::logic_error that names both places where the name is there
/// already.
class RegisterCollectiveAlgorithm {
 public:
  explicit RegisterCollectiveAlgorithm(CollectiveAlgorithm algorithm, SourcePlace place = SourcePlace::here());
};

}  // namespace kernbench
