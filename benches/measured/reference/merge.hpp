// Taking results into what is there: which rows are new, equal or different, and what the file then says of its origin.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

struct Merged {
  Results results;  ///< rows of both, sorted by point
  std::size_t added = 0;
  std::size_t replaced = 0;
  std::size_t unchanged = 0;  ///< of the new rows: equal to one that is there
  std::size_t dropped = 0;    ///< of the old rows: measured with other versions, and not again
  std::vector<std::string> findings;
};

/// `fresh` in canonical form: rows sorted by point. Throws ConfigError for a bench that is no reference bench.
[[nodiscard]] Results canonical_reference(Results fresh);

/// Takes `fresh`, of the file `file`, into `there`, of the same bench and source. Without `replace` a row of other
/// values, and another version of something in provenance.environment, is a finding; with it the new ones win, and
/// other versions drop all old rows.
[[nodiscard]] Merged merge_reference(const Results& there, const Results& fresh, bool replace, const std::string& file);

}  // namespace kernbench
