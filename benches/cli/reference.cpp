// `kernbench reference`: measured and published numbers that simulated ones are held against.
#include <memory>

#include "benches/cli/reference_commands.hpp"
#include "benches/harness/program/program.hpp"

namespace kernbench {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench reference list
  kernbench reference show nvidia-h200 gpu-gemm --only dtype=bf16,l2=warm
  kernbench reference import out/gpu/*.json

`kernbench reference show --help` and likewise for the others say more; docs/reference.md has it all.)";

std::function<int()> set_up(CLI::App& app) {
  app.require_subcommand(1);
  auto chosen = std::make_shared<std::function<int()>>();
  const auto add = [&](const char* name, const char* help, std::function<int()> (*set_up_command)(CLI::App&)) {
    CLI::App* sub = app.add_subcommand(name, help);
    sub->callback([chosen, action = set_up_command(*sub)] { *chosen = action; });
  };
  add("list", "What there is: devices, files, rows, versions", set_up_reference_list);
  add("show", "A device's card and its rows", set_up_reference_show);
  add("import", "Check files and take them in", set_up_reference_import);
  app.footer(kExamples);
  return [chosen] { return (*chosen)(); };
}

const bool registered =
    register_command({25, "reference", "Measured and published numbers: list, show, import", set_up});

}  // namespace
}  // namespace kernbench
