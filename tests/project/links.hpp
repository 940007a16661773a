// Links of Markdown pages.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/project/sources.hpp"

namespace kernbench::project {

/// Relative links of a page that name no file below `root`, or no heading of the page they name, as
/// "file:line: target leads nowhere". Links in code are not links.
std::vector<std::string> broken_links(const SourceFile& page, const std::filesystem::path& root);

}  // namespace kernbench::project
