// The layers of the repository: which folder may include what (ADR 0012).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/project/sources.hpp"

namespace kernbench::project {

/// The includes of a file that its layer does not allow, as "file:line: message".
std::vector<std::string> layer_violations(const SourceFile& file);

/// Circles among the folders inside `parent` (which ends in a slash), each as "a -> b -> a: FILE includes HEADER, ...";
/// a file that lies in `parent` itself stands for itself and the other of its header and source.
std::vector<std::string> folder_circles(const std::vector<SourceFile>& files, std::string_view parent);

/// What `#include` lines of a file name, in order, with their line.
struct Include {
  std::string header;
  int line = 0;
};
std::vector<Include> includes_of(const SourceFile& file);

}  // namespace kernbench::project
