// `kernbench adr`: the decisions, their index, and whether tests and decisions agree.
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "benches/cli/program.hpp"
#include "benches/cli/source_tree.hpp"
#include "benches/harness/adr/check.hpp"
#include "benches/harness/text/terminal.hpp"

namespace kernbench {
namespace {

int list(const std::filesystem::path& root) {
  std::cout << adr::render_list(adr::read_records(root).records, adr::read_citations(root).citations,
                                colours_on(STDOUT_FILENO));
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

std::function<int()> set_up(CLI::App& app) {
  auto root = std::make_shared<std::filesystem::path>(std::filesystem::absolute(in_source_tree("adr")).parent_path());
  auto action = std::make_shared<std::function<int(const std::filesystem::path&)>>();
  app.add_option("--root", *root, "The repository, where it is not the one this program was built from")
      ->type_name("DIR");
  app.require_subcommand(1);
  const auto add = [&](const char* name, const char* help, int (*run)(const std::filesystem::path&)) {
    app.add_subcommand(name, help)->fallthrough()->callback([action, run] { *action = run; });
  };
  add("list", "The decisions, their clauses and how many tests cite them", list);
  add("index", "Rewrite adr/README.md", index);
  add("check", "Compare decisions and tests; exit code 1 where they disagree", check);
  return [root, action] { return (*action)(*root); };
}

const bool registered = register_command({90, "adr", "List the decisions, or hold them against the tests", set_up});

}  // namespace
}  // namespace kernbench
