// Builds the command line from the registered commands and runs one.
#include "benches/io/program/program.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string_view>
#include <vector>

#include "benches/io/files/disk.hpp"
#include "benches/io/files/file_descriptor.hpp"
#include "benches/io/program/about_commands.hpp"
#include "benches/io/program/command_group.hpp"
#include "benches/io/program/distinct_files.hpp"
#include "benches/io/program/help_format.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/program/parse.hpp"
#include "benches/io/program/standard_streams.hpp"
#include "benches/io/text/terminal.hpp"
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

constexpr std::string_view kOutOfMemory = "out of memory: take a smaller machine or workload, or fewer at a time";

std::terminate_handler terminate_before = nullptr;

/// Memory may run out where nothing may be thrown, in the destructor of a document for one. Nothing is allocated here.
[[noreturn]] void end_without_memory() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    for (const std::string_view part : {std::string_view("error: "), kOutOfMemory, std::string_view("\n")}) {
      if (!write_all(STDERR_FILENO, part)) break;
    }
    ::_exit(1);
  } catch (...) {  // NOLINT(bugprone-empty-catch): as without this
  }
  if (terminate_before != nullptr) terminate_before();
  std::abort();
}

/// Messages show what users typed and what their files hold: nothing of that may command the terminal.
int complain(const std::string& message, int exit_code) {
  const std::string label = styled("error:", Style::kRed, colours_on(STDERR_FILENO));
  const std::string text = printable_lines(message.ends_with('\n') ? message.substr(0, message.size() - 1) : message);
  std::fprintf(stderr, "%s %s\n", label.c_str(), text.c_str());
  return exit_code;
}

int parse_and_run(const ProgramText& text, int argc, char** argv) {
  CommandSpec root(text.name, text.summary);
  declare_program(root, text);
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
    require_distinct_files(*parsed.command);
    return parsed.command->run();
  } catch (const ConfigError& error) {
    return complain(error.what(), 2);
  } catch (const std::filesystem::filesystem_error& error) {
    const int exit_code = disk::is_wrong_place(error.code().value()) ? 2 : 1;
    return complain(error.path1().string() + ": " + error.code().message(), exit_code);
  } catch (const std::bad_alloc&) {
    return complain(std::string(kOutOfMemory), 1);
  } catch (const std::exception& error) {
    return complain(error.what(), 1);
  }
}

}  // namespace

void declare_program(CommandSpec& root, const ProgramText& text) {
  root.add_version_flag();
  root.footer(text.examples);
  root.moved(text.moved);
  std::vector<ProgramCommand> in_order = commands().all();
  for (ProgramCommand& command : about_commands(text)) in_order.push_back(std::move(command));
  std::ranges::sort(in_order, {}, &ProgramCommand::order);
  add_commands(root, in_order);
}

bool register_command(ProgramCommand command, SourcePlace place) {
  commands().add(std::move(command), place);
  return true;
}

int run_program(const ProgramText& text, int argc, char** argv) {
  keep_standard_streams();
  terminate_before = std::set_terminate(end_without_memory);
  const int exit_code = parse_and_run(text, argc, argv);
  const std::string failure = standard_output_failure();
  if (failure.empty()) return exit_code;
  complain("cannot write to standard output: " + failure, 0);
  return exit_code == 0 ? 1 : exit_code;
}

}  // namespace kernbench
