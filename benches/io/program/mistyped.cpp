// CLI11 says "The following argument was not expected: --varient", or that --variant is required: neither names the
// slip.
#include "benches/io/program/mistyped.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "benches/io/program/option_text.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/nearest.hpp"

namespace kernbench {
namespace {

/// The command that the words name as far as they do; `next` is the place of the word after them.
const CommandSpec& named_before(const CommandSpec& root, const std::vector<std::string>& words, std::size_t& next) {
  const CommandSpec* at = &root;
  for (next = 0; next < words.size(); ++next) {
    const auto named = [&](const auto& command) { return command->name() == words[next]; };
    const auto found = std::ranges::find_if(at->commands(), named);
    if (found == at->commands().end()) break;
    at = found->get();
  }
  return *at;
}

bool is_option(const std::string& word) {
  return word.size() > 2 && word[0] == '-' && std::isdigit(static_cast<unsigned char>(word[1])) == 0 && word[1] != '.';
}

/// "-vv": letters that are options each.
bool is_group_of_flags(const CommandSpec& command, const std::string& word) {
  return word[1] != '-' && std::all_of(word.begin() + 1, word.end(),
                                       [&](char letter) { return command.has_option(std::string("-") + letter); });
}

/// The first word that looks like an option and is none; "" where there is none.
std::string unknown_option(const CommandSpec& command, const std::vector<std::string>& words, std::size_t from) {
  for (std::size_t i = from; i < words.size() && words[i] != "--"; ++i) {
    std::string name = words[i].substr(0, words[i].find('='));
    if (!is_option(name) || is_group_of_flags(command, name)) continue;
    if (!command.has_option(name)) return name;
  }
  return "";
}

std::string no_such_option(const CommandSpec& command, const std::string& name) {
  std::vector<std::string> names;
  for (const OptionText& option : options_of(command)) {
    std::ranges::copy_if(option.names, std::back_inserter(names), [](const auto& one) { return one.size() > 2; });
  }
  const std::string nearest = nearest_name(name, names);
  return full_name(command) + " has no option " + name + (nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?");
}

}  // namespace

const CommandSpec& named_command(const CommandSpec& root, const std::vector<std::string>& words) {
  std::size_t next = 0;
  return named_before(root, words, next);
}

std::string mistyped_message(const CommandSpec& root, const std::vector<std::string>& words, const ParserError& error) {
  std::size_t next = 0;
  const CommandSpec& command = named_before(root, words, next);
  const std::string more = "\n" + full_name(command) + " --help lists the ";
  const bool has_commands = !command.commands().empty();
  if (error.may_be_a_slip) {
    if (has_commands && next < words.size() && !words[next].starts_with('-')) {
      try {
        static_cast<void>(find_command(root, {words.begin(), words.begin() + static_cast<std::ptrdiff_t>(next) + 1}));
      } catch (const ConfigError& unknown) {
        return unknown.what();
      }
    }
    const std::string option = unknown_option(command, words, next);
    if (!option.empty()) return no_such_option(command, option) + more + "options";
  }
  if (has_commands) return "expected a command after " + full_name(command) + more + "commands";
  return error.message + more + "options";
}

}  // namespace kernbench
