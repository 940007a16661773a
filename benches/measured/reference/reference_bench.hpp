// The benches that reference data are about: the fields of their points, and the metrics that a table of them shows.
#pragma once

#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// The field of published points that says whose number a row is: no field of a measured one.
inline constexpr const char* kDeviceField = "device";

struct PointField {
  std::string name;
  bool number = false;              ///< a whole number of at least 1; else a text
  std::vector<std::string> values;  ///< all that a text may be; empty: anything
};

struct ReferenceBench {
  std::string name;                ///< "gpu-gemm"
  std::vector<PointField> point;   ///< in the order in which rows have them and are sorted
  std::vector<std::string> shown;  ///< metrics of a table, in order; empty: all
  bool published_only = false;     ///< nobody measures it: peaks of data sheets
};

[[nodiscard]] const std::vector<ReferenceBench>& reference_benches();

/// nullptr where there is none of that name.
[[nodiscard]] const ReferenceBench* find_reference_bench(const std::string& name);

[[nodiscard]] std::vector<std::string> reference_bench_names();

/// Rows with the fields of their points in the order of the bench, sorted by point: numbers by size, texts by
/// alphabet, a field that is absent first.
void sort_rows(std::vector<Row>& rows, const ReferenceBench& bench);

}  // namespace kernbench
