// `kernbench dev adr`: the decisions, their index, and whether tests and decisions agree.
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "benches/cli/dev_commands.hpp"
#include "benches/dev/check.hpp"
#include "benches/io/files/source_tree.hpp"
#include "benches/io/program/command_group.hpp"
#include "benches/io/text/terminal.hpp"

namespace kernbench::dev_adr_command {
namespace {

int list(const std::filesystem::path& root) {
  std::cout << adr::render_list(adr::read_records(root).records, adr::read_citations(root).citations,
                                stdout_terminal());
  return 0;
}

int index(const std::filesystem::path& root) {
  adr::write_index(root);
  return 0;
}

int check(const std::filesystem::path& root) {
  const auto findings = adr::check(root);
  for (const auto& finding : findings) std::cerr << finding.text() << "\n";
  if (findings.empty()) std::cout << "decisions and tests agree\n";
  return findings.empty() ? 0 : 1;
}

/// A sub-command that needs the repository alone.
ProgramCommand on_repository(const char* name, const char* help, int (*action)(const std::filesystem::path&)) {
  return {0, name, help, [action](CommandSpec& command) {
            auto root =
                std::make_shared<std::filesystem::path>(std::filesystem::absolute(in_source_tree("adr")).parent_path());
            command.add_option("--root", *root, "The repository, where it is not the one this program was built from")
                .type_name("DIR")
                .reads();
            return [action, root] { return action(*root); };
          }};
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  add_commands(command,
               {on_repository("list", "The decisions, their clauses and how many tests cite them", list),
                on_repository("index", "Rewrite adr/README.md", index),
                on_repository("check", "Compare decisions and tests; exit code 1 where they disagree", check)});
  return {};  // one of them is run
}

}  // namespace kernbench::dev_adr_command
