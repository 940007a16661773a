// The CSV form of results: the rows of the JSON flattened, one line a point (docs/results.md lists the columns).
#pragma once

#include <string>

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// RFC 4180, with \n line ends. Columns in order of first appearance: point, status, reason, metrics, windows, stages
/// (`dma_in_wall_ns`; `dma_in@pe0.dma_wall_ns` where a row has the stage on several engines), flags joined with ';'. A
/// row without a column's value has an empty cell. Throws std::logic_error where two fields would share a column.
std::string format_csv(const Results& results);

}  // namespace kernbench
