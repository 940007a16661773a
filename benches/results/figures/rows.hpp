// Rows as figures look for them.
#pragma once

#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// The row of `results` with this point, whatever the order of its axes; nullptr if there is none.
const Row* find_row(const Results& results, const Json& point);

/// A metric as stored; null if the row is absent, failed or lacks it.
Json metric(const Row* row, const std::string& name);
template <class T, class Name>
Json metric(const Row* row, const Metric<T, Name>& of) {
  return metric(row, std::string(of.name));
}

/// Rows whose points have these fields with these values, in their order; a field that is null here is one that the
/// point must not have.
std::vector<const Row*> rows_where(const Results& results, const Json& fields);

/// Names the rows that failed, and those that were skipped, for the lines under a title; empty where there are none.
std::vector<std::string> failed_note(const std::vector<const Row*>& rows);

}  // namespace kernbench
