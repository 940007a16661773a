// One task of a work folder, on whatever node it comes to run (adr/0039-clusters.md).
#pragma once

#include <cstddef>
#include <filesystem>

namespace kernbench {

/// Simulates the points of task `index` of the array of tasks in that folder in children, and writes their rows beside
/// it; nothing where they are there already. Ended early by a signal, it writes the rows that it has. Returns 0, or 128
/// and the signal. What the task refuses (ConfigError) is written in place of rows, for the run that waits, and thrown.
int run_task(const std::filesystem::path& array, std::size_t index);

}  // namespace kernbench
