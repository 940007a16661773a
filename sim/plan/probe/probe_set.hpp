// The probes that a machine has a place for (adr/0021): which PE or host moves what from and to which memory.
#pragma once

#include <string>
#include <vector>

#include "sim/plan/probe/probe_time.hpp"

namespace kernbench {

struct Probe {
  std::string name;                      ///< e.g. "die-far-read"; with contention "contend-3"
  std::string what;                      ///< for people
  std::vector<ProbeTransfer> transfers;  ///< all start at once; one but for contention
  [[nodiscard]] bool contends() const { return name.starts_with("contend-"); }
};

struct ProbeLeftOut {
  std::string name;
  std::string reason;
};

struct ProbeSet {
  std::vector<Probe> probes;
  std::vector<ProbeLeftOut> left_out;
};

/// All probes with transfers of each of these sizes, size after size. Throws ConfigError for a size that
/// check_probe_bytes refuses.
[[nodiscard]] ProbeSet probe_set(const NetworkPlan& plan, const MachineSpec& machine, const std::vector<Bytes>& sizes);

}  // namespace kernbench
