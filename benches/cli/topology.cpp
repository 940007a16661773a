// `kernbench topology`: a machine file with all that follows from it, whether it is valid, its diagrams, the schema of
// machine files for editors, and the numbers of a GPU's file.
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "benches/cli/children.hpp"
#include "benches/cli/machine_options.hpp"
#include "benches/cli/topology_commands.hpp"
#include "benches/io/program/command_group.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/results/diagrams/diagrams.hpp"
#include "benches/results/figures/render.hpp"
#include "benches/results/rows/results.hpp"
#include "sim/base/quantity.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "sim/machine/json_schema.hpp"
#include "sim/machine/load_machine.hpp"
#include "sim/machine/memory_places.hpp"
#include "sim/plan/network/network_plan.hpp"
#include "sim/plan/network/network_size.hpp"
#include "sim/plan/network/slot_room.hpp"
#include "sim/plan/probe/path_rates.hpp"

namespace kernbench::topology_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench topology show                                            the machine that comes with kernbench
  kernbench topology show my_machine.yaml --set die.hbm.bandwidth='512 GB/s'
  kernbench topology check my_machine.yaml                           every error at once, exit code 2
  kernbench topology diagram my_machine.yaml --level die --out drawn    SVG and PNG of one level, into the folder drawn
  kernbench topology schema > machine.schema.json                    completion and hints in editors
  kernbench topology calibrate gemm.json --base topology/h200.yaml --out my_h200.yaml)";

/// A machine, and what planning its network may take.
struct Options {
  std::shared_ptr<MachineOptions> machine;
  ChildOptions limits;

  static std::shared_ptr<Options> add_to(CommandSpec& command) {
    auto options = std::make_shared<Options>();
    options->machine = MachineOptions::add_to(command, MachineOptions::File::kArgumentToo);
    options->limits.add_limits(command);
    return options;
  }
};

struct Planned {
  std::string network;                ///< how large it is
  std::vector<std::string> notes;     ///< on the message queues over it
  std::vector<std::string> warnings;  ///< of what cannot be used
  std::string paths;                  ///< what transfers may reach
};

/// In the columns of describe_machine.
std::string shown(const std::vector<PathRate>& paths) {
  std::string text = "\npaths of the first PE and its host, one transfer alone\n";
  const auto line = [&text](const std::string& label, const char* mark, Bandwidth rate, const std::string& more) {
    text += label + std::string(35 - label.size(), ' ') + mark + formatted("%.6g GB/s", rate.gbs()) + more + "\n";
  };
  for (const PathRate& path : paths) {
    line("  " + path.name, "= ", path.rate(), "");
    for (const PathTerm& term : path.terms) {
      line("    " + term.key, "  ", term.rate,
           (term.what.empty() ? "" : ": " + term.what) + (term.rate == path.rate() ? ", the limit" : ""));
    }
  }
  return text;
}

/// Plans the network, which finds what is wrong with it.
Planned planned_network(const MachineSpec& machine, const ChildOptions& limits) {
  MemoryEstimate memory = network_memory(machine);
  memory.add("program", 1, kProgramMemory);
  static_cast<void>(limits.fitted({{"network of machine " + machine.name, memory, kSmallerMachine}}));
  const Json json = Json::parse(plan_in_child(limits, [&machine] {
    const NetworkPlan plan = plan_network(machine);
    return Json{{"network", counted(static_cast<std::int64_t>(plan.nodes.size()), "node") + ", " +
                                counted(static_cast<std::int64_t>(plan.links.size()), "link")},
                {"notes", slot_notes(plan, machine)},
                {"warnings", rate_warnings(plan, machine)},
                {"paths", shown(path_rates(plan, machine))}}
        .dump();
  }));
  return {json.at("network"), json.at("notes"), json.at("warnings"), json.at("paths")};
}

std::string line_of(const char* label, const std::vector<std::string>& names, const char* why) {
  return names.empty() ? "" : hanging(label, joined(names, ", ") + why, 80);
}

/// Where the machine comes from beside its file, what it is without, and what nobody has said.
std::string origins_of(const LoadedMachine& machine) {
  return line_of("base     ", machine.bases, "") +
         line_of("absent   ", machine.spec.absent, ", of which the file says nothing") +
         line_of("defaults ", machine.left_out, ", which the file leaves out");
}

