// The interactive page of a run: one HTML file that holds all it needs and asks no server for anything.
#pragma once

#include <string>
#include <vector>

#include "benches/harness/figures/figure.hpp"

namespace kernbench {

/// The page's text: the figures with tooltips and clickable legends, in the order given, and below them a table of the
/// rows of `sim` and `theory`. Scripts, styles and font are inside (scripts/web/page.html says under which security
/// policy); no address in it is ever loaded.
std::string page_html(const std::string& title, const std::vector<Figure>& figures, const Results& sim,
                      const Results& theory);

}  // namespace kernbench
