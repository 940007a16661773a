#include "benches/io/program/command_group.hpp"

namespace kernbench {

void add_commands(CommandSpec& command, const std::vector<ProgramCommand>& commands) {
  for (const ProgramCommand& one : commands) {
    CommandSpec& below = command.add_command(one.name, one.help);
    below.action(one.set_up(below));
  }
}

}  // namespace kernbench
