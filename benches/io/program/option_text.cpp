#include "benches/io/program/option_text.hpp"

#include <algorithm>

#include "sim/base/text.hpp"

namespace kernbench {
namespace {

std::string main_name(const std::vector<std::string>& names) {
  const auto found = std::ranges::find_if(names, [](const std::string& name) { return name.starts_with("--"); });
  return found == names.end() ? names.front() : *found;
}

std::string description_of(const Option& option) {
  std::string text = option.description();
  std::string more;
  if (!option.rule().range.empty()) more += " (" + option.rule().range + ")";
  if (!option.default_text().empty()) more += " [" + option.default_text() + "]";
  if (option.is_required()) more += " (required)";
  for (const Option* other : option.excluded()) more += "; not with " + main_name(other->names());
  return text.insert(std::min(text.find('\n'), text.size()), more);
}

}  // namespace

OptionText option_text(const Option& option) {
  OptionText text;
  text.names = option.names();
  text.choices = option.rule().choices;
  text.value = text.choices.empty() ? option.type() : joined(text.choices, "|");
  if (option.has_optional_value()) text.value = "[" + text.value + "]";
  if (text.names.empty()) text.names = {argument_text(option)};
  text.main_name = main_name(text.names);
  text.description = description_of(option);
  return text;
}

std::string argument_text(const Option& option) {
  const std::vector<std::string>& choices = option.rule().choices;
  return choices.empty() ? option.argument() : joined(choices, "|");
}

std::vector<OptionText> options_of(const CommandSpec& command) {
  std::vector<OptionText> options;
  for (const bool positional : {true, false}) {
    for (const auto& option : command.options()) {
      if (option->names().empty() == positional) options.push_back(option_text(*option));
    }
  }
  return options;
}

}  // namespace kernbench
