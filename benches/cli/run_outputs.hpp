// What `kernbench run` leaves in its folder.
#pragma once

#include <filesystem>
#include <vector>

#include "benches/harness/bench.hpp"
#include "benches/harness/run/run_bench.hpp"
#include "benches/harness/run/run_folder.hpp"

namespace kernbench {

/// Results, theory and, where `figures` are wanted, figures and page, all in place of what an earlier run wrote;
/// returns their paths. Where figures cannot be drawn the rest is written all the same, and the exception then passed
/// on.
std::vector<std::filesystem::path> write_run(const Bench& bench, const BenchRun& run, RunFolder& folder, bool figures);

}  // namespace kernbench
