#include "benches/harness/program/command_group.hpp"

#include <memory>

namespace kernbench {

std::function<int()> set_up_group(CLI::App& app, const std::vector<ProgramCommand>& commands) {
  app.require_subcommand(1);
  auto chosen = std::make_shared<std::function<int()>>();
  for (const ProgramCommand& command : commands) {
    CLI::App* sub = app.add_subcommand(command.name, command.help);
    sub->footer("");  // not the group's
    sub->callback([chosen, action = command.set_up(*sub)] { *chosen = action; });
  }
  return [chosen] { return (*chosen)(); };
}

}  // namespace kernbench
