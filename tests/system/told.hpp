// All that a run says, of runs that may be counted on where they repeat themselves (adr/0047).
#pragma once

#include <functional>
#include <sstream>
#include <string>

#include "tests/system/simulate.hpp"

namespace kernbench {

struct Told {
  std::int64_t passed_over = 0;  ///< tiles
  std::int64_t steps = 0;        ///< passed over
  std::string all;
};

inline std::string told_of(const RunResult& result) {
  std::ostringstream out;
  out << to_text(result, {}) << result.steps << ' ' << result.hbm_busy_ns.value_or(-1);
  for (const StageTotals& stage : result.stages) out << ' ' << stage.moved << ' ' << stage.activity.tcm;
  const Activity& did = result.activity;
  out << '\n' << did.vector_operations << ' ' << did.registers << ' ' << did.tcm << ' ' << did.hbm << ' ' << did.router;
  for (const std::int64_t macs : did.macs) out << ' ' << macs;
  return out.str();
}

/// From a forked child.
inline Told told(const Run& run, const RunSettings& settings) {
  std::istringstream text(forked([&] {
    const RunResult result = run(settings);
    return std::to_string(result.tiles_passed_over) + " " + std::to_string(result.steps_passed_over) + "\n" +
           told_of(result);
  }));
  Told told;
  text >> told.passed_over >> told.steps;
  std::getline(text, told.all, '\0');
  return told;
}

}  // namespace kernbench
