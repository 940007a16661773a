// What tables say of a results file: how many rows of each kind, and its origin.
#pragma once

#include <cstddef>
#include <string>

#include "benches/results/rows/results.hpp"

namespace kernbench {

struct RowCounts {
  std::size_t ok = 0;  ///< noisy ones among them
  std::size_t failed = 0;
  std::size_t skipped = 0;
  std::size_t noisy = 0;
};

[[nodiscard]] RowCounts count_rows(const Results& results);

/// "120 rows ok (3 noisy), 2 failed, 1 skipped"
[[nodiscard]] std::string counts_in_words(const RowCounts& counts);

/// A text of the provenance, and of its environment; "" where there is none.
[[nodiscard]] std::string provenance_text(const Results& results, const std::string& name);
[[nodiscard]] std::string environment_text(const Results& results, const std::string& name);

}  // namespace kernbench
