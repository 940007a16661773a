// How --help looks: options beside their descriptions, nothing wider than the terminal.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

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

/// For CLI::App::formatter().
class HelpFormat : public CLI::Formatter {
 public:
  explicit HelpFormat(std::size_t width) : width_(width) {}
  [[nodiscard]] std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;

 private:
  std::size_t width_;
};

}  // namespace kernbench
