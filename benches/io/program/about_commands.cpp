#include "benches/io/program/about_commands.hpp"

#include <iostream>
#include <memory>

#include "benches/io/program/completion.hpp"
#include "benches/io/program/help_format.hpp"
#include "benches/io/program/man_page.hpp"
#include "benches/io/program/option_values.hpp"

namespace kernbench {
namespace {

using Words = std::vector<std::string>;

std::shared_ptr<Words> add_command_words(CommandSpec& command) {
  auto words = std::make_shared<Words>();
  command.add_option("command", *words, "A command, as `run` or `sim gemm` [the program itself]").type_name("COMMAND");
  return words;
}

ProgramCommand help_command() {
  return {100, "help", "Say more about a command, as its --help does", [](CommandSpec& command) {
            const auto words = add_command_words(command);
            return [&command, words] {
              std::cout << help_text(find_command(*command.parent(), *words));
              return 0;
            };
          }};
}

ProgramCommand man_command(const ProgramText& text) {
  return {102, "man", "Print the manual page of a command, for `man -l -`",
          [version = text.name + " " + text.version](CommandSpec& command) {
            const auto words = add_command_words(command);
            return [&command, words, version] {
              std::cout << man_page(find_command(*command.parent(), *words), version);
              return 0;
            };
          }};
}

ProgramCommand completion_command(const ProgramText& text) {
  return {101, "completion", "Print a script that completes commands and options", [text](CommandSpec& command) {
            auto shell = std::make_shared<std::string>();
            command.add_option("shell", *shell, "For which shell").required().rule(one_of({"bash", "zsh"}));
            command.footer("Examples:\n  source <(" + text.name + " completion bash)    in ~/.bashrc\n  source <(" +
                           text.name + " completion zsh)    in ~/.zshrc");
            return [&command, shell] {
              const CommandSpec& root = *command.parent();
              std::cout << (*shell == "bash" ? bash_completion(root) : zsh_completion(root));
              return 0;
            };
          }};
}

}  // namespace

std::vector<ProgramCommand> about_commands(const ProgramText& text) {
  return {help_command(), completion_command(text), man_command(text)};
}

}  // namespace kernbench
