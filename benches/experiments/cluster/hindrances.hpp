// What keeps tasks from starting that no waiting cures, told to who waits (adr/0039-clusters.md).
#pragma once

#include <map>
#include <set>
#include <string>

#include "benches/experiments/cluster/slurm.hpp"

namespace kernbench {

enum class Hindrance {
  kNone,     ///< it runs, or its turn comes
  kGivenUp,  ///< Slurm holds it since it could not start it, and does not try again
  kHeld,     ///< a person or the site's rules hold it
  kOther,    ///< its nodes are away, or there are none of what it asks for
};

/// Of squeue's reason (%r).
[[nodiscard]] Hindrance hindrance_of(const std::string& reason);

/// Tells each task's hindrances once.
class Hindrances {
 public:
  /// A warning for each reason that is new for some tasks, with their names and what to do.
  void tell(const QueuedTasks& queue);

 private:
  std::map<std::string, std::set<QueuedTask>> told_;  ///< by reason
};

}  // namespace kernbench
