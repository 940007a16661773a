// Changes numbers in the text of a GPU's file and leaves everything else as it is: comments, order, other sections.
#pragma once

#include <string>

namespace kernbench {

/// The text with `value` ({is: ..., from: ..., note: ...}) in the place of the number of `path`; added to its section
/// where the text has none. Throws ConfigError where the number is not written in { }.
[[nodiscard]] std::string with_gpu_number(const std::string& text, const std::string& path, const std::string& value);

/// With `line` as a comment of the heading, in the place of the one that begins alike up to the first colon.
[[nodiscard]] std::string with_heading_line(const std::string& text, const std::string& line);

/// With this value of `base` or another key of the head, which is added where it is not there.
[[nodiscard]] std::string with_head_key(const std::string& text, const std::string& key, const std::string& value);

}  // namespace kernbench
