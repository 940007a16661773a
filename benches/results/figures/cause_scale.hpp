// The colours of the causes of the ledger in a figure.
#pragma once

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// The Vega-Lite scale of the field `cause`, the name of a cause, of those that the records have: their names in the
/// order of 33.6 as its `domain`, their colours as its `range`.
Json cause_scale(const Json& records);

}  // namespace kernbench
