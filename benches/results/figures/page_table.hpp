// The tables of a page: simulated rows with their bounds beside them, and derived rows.
#pragma once

#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// [{"title", "meaning", "columns": [{"key", "heading", "unit", "meaning", "shown"}], "rows": [{key: value}]}]: the
/// simulated points with the bound of each, then the derived rows, a table for each kind. Values are those stored and
/// time ÷ bound − 1; a key of the bound begins with "bound:". Shown at first are axes, the bound, what differs from it
/// and `metrics`; a column that no row has is none.
Json page_tables(const Results& sim, const Results& theory, const std::vector<std::string>& metrics);

}  // namespace kernbench