/// How addresses go round the controllers of a memory that PEs share, and which strides do not (64.3); nothing of
/// partitions.
std::string addresses_of(const DieSpec& die) {
  if (!die.hbm.shared()) return "";
  const std::int64_t controllers = controllers_of_die(die);
  if (controllers == 1) return hanging("hbm      ", "all addresses at one controller", 80);
  const auto granules = [&die](std::int64_t count) {
    return format_quantity(count * die.hbm.interleave, Dimension::kBytes);
  };
  const std::string count = std::to_string(controllers);
  if (!die.hbm.hashed) {
    return hanging("hbm      ",
                   granules(1) + " at each of " + count + " controllers in turn; strides of multiples of " +
                       granules(controllers) + " meet one of them",
                   80);
  }
  // Strides of C^j - 1 granules meet one for C^j steps.
  const std::int64_t few = controllers > 2 ? controllers : controllers * controllers;
  const std::int64_t more = few * controllers;
  return hanging("hbm      ",
                 granules(1) + " at each of " + count + " controllers, their order by a hash; a stride of " +
                     granules(few - 1) + " meets one of them for " + std::to_string(few) + " steps (one of " +
                     granules(more - 1) + " for " + std::to_string(more) + ')',
                 80);
}

/// A GPU's numbers and how each was obtained; nothing where the file is no GPU's.
std::string gpu_text(const Options& options, bool whole) {
  const std::string file = options.machine->file();
  if (!is_gpu_file(file)) return "";
  const LoadedGpu gpu = load_gpu(file, options.machine->overrides());
  return whole ? describe_gpu(gpu) + line_of("base     ", gpu.bases, "")
               : file + ": GPU " + gpu.spec.name + " is valid\nsha256   " + gpu.sha256 + "\n" +
                     line_of("base     ", gpu.bases, "");
}

int show(const Options& options) {
  if (const std::string gpu = gpu_text(options, true); !gpu.empty()) {
    std::cout << gpu;
    return 0;
  }
  const LoadedMachine machine = options.machine->load();
  const Planned planned = planned_network(machine.spec, options.limits);  // refuses what could not be built
  std::cout << describe_machine(machine.spec) << planned.paths << origins_of(machine);
  return 0;
}

int check(const Options& options) {
  if (const std::string gpu = gpu_text(options, false); !gpu.empty()) {
    std::cout << gpu;
    return 0;
  }
  const LoadedMachine machine = options.machine->load();
  const Planned planned = planned_network(machine.spec, options.limits);
  std::cout << options.machine->file() << ": machine " << machine.spec.name << " is valid\n"
            << "sha256   " << machine.sha256 << "\n"
            << "network  " << planned.network << "\n"
            << addresses_of(machine.spec.die) << origins_of(machine);
  warn_of_buffers(machine.spec);
  for (const std::string& warning : planned.warnings) std::cerr << "warning: " << warning << '\n';
  print_notes(planned.notes);
  return 0;
}

int draw(const Options& options, const std::string& level, const std::filesystem::path& out) {
  const LoadedMachine machine = options.machine->load();
  static_cast<void>(planned_network(machine.spec, options.limits));
  const auto figures = machine_diagrams(machine, level);
  render_figures(figures, out);
  for (const auto& figure : figures) std::cout << (out / (figure.name + ".svg")).string() << "\n";
  std::cout << "written, and beside each a .png and the .vl.json it is drawn from\n";
  return 0;
}

/// A sub-command that needs a machine alone.
ProgramCommand on_machine(const char* name, const char* help, int (*action)(const Options&)) {
  return {0, name, help, [action](CommandSpec& command) {
            const auto options = Options::add_to(command);
            return [action, options] { return action(*options); };
          }};
}

std::function<int()> set_up_diagram(CommandSpec& command) {
  const auto options = Options::add_to(command);
  auto level = std::make_shared<std::string>("all");
  auto out = std::make_shared<std::filesystem::path>("out/topology");
  command.add_option("--level", *level, "Which level [all]").rule(one_of({"system", "package", "die", "pe", "all"}));
  command.add_option("--out", *out, "Folder of the drawings [out/topology]").type_name("DIR").writes_folder();
  return [options, level, out] { return draw(*options, *level, *out); };
}

std::function<int()> set_up_schema(CommandSpec& /*command*/) {
  return [] {
    std::cout << machine_json_schema();
    return 0;
  };
}

std::function<int()> set_up(CommandSpec& command) {
  command.footer(kExamples);
  add_commands(command, {on_machine("show", "Every key, and marked = what follows from it", show),
                         on_machine("check", "Whether the file is valid, and the hash that results carry", check),
                         {0, "diagram", "SVG and PNG of each level", set_up_diagram},
                         {0, "schema", "The JSON Schema of machine files", set_up_schema},
                         {0, "calibrate", "Fit the numbers of a GPU's file to measured products",
                          topology_calibrate_command::set_up}});
  return {};  // one of them is run
}

const bool registered =
    register_command({40, "topology", "Machine files: show, check, draw, describe, calibrate", set_up});

}  // namespace
}  // namespace kernbench::topology_command
