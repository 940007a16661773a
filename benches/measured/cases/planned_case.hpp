// A case that a measuring program intends to run: made without a GPU, in the order of importance.
#pragma once

#include <string>

#include "benches/results/rows/results.hpp"

namespace kernbench {

struct PlannedCase {
  std::string suite;            ///< "milestone": what is reported as skipped where time runs out
  Json point = Json::object();  ///< of its row
  double estimate_s = 0;        ///< about how long it takes; a case that does not fit into what is left is skipped
  bool power_window = false;    ///< worth a window that is long enough for the power sensor
};

}  // namespace kernbench
