// The layers of the repository: which folder may include what (ADR 0012).
#pragma once

#include <string>
#include <vector>

#include "tests/project/sources.hpp"

namespace kernbench::project {

/// The includes of a file that its layer does not allow, as "file:line: message".
std::vector<std::string> layer_violations(const SourceFile& file);

/// What `#include` lines of a file name, in order, with their line.
struct Include {
  std::string header;
  int line = 0;
};
std::vector<Include> includes_of(const SourceFile& file);

}  // namespace kernbench::project
