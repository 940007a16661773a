// What benches came to, as parts of one page: of committed results, or of folders that runs wrote.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benches/cli/machine_options.hpp"
#include "benches/results/figures/page.hpp"

namespace kernbench {

struct ReportSections {
  std::vector<PageSection> sections;
  std::vector<std::string> left_out;  ///< what has no part and why, a line each
  std::size_t stale = 0;              ///< parts whose results a run would not give today
};

/// Of each bench with committed results, by name. Throws ConfigError for results that are not the bench's.
[[nodiscard]] ReportSections committed_sections();

/// Of results.json in each of these folders or, where it is not there, in the folders directly in it. Results of no
/// bench are left out. Throws ConfigError where a folder has none, and for results that cannot be read or drawn.
[[nodiscard]] ReportSections sections_from(const std::vector<std::filesystem::path>& folders);

/// The SHA-256 of all that those sections, of the committed results where `from` is empty, follow from: this build, the
/// results, and the data and machines of the source tree. Throws ConfigError as sections_from() for folders, and where
/// a file cannot be read.
[[nodiscard]] std::string sections_sha256(const std::vector<std::filesystem::path>& from);

}  // namespace kernbench
