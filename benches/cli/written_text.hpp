// What a command says of the files that it has written.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kernbench {

/// How many files there are in the folder, all of them where that is asked for, and last the one to open: the page,
/// else the first. An empty line stands before it.
[[nodiscard]] std::string written_text(const std::vector<std::filesystem::path>& files,
                                       const std::filesystem::path& folder, bool all);

}  // namespace kernbench
