// The line under a figure's title that says where its numbers come from.
#pragma once

#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// "bench milestone-1h-gemm (version 1) · machine milestone-1h (sha256 0123abcd) · model 1 · variants ref_ref, ...".
/// The variants are those of the rows' `variant` axis, where there is one.
std::string caption(const Results& results);

/// The distinct values of an axis, in the order in which the rows first show them.
std::vector<std::string> axis_values(const Results& results, const std::string& axis);

/// A Vega-Lite title: `title`, below it `source`, which says where the numbers are from, and one line for each of
/// `notes`.
Json figure_title(const std::string& title, const std::string& source, const std::vector<std::string>& notes);
/// With caption(results) as its source.
Json figure_title(const std::string& title, const Results& results, const std::vector<std::string>& notes);

}  // namespace kernbench
