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

/// Of the files in a folder those that lie where runs write, relative to it.
[[nodiscard]] std::vector<std::filesystem::path> run_outputs_in(const std::filesystem::path& folder);

/// Those of them that the next run takes away: of figures and tables what kernbench wrote, by the list of drawings and
/// the report there.
[[nodiscard]] std::vector<std::filesystem::path> written_outputs_in(const std::filesystem::path& folder);

/// Whether a run may write a file of that name; relative to its folder.
[[nodiscard]] bool is_run_output(const std::filesystem::path& name);

/// Throws ConfigError where the folder has files of these names and no results or report of kernbench: they are
/// somebody else's.
void require_own_outputs(const std::filesystem::path& folder);

}  // namespace kernbench
