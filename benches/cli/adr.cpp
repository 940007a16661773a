// `kernbench adr`: the decisions, their index, and whether tests and decisions agree.
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "benches/cli/source_tree.hpp"
#include "benches/harness/adr/check.hpp"
#include "benches/harness/program/program.hpp"
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
  struct Options {
    std::string action;
    std::filesystem::path root = std::filesystem::absolute(in_source_tree("adr")).parent_path();
  };
  static const std::map<std::string, int (*)(const std::filesystem::path&)> actions{
      {"list", list}, {"index", index}, {"check", check}};
  auto options = std::make_shared<Options>();
  app.add_option("action", options->action,
                 "list: the decisions, their clauses and how many tests cite them\n"
                 "index: rewrite adr/README.md\n"
                 "check: compare decisions and tests; exit code 1 where they disagree")
      ->required()
      ->check(CLI::IsMember({"list", "index", "check"}));
  app.add_option("--root", options->root, "The repository, where it is not the one this program was built from")
      ->type_name("DIR");
  return [options] { return actions.at(options->action)(options->root); };
}

const bool registered = register_command({90, "adr", "List the decisions, or hold them against the tests", set_up});

}  // namespace
}  // namespace kernbench
