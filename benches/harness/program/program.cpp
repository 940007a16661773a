// Builds the command line from the registered commands and runs one.
#include "benches/harness/program/program.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <new>
#include <vector>

#include "benches/harness/files/disk.hpp"
#include "benches/harness/program/about_commands.hpp"
#include "benches/harness/program/command_group.hpp"
#include "benches/harness/program/help_format.hpp"
#include "benches/harness/program/option_values.hpp"
#include "benches/harness/program/parse.hpp"
#include "benches/harness/program/standard_streams.hpp"
#include "benches/harness/text/terminal.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/registry.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/base/unknown_name.hpp"

namespace kernbench {
namespace {

Registry<ProgramCommand>& commands() {
  static Registry<ProgramCommand> registered("command");
  return registered;
}

/// Messages show what users typed and what their files hold: nothing of that may command the terminal.
int complain(const std::string& message, int exit_code) {
  const std::string label = styled("error:", Style::kRed, colours_on(STDERR_FILENO));
  const std::string text = printable_lines(message.ends_with('\n') ? message.substr(0, message.size() - 1) : message);
  std::fprintf(stderr, "%s %s\n", label.c_str(), text.c_str());
  return exit_code;
}

/// Declares the whole program: what was registered, below `root`.
void set_up(CommandSpec& root, const ProgramText& text) {
  root.add_version_flag();
  root.footer(text.examples);
  std::vector<ProgramCommand> in_order = commands().all();
  for (ProgramCommand& command : about_commands(text)) in_order.push_back(std::move(command));
  std::ranges::sort(in_order, {}, &ProgramCommand::order);
  add_commands(root, in_order);
}

int parse_and_run(const ProgramText& text, int argc, char** argv) {
  CommandSpec root(text.name, text.summary);
  set_up(root, text);
  Parsed parsed;
  try {
    check_arguments(argc, argv);
    parsed = parse(root, argc, argv);
  } catch (const ConfigError& error) {
    return complain(error.what(), 2);
  }
  if (parsed.wish != Parsed::Wish::kRun) {
    const bool help = parsed.wish == Parsed::Wish::kHelp;
    std::cout << (help ? help_text(*parsed.command) : text.name + " " + text.version + "\n");
    return 0;
  }
  try {
    return parsed.command->run();
  } catch (const ConfigError& error) {
    return complain(error.what(), 2);
  } catch (const std::filesystem::filesystem_error& error) {
    const int exit_code = disk::is_wrong_place(error.code().value()) ? 2 : 1;
    return complain(error.path1().string() + ": " + error.code().message(), exit_code);
  } catch (const std::bad_alloc&) {
    return complain("out of memory: take a smaller machine or workload, or fewer at a time", 1);
  } catch (const std::exception& error) {
    return complain(error.what(), 1);
  }
}

}  // namespace

bool register_command(ProgramCommand command, SourcePlace place) {
  commands().add(std::move(command), place);
  return true;
}

int run_program(const ProgramText& text, int argc, char** argv) {
  keep_standard_streams();
  const int exit_code = parse_and_run(text, argc, argv);
  const std::string failure = standard_output_failure();
  if (failure.empty()) return exit_code;
  complain("cannot write to standard output: " + failure, 0);
  return exit_code == 0 ? 1 : exit_code;
}

}  // namespace kernbench
