// `kernbench sim universal-gemm`: a GEMM over several GPUs, by every method, and beside measured rows (adr/0057); or
// who multiplies what and what travels, of any devices (adr/0023).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benches/cli/children.hpp"
#include "benches/cli/output_options.hpp"
#include "benches/io/text/terminal.hpp"
#include "benches/results/rows/results.hpp"
#include "sim/plan/distributed_gemm/schedule.hpp"
#include "sim/system/gpu/gpu_distributed.hpp"

namespace kernbench {

/// "row,column,row"
[[nodiscard]] std::string partitions_text(const DistributedGemm& problem);
/// Point and metrics of one problem.
[[nodiscard]] Row row_of_distributed(const DistributedGemm& problem, const GpuDistributed& made, const GpuSpec& gpu);

/// Measured rows of a results file, each with what is predicted of it: metrics time_ns, measured_ns, error. Throws
/// ConfigError where the file has none.
[[nodiscard]] std::vector<Row> predict_measured(const std::filesystem::path& file, const GpuSpec& gpu,
                                                const GpuCommandRules& rules);
/// A line a shape and number of GPUs: best method as measured and as predicted, what following the prediction costs,
/// rank correlation, errors; and below it how many are right.
[[nodiscard]] std::string format_measured(const std::vector<Row>& rows, const Terminal& terminal);

/// Prints or writes the plan. Throws ConfigError for a problem that cannot be, and with the estimate where the plan
/// takes more memory than there is.
void deliver_plan(const DistributedGemm& problem, const ScheduleDepth& depth, const ChildOptions& child,
                  const OutputOptions& output);

}  // namespace kernbench
