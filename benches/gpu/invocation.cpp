#include "benches/gpu/invocation.hpp"

#include <chrono>
#include <filesystem>

namespace kernbench::gpu {
namespace {

std::string& recorded_command_line() {
  static std::string line;
  return line;
}

const std::chrono::steady_clock::time_point program_begin = std::chrono::steady_clock::now();

}  // namespace

void record_command_line(int argc, char** argv) {
  for (int i = 0; i < argc; ++i) {
    const std::filesystem::path argument = argv[i];
    recorded_command_line() +=
        (i == 0 ? "" : " ") + (argument.has_parent_path() ? argument.filename() : argument).string();
  }
}

const std::string& command_line() { return recorded_command_line(); }

double elapsed_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now() - program_begin).count(); }

}  // namespace kernbench::gpu
