#include "benches/harness/program/option_text.hpp"

#include <algorithm>
#include <sstream>

#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/base/unknown_name.hpp"

namespace kernbench {
namespace {

/// Of "SCALE:{die,package,system}", which is how CLI11 joins a type's name and what its checks say of themselves.
std::vector<std::string> choices_in(const std::string& type) {
  const std::size_t begin = type.find(":{");
  const std::size_t end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  std::vector<std::string> choices;
  std::istringstream list(type.substr(begin + 2, end - begin - 2));
  for (std::string choice; std::getline(list, choice, ',');) choices.push_back(choice);
  return choices;
}

/// "--jobs,-j" as people write it: the short one first.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::string main_name(const std::vector<std::string>& names) {
  const auto found = std::ranges::find_if(names, [](const std::string& name) { return name.starts_with("--"); });
  return found == names.end() ? names.front() : *found;
}

std::string description_of(const CLI::Option& option) {
  std::string text = option.get_description();
  std::string more;
  const std::string type = option.get_type_name();
  const std::size_t range = type.find(':');
  if (range != std::string::npos && choices_in(type).empty()) more += " (" + type.substr(range + 1) + ")";
  if (!option.get_default_str().empty()) more += " [" + option.get_default_str() + "]";
  if (option.get_required()) more += " (required)";
  for (const CLI::Option* other : option.get_excludes()) more += "; not with " + main_name(names_of(*other));
  return text.insert(std::min(text.find('\n'), text.size()), more);
}

}  // namespace

OptionText option_text(const CLI::Option& option) {
  OptionText text;
  text.names = names_of(option);
  if (option.get_type_size() != 0) {
    const std::string type = option.get_type_name();
    text.choices = choices_in(type);
    text.value = text.choices.empty() ? type.substr(0, type.find(':')) : joined(text.choices, "|");
    if (option.get_expected_min() == 0 && !text.value.empty() && text.value.front() != '[')
      text.value = "[" + text.value + "]";
  }
  if (text.names.empty()) text.names = {text.choices.empty() ? option.get_name(true, false) : text.value};
  text.main_name = main_name(text.names);
  text.description = description_of(option);
  return text;
}

std::vector<OptionText> options_of(const CLI::App& command) {
  std::vector<OptionText> options;
  for (const bool positional : {true, false}) {
    for (const CLI::Option* option : command.get_options()) {
      const bool hidden = option->get_group().empty();
      if (!hidden && option->nonpositional() != positional) options.push_back(option_text(*option));
    }
  }
  return options;
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent == nullptr ? "" : full_name(*parent) + " ") + command.get_name();
}

std::vector<const CLI::App*> subcommands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

const CLI::App& find_command(const CLI::App& root, const std::vector<std::string>& words) {
  const CLI::App* at = &root;
  for (const std::string& word : words) {
    std::vector<std::string> names;
    const CLI::App* found = nullptr;
    for (const CLI::App* command : subcommands_of(*at)) {
      names.push_back(command->get_name());
      if (command->get_name() == word) found = command;
    }
    if (found == nullptr) {
      const std::string before = full_name(*at).substr(full_name(root).size());
      throw ConfigError(unknown_name("command" + (before.empty() ? "" : " of" + before), word, names));
    }
    at = found;
  }
  return *at;
}

CLI::Validator one_of(std::vector<std::string> names) {
  const std::string list = "{" + joined(names, ",") + "}";
  return {[names = std::move(names)](std::string& value) {
            if (std::ranges::find(names, value) != names.end()) return std::string();
            return unknown_name("value", value, names);
          },
          list};
}

}  // namespace kernbench
