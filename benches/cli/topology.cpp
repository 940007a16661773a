// `kernbench topology`: a machine file with all that follows from it, whether it is valid, its diagrams, and the schema
// of machine files for editors.
#include <filesystem>
#include <iostream>
#include <memory>

#include "benches/cli/children.hpp"
#include "benches/cli/machine_options.hpp"
#include "benches/cli/source_tree.hpp"
#include "benches/harness/diagrams/diagrams.hpp"
#include "benches/harness/figures/render.hpp"
#include "benches/harness/program/program.hpp"
#include "sim/machine/json_schema.hpp"
#include "sim/machine/load_machine.hpp"
#include "sim/plan/network/network_plan.hpp"
#include "sim/plan/network/network_size.hpp"

namespace kernbench {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench topology show                                            the machine that comes with kernbench
  kernbench topology show my_machine.yaml --set die.hbm.bandwidth='512 GB/s'
  kernbench topology check my_machine.yaml                           every error at once, exit code 2
  kernbench topology diagram my_machine.yaml --level die --out drawn SVG and PNG of one level, into the folder drawn
  kernbench topology schema > machine.schema.json                    completion and hints in editors)";

struct Options {
  std::string action;
  std::string file = in_source_tree("topology/milestone_1h.yaml").string();
  std::vector<std::string> overrides;
  std::string level = "all";
  std::filesystem::path out = "out/topology";
  ChildOptions limits;
};

int draw(const LoadedMachine& machine, const Options& options) {
  const auto figures = machine_diagrams(machine, options.level);
  render_figures(figures, options.out);
  std::cout << "written:\n";
  for (const auto& figure : figures) {
    for (const char* kind : {".svg", ".png", ".vl.json"}) {
      std::cout << "  " << (options.out / (figure.name + kind)).string() << "\n";
    }
  }
  return 0;
}

/// Plans the network, which finds what is wrong with it.
std::string planned_network(const MachineSpec& machine, const ChildOptions& limits) {
  static_cast<void>(limits.fitted({{"network of machine " + machine.name, network_memory(machine), kSmallerMachine}}));
  return plan_in_child(limits, [&machine] {
    const NetworkPlan plan = plan_network(machine);
    return "network of " + std::to_string(plan.nodes.size()) + " nodes and " + std::to_string(plan.links.size()) +
           " links";
  });
}

int run(const Options& options) {
  if (options.action == "schema") {
    std::cout << machine_json_schema();
    return 0;
  }
  const LoadedMachine machine = load_machine(options.file, options.overrides);
  const std::string network = planned_network(machine.spec, options.limits);
  if (options.action == "diagram") return draw(machine, options);
  if (options.action == "show") {
    std::cout << describe_machine(machine.spec);
  } else {
    std::cout << options.file << ": machine " << machine.spec.name << " is valid, sha256 " << machine.sha256 << "; "
              << network << "\n";
    warn_of_buffers(machine.spec);
  }
  return 0;
}

std::function<int()> set_up(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("action", options->action,
                 "show: every key, and marked = what follows from it\n"
                 "check: whether the file is valid, and the hash that results carry\n"
                 "diagram: SVG and PNG of each level\n"
                 "schema: the JSON Schema of machine files")
      ->required()
      ->check(CLI::IsMember({"show", "check", "diagram", "schema"}));
  app.add_option("file", options->file, "Machine file [topology/milestone_1h.yaml]")->type_name("FILE");
  app.add_option("--set", options->overrides, "Override a key of the machine file, e.g. --set pe.clock='1.2 GHz'")
      ->type_name("KEY.PATH=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--level", options->level, "diagram: which level [all]")
      ->check(CLI::IsMember({"system", "package", "die", "pe", "all"}))
      ->type_name("LEVEL");
  app.add_option("--out", options->out, "diagram: folder of the drawings [out/topology]")->type_name("FOLDER");
  options->limits.add_limits(app);
  app.footer(kExamples);
  return [options] { return run(*options); };
}

const bool registered = register_command({30, "topology", "Show, check or describe machine files", set_up});

}  // namespace
}  // namespace kernbench
