// The files that a training run leaves beside its results: a trace of each rank in the form of PyTorch's profiler, the
// point, and what is true of it (adr/0041, 41.12, 41.13; of GPUs adr/0059).
#pragma once

#include <filesystem>
#include <vector>

#include "benches/io/files/file_set.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

/// rank0.json.gz, rank1.json.gz, ..., config.json and truth.json of a row with a timeline, in `folder`; of other rows
/// none.
[[nodiscard]] std::vector<NewFile> training_files(const Row& row, const std::filesystem::path& folder);

/// The same of all rows, each in traces/28ch_256threads; where other fields of the points differ, these are named too.
[[nodiscard]] std::vector<NewFile> training_run_files(const Results& run);

/// A rank's trace, as it is before it is packed.
[[nodiscard]] Json rank_trace(const Json& timeline, std::int64_t rank);
[[nodiscard]] Json training_truth(const Json& timeline);

}  // namespace kernbench
