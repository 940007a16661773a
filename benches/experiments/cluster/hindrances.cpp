#include "benches/experiments/cluster/hindrances.hpp"

#include <spdlog/spdlog.h>

#include "sim/base/text.hpp"

namespace kernbench {
namespace {

std::string remedy_of(Hindrance hindrance, const std::string& names) {
  switch (hindrance) {
    case Hindrance::kGivenUp:
      return "their points are submitted again where no rows come; `sinfo -R` says whether a node is out of service";
    case Hindrance::kHeld:
      return "they wait until somebody lets them go: `scontrol release " + names + "`";
    default:
      return "`sinfo -R` says which nodes are out of service, `scancel " + names + "` ends the waiting";
  }
}

}  // namespace

Hindrance hindrance_of(const std::string& reason) {
  static const std::set<std::string> kOrdinary{"None",     "Resources", "Priority",    "BeginTime", "Licenses",
                                               "Cleaning", "Prolog",    "Reservation", "Dependency"};
  if (reason.starts_with("launch failed") || reason.starts_with("launch_failed") || reason == "JobHoldMaxRequeue") {
    return Hindrance::kGivenUp;
  }
  if (reason.find("Held") != std::string::npos || reason.find("held") != std::string::npos) return Hindrance::kHeld;
  const bool is_a_share = reason.ends_with("Limit") && !reason.starts_with("Partition");  // of what others leave
  if (kOrdinary.contains(reason) || is_a_share) return Hindrance::kNone;
  return Hindrance::kOther;
}

void Hindrances::tell(const QueuedTasks& queue) {
  std::map<std::string, std::set<QueuedTask>> fresh;
  for (const auto& [task, reason] : queue) {
    if (hindrance_of(reason) != Hindrance::kNone && told_[reason].insert(task).second) fresh[reason].insert(task);
  }
  for (const auto& [reason, tasks] : fresh) {
    const std::string names = joined(names_of(tasks), " ");
    spdlog::warn("tasks {} do not start: {}; {}", names, reason, remedy_of(hindrance_of(reason), names));
  }
}

}  // namespace kernbench
