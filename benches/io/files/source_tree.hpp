// Where the files that belong to the program lie: the source tree it was built from, or the working directory.
#pragma once

#include <filesystem>

#include "sim/base/source_dir.hpp"

namespace kernbench {

/// The machine that comes with the program.
inline constexpr const char* kMilestoneMachine = "topology/milestone_1h.yaml";

/// `relative` below the source tree where that still exists, else below the working directory.
inline std::filesystem::path in_source_tree(const std::filesystem::path& relative) {
  const std::filesystem::path built_from = kernbench::source_dir();
  return std::filesystem::exists(built_from / relative) ? built_from / relative : relative;
}

}  // namespace kernbench
