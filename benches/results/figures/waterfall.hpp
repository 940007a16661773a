// What the window of a run went to, cause by cause.
#pragma once

#include <string>

#include "benches/results/figures/figure.hpp"

namespace kernbench {

/// A panel for each row with a ledger: its causes (33.3) from left to right, each beginning where the one before ends,
/// the last at the end of the window. `workload` is what ran: "gemm 512x512x512 ref_ref on milestone-1h".
[[nodiscard]] Figure waterfall_figure(const Results& results, const std::string& workload);

/// Whether there is a row that it could show.
[[nodiscard]] bool has_waterfall(const Results& results);

}  // namespace kernbench
