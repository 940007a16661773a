// Builds the command line from the registered commands and runs one.
#include "benches/gpu/program.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <vector>

#include "benches/harness/text/did_you_mean.hpp"
#include "sim/base/errors.hpp"

namespace kernbench::gpu {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench-gpu gemm --list                                the cases, without a GPU
  kernbench-gpu device --out reference/device.json         what the GPU is and can do at best
  kernbench-gpu gemm --out reference/gemm.json --budget 300

Each command writes one file of rows (schema kernbench.results/1), anew every few seconds: what is there when it is
stopped stays. `kernbench-gpu COMMAND --help` says more. Exit codes: 0 all well, 1 something failed, 2 wrong input.)";

std::vector<Command>& commands() {
  static std::vector<Command> registered;
  return registered;
}

std::string& recorded_command_line() {
  static std::string line;
  return line;
}

const std::chrono::steady_clock::time_point program_begin = std::chrono::steady_clock::now();

int complain(const std::string& message, int exit_code) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  return exit_code;
}

void record_command_line(int argc, char** argv) {
  for (int i = 0; i < argc; ++i) {
    const std::filesystem::path argument = argv[i];
    recorded_command_line() +=
        (i == 0 ? "" : " ") + (argument.has_parent_path() ? argument.filename() : argument).string();
  }
}

std::string parse_message(const CLI::ParseError& error, const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.push_back(command.name);
  const bool known = argc < 2 || argv[1][0] == '-' || std::find(names.begin(), names.end(), argv[1]) != names.end();
  if (!known) return "there is no command \"" + std::string(argv[1]) + "\"" + did_you_mean(argv[1], names);
  const std::string command = app.get_subcommands().empty() ? "" : " " + app.get_subcommands().front()->get_name();
  return std::string(error.what()) + "\nkernbench-gpu" + command + " --help lists the options";
}

}  // namespace

bool register_command(Command command) {
  commands().push_back(std::move(command));
  return true;
}

double elapsed_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now() - program_begin).count(); }

const std::string& command_line() { return recorded_command_line(); }

int run_program(int argc, char** argv) {
  CLI::App app("Measures this machine's GPUs and writes rows that kernbench reads beside simulated ones.",
               "kernbench-gpu");
  app.set_version_flag("--version", "kernbench-gpu " KERNBENCH_VERSION);
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.footer(kExamples);
  app.require_subcommand(1);
  record_command_line(argc, argv);

  std::sort(commands().begin(), commands().end(), [](const Command& a, const Command& b) { return a.order < b.order; });
  std::function<int()> chosen;
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(command.name, command.help);
    sub->footer("");
    sub->callback([&chosen, action = command.set_up(*sub)] { chosen = action; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return complain(parse_message(error, app, argc, argv), 2);
  }
  try {
    return chosen();
  } catch (const ConfigError& error) {
    return complain(error.what(), 2);
  } catch (const std::exception& error) {
    return complain(error.what(), 1);
  }
}

}  // namespace kernbench::gpu
