// Changes numbers in the text of a GPU's file and leaves everything else as it is: comments, order, other sections.
#pragma once

#include <string>
#include <vector>

#include "sim/machine/gpu/load_gpu.hpp"

namespace kernbench {

/// The text with `value` ({is: ..., from: ..., note: ...}) in the place of the number of `path`; added to its section
/// where the text has none. Throws ConfigError where the number is not written in { }.
[[nodiscard]] std::string with_gpu_number(const std::string& text, const std::string& path, const std::string& value);

/// With this list in the place of `fitted_to`, or after the head.
[[nodiscard]] std::string with_fitted_to(const std::string& text, const std::vector<FittedTo>& fitted);

/// With `line` as a comment of the heading, in the place of the one that begins alike up to the first colon.
[[nodiscard]] std::string with_heading_line(const std::string& text, const std::string& line);

/// With another `base`; as it is where it has none.
[[nodiscard]] std::string with_base(const std::string& text, const std::string& base);

}  // namespace kernbench
