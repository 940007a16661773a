#include "benches/harness/program/about_commands.hpp"

#include <iostream>
#include <memory>

#include "benches/harness/program/completion.hpp"
#include "benches/harness/program/man_page.hpp"
#include "benches/harness/program/option_text.hpp"

namespace kernbench {
namespace {

using Words = std::vector<std::string>;

std::shared_ptr<Words> add_command_words(CLI::App& app) {
  auto words = std::make_shared<Words>();
  app.add_option("command", *words, "A command, as `run` or `sim gemm` [the program itself]")->type_name("COMMAND");
  return words;
}

ProgramCommand help_command() {
  return {100, "help", "Say more about a command, as its --help does", [](CLI::App& app) {
            const auto words = add_command_words(app);
            return [&app, words] {
              const CLI::App& command = find_command(*app.get_parent(), *words);
              // Not App::help(): for the whole program that describes the command which was given, `help`.
              std::cout << command.get_formatter()->make_help(&command, full_name(command), CLI::AppFormatMode::Normal);
              return 0;
            };
          }};
}

ProgramCommand man_command(const ProgramText& text) {
  return {102, "man", "Print the manual page of a command, for `man -l -`",
          [version = text.name + " " + text.version](CLI::App& app) {
            const auto words = add_command_words(app);
            return [&app, words, version] {
              std::cout << man_page(find_command(*app.get_parent(), *words), version);
              return 0;
            };
          }};
}

ProgramCommand completion_command(const ProgramText& text) {
  return {101, "completion", "Print a script that completes commands and options", [text](CLI::App& app) {
            auto shell = std::make_shared<std::string>();
            app.add_option("shell", *shell, "For which shell")->required()->check(one_of({"bash", "zsh"}));
            app.footer("Examples:\n  source <(" + text.name + " completion bash)    in ~/.bashrc\n  source <(" +
                       text.name + " completion zsh)    in ~/.zshrc");
            return [&app, shell] {
              const CLI::App& root = *app.get_parent();
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
