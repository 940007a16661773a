#include "benches/io/program/completion.hpp"

#include "benches/io/program/option_text.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// A case of what follows each option of a command: its choices, files, or anything.
std::string value_cases(const std::string& name, const std::vector<OptionText>& options) {
  std::string text;
  for (const OptionText& option : options) {
    if (option.value.empty() || !option.names.front().starts_with('-')) continue;
    std::string patterns;
    for (const std::string& one : option.names) patterns += (patterns.empty() ? "" : "|") + quoted(name + " " + one);
    const bool path = option.value.find("FILE") != std::string::npos || option.value.find("DIR") != std::string::npos;
    const std::string kind = path ? "file" : option.choices.empty() ? "any" : "words";
    text += "    " + patterns + ") kind=" + kind;
    text += (option.choices.empty() ? "" : " words=" + quoted(joined(option.choices, " "))) + " ;;\n";
  }
  return text;
}

/// Cases of all commands at and below this one: what words may come, and what values.
void add_cases(const CommandSpec& command, std::string& words, std::string& values) {
  const std::string name = full_name(command);
  std::vector<std::string> there;
  for (const auto& one : command.commands()) there.push_back(one->name());
  const std::vector<OptionText> options = options_of(command);
  for (const OptionText& option : options) {
    if (!option.names.front().starts_with('-')) {
      there.insert(there.end(), option.choices.begin(), option.choices.end());
      continue;
    }
    there.push_back(option.main_name);
  }
  words += "    " + quoted(name) + ") words=" + quoted(joined(there, " ")) + " ;;\n";
  values += value_cases(name, options);
  for (const auto& one : command.commands()) add_cases(*one, words, values);
}

std::string command_pattern(const CommandSpec& command) {
  std::string patterns;
  for (const auto& one : command.commands()) {
    patterns += (patterns.empty() ? "" : "|") + quoted(full_name(*one));
    const std::string below = command_pattern(*one);
    if (!below.empty()) patterns += "|" + below;
  }
  return patterns;
}

}  // namespace

std::string bash_completion(const CommandSpec& root) {
  const std::string& name = root.name();
  std::string function = "_" + name;
  for (char& c : function) c = c == '-' ? '_' : c;
  std::string words;
  std::string values;
  add_cases(root, words, values);
  return "# Completion of " + name + " for bash:  source <(" + name + " completion bash)\n" +  //
         function + R"(() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=)" +
         quoted(name) + R"( kind=none words='' i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${COMP_WORDS[i]}" in
    )" + command_pattern(root) +
         R"() command="$command ${COMP_WORDS[i]}" ;;
    esac
  done
  case "$command $before" in
)" + values +
         R"(  esac
  case $kind in
    words) COMPREPLY=($(compgen -W "$words" -- "$current")); return ;;
    file) COMPREPLY=($(compgen -f -- "$current")); return ;;
    any) COMPREPLY=(); return ;;
  esac
  case $command in
)" + words +
         R"(  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- "$current"))
}
complete -o filenames -F )" +
         function + " " + name + "\n";
}

std::string zsh_completion(const CommandSpec& root) {
  return "# Completion of " + root.name() + " for zsh:  source <(" + root.name() +
         " completion zsh)\nautoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n" +
         bash_completion(root);
}

}  // namespace kernbench
