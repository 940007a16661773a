// Results on disk: JSON and CSV beside each other, read back whole, compared with what would be produced today.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benches/io/files/file_set.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

/// `<stem>.json` and `<stem>.csv`.
std::vector<NewFile> result_files(const Results& results, const std::string& stem);

/// Throws ConfigError as parse_results does, and where the file cannot be read.
Results read_results(const std::filesystem::path& file);

/// What makes `recorded` stale: one phrase for each of machine, bench version and model version that is not the
/// `current` one. Empty: fresh.
std::vector<std::string> staleness(const Source& recorded, const Source& current);

}  // namespace kernbench
