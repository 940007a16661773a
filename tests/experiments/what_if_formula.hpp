// A workload whose time is a formula of the machine, so that every set of changes can be tried.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "benches/experiments/whatif/what_if.hpp"
#include "benches/results/rows/cause_words.hpp"

namespace kernbench {

inline KeyChange change(std::string_view path, Factor factor = kTwice) { return {topology_key(path), factor}; }

/// Bytes through memory, link and credits, beside MACs, and a call.
inline double formula(const MachineSpec& machine) {
  const double credits = static_cast<double>(machine.pe.dma.outstanding_bursts * machine.die.hbm.burst) / 50;
  const double rate = std::min({machine.die.hbm.bandwidth.gbs(), machine.die.router.link.gbs(), credits});
  const double multiplied = 200'000.0 * 4096 / static_cast<double>(machine.pe.mac.macs_per_cycle);
  return std::max(1e8 / rate, multiplied) + static_cast<double>(machine.pe.control.value) / 100;
}

/// Counts what it is asked for.
struct Formula {
  std::set<std::string> forms{};
  std::size_t runs = 0;
  bool ledger_of_array = false;  ///< the ledger says that nothing but the array takes time

  std::vector<Row> operator()(const std::vector<MachineSpec>& machines) {
    std::vector<Row> rows;
    for (const MachineSpec& machine : machines) {
      ++runs;
      forms.insert(canonical_form(machine));
      Row& row = rows.emplace_back();
      row.metrics.json()["time_ns"] = formula(machine);
      if (!ledger_of_array) continue;
      row.metrics.json()["limited_by"] = "mac";
      row.metrics.json()["limited_by_share"] = 1.0;
      row.windows["pe_ns"] = formula(machine);
      row.metrics.json()[ledger_metric(Cause::kMac).name] = formula(machine);
    }
    return rows;
  }
};

}  // namespace kernbench
