// A case of universal-gemm in the data of its figures: a shape, method, partitions and replication.
#pragma once

#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// Of a case's layout, for the lines under a title.
inline constexpr const char* kReplicas = "Partitions of A, B and C; ×2: with two replicas of each.";

/// The source of what is not measured.
inline constexpr const char* kSimulated = "simulated";

/// What the page's buttons are for: fields of every figure's data (11.22).
[[nodiscard]] const std::vector<std::string>& toggled_fields();
/// "4096×1024×4096": M×K×N.
[[nodiscard]] std::string shape_text(const Row& row);
/// "row,column,row ×2": with two replicas of each matrix.
[[nodiscard]] std::string layout_of(const Row& row);
/// The scale of a field `method` that has these values.
[[nodiscard]] Json method_colours(const std::vector<std::string>& methods);
/// The point, shape, layout and metrics of a row, simulated or measured.
[[nodiscard]] Json case_record(const Row& row);
/// And its source.
[[nodiscard]] Json simulated_record(const Row& row);
/// The same case, on as many GPUs; null where there is none.
[[nodiscard]] const Row* measured_row(const Results& measured, const Row& row);

}  // namespace kernbench
