// How --help looks: options beside their descriptions, nothing wider than the terminal.
#pragma once

#include <string>
#include <vector>

#include "benches/io/program/command.hpp"

namespace kernbench {

/// A line of examples, or a piece of text, of what stands below the options.
struct FooterPart {
  bool example = false;
  std::string text;     ///< the command of an example; else a paragraph, or a heading
  std::string comment;  ///< what an example is for; may be empty
};

/// A footer as its author wrote it: indented lines are examples, their comments after two spaces or more; lines that
/// follow one another are one paragraph.
[[nodiscard]] std::vector<FooterPart> footer_parts(const std::string& footer);

/// What --help prints, as wide as the terminal of standard output, within reason.
[[nodiscard]] std::string help_text(const CommandSpec& command);

}  // namespace kernbench
