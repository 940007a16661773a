// What `kernbench probe` shows: tables of transfers, of contention and of checks, and the results document.
#pragma once

#include <string>
#include <vector>

#include "benches/io/text/terminal.hpp"
#include "benches/results/rows/results.hpp"
#include "sim/machine/load_machine.hpp"
#include "sim/plan/probe/probe_checks.hpp"

namespace kernbench {

struct ProbeReport {
  std::vector<ProbeOutcome> outcomes;  ///< in the order in which they were asked for
  std::vector<std::string> reasons;    ///< by outcome: why it failed; empty when it went through
  std::vector<ProbeCheck> checks;      ///< over the outcomes that went through
  std::vector<ProbeLeftOut> left_out;
  bool hops = false;
};

[[nodiscard]] std::string format_probes(const ProbeReport& report, const Terminal& terminal);

/// kernbench.results/1 (docs/probe.md): a row a probe, then with `hops` a row a stage of each single transfer, then a
/// row a check.
[[nodiscard]] Results probe_results(const ProbeReport& report, const LoadedMachine& machine);

}  // namespace kernbench
