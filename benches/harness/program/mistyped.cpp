// CLI11 says "The following argument was not expected: --varient", or that --variant is required: neither names the
// slip.
#include "benches/harness/program/mistyped.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <typeinfo>

#include "benches/harness/program/option_text.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/nearest.hpp"

namespace kernbench {
namespace {

/// Words before the first option that name commands, as far as they do; `next` is the place of the word after them.
const CLI::App* chosen_command(const CLI::App& root, const std::vector<std::string>& words, std::size_t& next) {
  const CLI::App* at = &root;
  for (next = 0; next < words.size(); ++next) {
    const auto commands = subcommands_of(*at);
    const auto named = [&](const CLI::App* command) { return command->get_name() == words[next]; };
    const auto found = std::ranges::find_if(commands, named);
    if (found == commands.end()) break;
    at = *found;
  }
  return at;
}

bool is_option(const std::string& word) {
  return word.size() > 2 && word[0] == '-' && std::isdigit(static_cast<unsigned char>(word[1])) == 0 && word[1] != '.';
}

/// "-vv": letters that are options each.
bool is_group_of_flags(const CLI::App& command, const std::string& word) {
  return word[1] != '-' && std::all_of(word.begin() + 1, word.end(), [&](char letter) {
           return command.get_option_no_throw(std::string("-") + letter) != nullptr;
         });
}

/// The first word that looks like an option and is none; "" where there is none.
std::string unknown_option(const CLI::App& command, const std::vector<std::string>& words, std::size_t from) {
  for (std::size_t i = from; i < words.size() && words[i] != "--"; ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    if (!is_option(name) || is_group_of_flags(command, name)) continue;
    if (command.get_option_no_throw(name) == nullptr) return name;
  }
  return "";
}

std::string no_such_option(const CLI::App& command, const std::string& name) {
  std::vector<std::string> names;
  for (const OptionText& option : options_of(command)) {
    std::ranges::copy_if(option.names, std::back_inserter(names), [](const auto& one) { return one.size() > 2; });
  }
  const std::string nearest = nearest_name(name, names);
  return full_name(command) + " has no option " + name + (nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?");
}

/// Whether an unknown option may be what is behind this error.
bool may_be_a_slip(const CLI::ParseError& error) {
  return dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
         dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
}

}  // namespace

std::string mistyped_message(const CLI::App& root, const std::vector<std::string>& words,
                             const CLI::ParseError& error) {
  std::size_t next = 0;
  const CLI::App* command = chosen_command(root, words, next);
  const std::string more = "\n" + full_name(*command) + " --help lists the ";
  const bool has_commands = !subcommands_of(*command).empty();
  if (may_be_a_slip(error)) {
    const std::string option = unknown_option(*command, words, next);
    if (!option.empty()) return no_such_option(*command, option) + more + "options";
    if (has_commands && next < words.size() && !words[next].starts_with('-')) {
      try {
        static_cast<void>(find_command(root, {words.begin(), words.begin() + static_cast<std::ptrdiff_t>(next) + 1}));
      } catch (const ConfigError& unknown) {
        return unknown.what();
      }
    }
  }
  if (has_commands) return "expected a command after " + full_name(*command) + more + "commands";
  return std::string(error.what()) + more + "options";
}

}  // namespace kernbench
