// What of an output folder is a run's.
#pragma once

#include <array>
#include <filesystem>
#include <vector>

namespace kernbench {

/// Beside the drawings: a line each, with what it was drawn of, the SHA-256 of its bytes, and its file's name (11.23).
inline constexpr const char* kDrawingsFile = "drawings.txt";
inline constexpr std::array kOutputFolders{"figures", "tables"};
inline constexpr const char* kTracesFolder = "traces";

/// Of the files in a folder those that a run into it takes away or replaces, relative to it.
[[nodiscard]] std::vector<std::filesystem::path> run_outputs_in(const std::filesystem::path& folder);

/// Whether a run writes, or takes away, a file of that name; relative to its folder.
[[nodiscard]] bool is_run_output(const std::filesystem::path& name);

/// Throws ConfigError where the folder has files of these names and no results or report of kernbench: they are
/// somebody else's.
void require_own_outputs(const std::filesystem::path& folder);

}  // namespace kernbench
