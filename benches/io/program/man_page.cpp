#include "benches/io/program/man_page.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

#include "benches/io/program/help_format.hpp"
#include "benches/io/program/option_text.hpp"

namespace kernbench {
namespace {

constexpr std::string_view kExitCodes = "Exit codes: ";

/// Text that roff takes as it is: no escape, no ligature of hyphens, no request at the begin of a line.
std::string roff(const std::string& text) {
  std::string escaped;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) escaped += "\\&";
    line_begins = c == '\n';
    switch (c) {
      case '\\':
        escaped += "\\e";
        break;
      case '-':
        escaped += "\\-";
        break;
      case '\'':
        escaped += "\\(aq";
        break;
      case '`':
        escaped += "\\(ga";
        break;
      case '^':
        escaped += "\\(ha";
        break;
      case '~':
        escaped += "\\(ti";
        break;
      case '|':  // a line may end behind it: a list of names is one word
        escaped += "|\\:";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

/// Each line of a description on its own.
std::string lines_of(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) result += (result.empty() ? "" : ".br\n") + roff(line) + "\n";
  return result;
}

/// "kernbench sim gemm" -> "kernbench-sim-gemm".
std::string page_name(const CommandSpec& command) {
  std::string name = full_name(command);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string option_entry(const OptionText& option) {
  std::string head;
  for (const std::string& name : option.names) {
    const char* font = name.starts_with('-') ? "\\fB" : "\\fI";
    head += (head.empty() ? font : std::string(", ") + font) + roff(name) + "\\fR";
  }
  if (!option.value.empty() && option.names.front().starts_with('-')) head += " \\fI" + roff(option.value) + "\\fR";
  return ".TP\n" + head + "\n" + lines_of(option.description);
}

std::string synopsis(const CommandSpec& command) {
  std::string text = ".B " + roff(full_name(command)) + "\n[\\fIOPTIONS\\fR]";
  for (const auto& option : command.options()) {
    if (option->argument().empty()) continue;
    const std::string name = "\\fI" + roff(argument_text(*option)) + "\\fR";
    text += " " + (option->is_required() ? name : "[" + name + "]");
  }
  return text + (command.commands().empty() ? "" : " \\fICOMMAND\\fR") + "\n";
}

std::string footer(const CommandSpec& command) {
  std::string text;
  for (const FooterPart& part : footer_parts(command.footer())) {
    if (part.example) {
      if (!part.comment.empty()) text += ".PP\n" + roff(part.comment) + ":\n";
      text += ".PP\n.in +4n\n.nf\n" + roff(part.text) + "\n.fi\n.in\n";
    } else if (part.text == "Examples:") {
      text += ".SH EXAMPLES\n";
    } else if (part.text.starts_with(kExitCodes)) {
      text += ".SH EXIT STATUS\n" + roff(part.text.substr(kExitCodes.size())) + "\n";
    } else if (!part.text.empty()) {
      text += ".PP\n" + roff(part.text) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string man_page(const CommandSpec& command, const std::string& version) {
  std::string text = ".TH " + upper(roff(page_name(command))) + " 1 \"\" \"" + roff(version) + "\"\n";
  text += ".SH NAME\n" + roff(page_name(command)) + " \\- " + roff(command.description()) + "\n";
  text += ".SH SYNOPSIS\n" + synopsis(command);
  if (!command.commands().empty()) text += ".SH COMMANDS\n";
  for (const auto& one : command.commands()) {
    text += ".TP\n\\fB" + roff(one->name()) + "\\fR\n" + lines_of(one->description());
  }
  text += ".SH OPTIONS\n";
  for (const OptionText& option : options_of(command)) text += option_entry(option);
  const std::string more = footer(command);
  return text + (more.empty() || more.starts_with(".SH") ? "" : ".SH NOTES\n") + more;
}

}  // namespace kernbench
