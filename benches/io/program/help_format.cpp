#include "benches/io/program/help_format.hpp"

#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "benches/io/program/option_text.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/terminal.hpp"
#include "benches/io/text/wrap.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kDescriptionColumn = 26;

/// "  -j,--jobs N            Points at a time", or the description below where the names are long.
std::string entry(const std::string& names, const std::string& description, std::size_t width) {
  const std::string head = "  " + names;
  const bool beside = display_width(head) + 2 <= kDescriptionColumn;
  std::string column(kDescriptionColumn, ' ');
  if (beside) column = head + std::string(kDescriptionColumn - display_width(head), ' ');
  return (beside ? "" : head + "\n") + (description.empty() && !beside ? "" : hanging(column, description, width));
}

/// Broken before options, with what makes it one command when it is pasted.
std::string command_lines(const std::string& command, std::size_t width) {
  std::string text;
  std::string line = "  " + command;
  while (display_width(line) > width) {
    std::size_t at = line.rfind(' ', width - 2);
    const std::size_t option = line.rfind(" -", width - 2);
    if (option != std::string::npos && line.find_first_not_of(' ') < option) at = option;
    if (at == std::string::npos || at <= line.find_first_not_of(' ')) break;
    text += line.substr(0, at) + " \\\n";
    line = "      " + line.substr(at + 1);
  }
  return text + line + "\n";
}

std::string footer_text(const std::vector<FooterPart>& parts, std::size_t width) {
  std::size_t column = 0;
  bool beside = true;
  for (const FooterPart& part : parts) {
    if (!part.comment.empty()) column = std::max(column, display_width(part.text) + 4);
  }
  for (const FooterPart& part : parts) {
    if (!part.comment.empty()) beside = beside && column + display_width(part.comment) <= width;
  }
  std::string text;
  for (const FooterPart& part : parts) {
    if (!part.example) {
      text += hanging("", part.text, width);
    } else if (part.comment.empty()) {
      text += command_lines(part.text, width);
    } else if (beside) {
      text += "  " + part.text + std::string(column - 2 - display_width(part.text), ' ') + part.comment + "\n";
    } else {
      text += hanging("  # ", part.comment, width) + command_lines(part.text, width);
    }
  }
  return text;
}

std::string usage(const CommandSpec& command, std::size_t width) {
  std::string text = "[OPTIONS]";
  for (const auto& option : command.options()) {
    if (option->argument().empty()) continue;
    const std::string value = argument_text(*option) + (option->is_list() ? "..." : "");
    text += " " + (option->is_required() ? value : "[" + value + "]");
  }
  if (!command.commands().empty()) text += " COMMAND";
  return hanging("Usage: " + full_name(command) + " ", text, width);
}

/// Wider lines are hard to read, narrower ones break the examples.
std::size_t help_width() { return static_cast<std::size_t>(std::clamp(terminal_width(STDOUT_FILENO), 60, 100)); }

}  // namespace

std::vector<FooterPart> footer_parts(const std::string& footer) {
  std::vector<FooterPart> parts;
  std::istringstream lines(footer);
  bool goes_on = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(' ')) {
      line.erase(0, line.find_first_not_of(' '));
      const std::size_t gap = std::min(line.find("  "), line.size());
      const std::size_t comment = std::min(line.find_first_not_of(' ', gap), line.size());
      FooterPart part{true, line.substr(0, gap), line.substr(comment)};
      // A command that its author broke is one.
      if (!parts.empty() && parts.back().text.ends_with(" \\")) {
        parts.back().text.erase(parts.back().text.size() - 1);
        parts.back().text += part.text;
      } else {
        parts.push_back(std::move(part));
      }
      goes_on = false;
    } else if (goes_on && !line.empty()) {
      parts.back().text += " " + line;
    } else {
      parts.push_back({false, line, ""});
      goes_on = !line.empty() && !line.ends_with(':');
    }
  }
  return parts;
}

std::string help_text(const CommandSpec& command) {
  const std::size_t width = help_width();
  std::string text = hanging("", command.description(), width) + "\n" + usage(command, width) + "\n";
  bool heading = false;
  for (const OptionText& option : options_of(command)) {
    const bool positional = !option.names.front().starts_with('-');
    if (!positional && !heading) text += (text.ends_with("\n\n") ? "" : "\n") + std::string("Options:\n");
    heading = heading || !positional;
    const std::string value = positional || option.value.empty() ? "" : " " + option.value;
    text += entry(joined(option.names, ",") + value, option.description, width);
  }
  if (!command.commands().empty()) {
    text += "\nCommands:\n";
    for (const auto& below : command.commands()) text += entry(below->name(), below->description(), width);
  }
  const std::string footer = footer_text(footer_parts(command.footer()), width);
  return text + (footer.empty() ? "" : "\n" + footer);
}

}  // namespace kernbench
