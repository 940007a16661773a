// Folders of traces that rows of a results file name: where they may lie, and what may be in them (ADR-0022, 22.15).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kernbench {

struct TraceFolder {
  std::filesystem::path name;  ///< relative to the results file, normalised: "traces/overlap/28ch_256threads"
  std::vector<std::filesystem::path> files;  ///< names in it, in order
};

struct CheckedTraceFolder {
  TraceFolder folder;
  std::string finding;  ///< what is wrong with it; empty: nothing
};

/// `name`, as a row beside the folder `base` has it: a folder below `base` that is reached through no link and holds
/// plain files alone.
[[nodiscard]] CheckedTraceFolder check_trace_folder(const std::filesystem::path& base, const std::string& name);

/// What speaks against putting that folder at `place`, whose files then go; empty: nothing.
[[nodiscard]] std::string objection_to_replacing(const std::filesystem::path& place);

}  // namespace kernbench
