// A figure: a Vega-Lite specification with its data inline, and the name of its files.
#pragma once

#include <string>

#include "benches/results/rows/results.hpp"

namespace kernbench {

struct Figure {
  std::string name;   ///< file stem, says what is shown: "stage_breakdown_simulated"
  std::string title;  ///< one line
  Json spec;          ///< complete Vega-Lite v6 specification; data inline under "data"/"datasets"
};

}  // namespace kernbench
