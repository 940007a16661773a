// `kernbench probe`: what one transfer takes between any two places of a machine, simulated beside its closed form.
#include <fnmatch.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>

#include "benches/cli/children.hpp"
#include "benches/cli/machine_options.hpp"
#include "benches/cli/output_options.hpp"
#include "benches/cli/probe_report.hpp"
#include "benches/io/program/program.hpp"
#include "benches/io/text/lists.hpp"
#include "benches/io/text/terminal.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"
#include "sim/base/unknown_name.hpp"
#include "sim/plan/network/network_plan.hpp"
#include "sim/system/probe/run_probe.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench::probe_command {
namespace {

constexpr const char* kExamples =
    R"(Each probe is one transfer on an idle machine: the first PE's DMA engine, or the first package's host, reads or writes
a memory near or far. The contention probes are 1, 2, 3, ... PEs of a die that read one memory controller at once.
Beside each simulated time stands its closed form (adr/0021): exact to the picosecond for one transfer, else a bound.
"path" is the bandwidth of the slowest link, port or memory on the way, "max-min" what fair shares add up to.

Examples:
  kernbench probe                                         all probes, transfers of 16 KiB
  kernbench probe --sizes 256B,4KiB,64KiB --only 'own-*'  latency and bandwidth of a PE's own HBM
  kernbench probe --only other-package-far-read --hops    where the time goes, hop by hop
  kernbench probe --only 'contend-*' --set die.hbm.pseudo_channels=16
  kernbench probe --json probe.json

Exit codes: 0 all well, 1 a check or a simulation failed, 2 wrong input. How to read it: docs/probe.md.)";

struct Options {
  std::shared_ptr<MachineOptions> machine;
  std::string sizes = "16KiB";
  std::string only = "*";
  bool hops = false;
  ChildOptions children;
  OutputOptions output;
};

std::vector<Bytes> sizes_of(const std::string& text, const MachineSpec& machine) {
  std::vector<Bytes> sizes;
  for (const std::string& one : list_items("--sizes", text)) {
    try {
      sizes.push_back(parse_quantity(one, Dimension::kBytes));
      check_probe_bytes(machine, sizes.back());
    } catch (const ConfigError& error) {
      throw ConfigError("--sizes " + text + ": " + error.what());
    }
  }
  return each_once(sizes);
}

/// Keeps those whose names match one of the patterns.
void select(ProbeSet& set, const std::string& only) {
  std::vector<std::string> names;
  for (const Probe& probe : set.probes) {
    if (std::ranges::find(names, probe.name) == names.end()) names.push_back(probe.name);
  }
  for (const ProbeLeftOut& out : set.left_out) names.push_back(out.name);
  std::vector<std::string> wanted;
  for (const std::string& pattern : list_items("--only", only)) {
    const std::size_t before = wanted.size();
    std::ranges::copy_if(names, std::back_inserter(wanted), [&pattern](const std::string& name) {
      return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    });
    if (wanted.size() > before) continue;
    refuse_name("probe", pattern, names, "--only " + only);
  }
  const auto unwanted = [&wanted](const auto& one) { return std::ranges::find(wanted, one.name) == wanted.end(); };
  std::erase_if(set.probes, unwanted);
  std::erase_if(set.left_out, unwanted);
}

std::string simulate(const MachineSpec& machine, const Probe& probe) {
  Json ends = Json::array();
  for (const Picoseconds end : run_probe(machine, probe.transfers).ends) ends.push_back(end.value);
  return ends.dump();
}

ProbeReport simulate_all(const Options& options, const ProbeSet& set, const MemoryNeed& need, const NetworkPlan& plan,
                         const MachineSpec& machine) {
  ProbeReport report;
  report.left_out = set.left_out;
  report.hops = options.hops;
  std::vector<Work> works;
  for (const Probe& probe : set.probes) {
    report.outcomes.push_back(expect_probe(plan, machine, probe));
    works.emplace_back([&machine, &probe] { return simulate(machine, probe); });
  }
  const ChildOptions children = options.children.fitted(std::vector<MemoryNeed>(works.size(), need));
  const std::vector<Outcome> outcomes = run_children("probe", works, children);
  std::vector<ProbeOutcome> simulated;
  for (std::size_t i = 0; i < works.size(); ++i) {
    report.reasons.push_back(outcomes[i].reason);
    if (!outcomes[i].ok) continue;
    for (const Json& end : Json::parse(outcomes[i].payload))
      report.outcomes[i].ends.push_back({end.get<std::int64_t>()});
    simulated.push_back(report.outcomes[i]);
  }
  report.checks = check_probes(simulated);
  return report;
}

int run(const Options& options) {
  const LoadedMachine machine = options.machine->load();
  note_defaults(machine);
  warn_of_buffers(machine.spec);
  const std::vector<Bytes> sizes = sizes_of(options.sizes, machine.spec);
  const MemoryNeed need{"a probe of machine " + machine.spec.name, system_memory(machine.spec), kSmallerMachine};
  options.children.memory.limit().require(need);
  static_cast<void>(plan_in_child(options.children, [&machine] {  // within its limits; then it is known to end here
    static_cast<void>(plan_network(machine.spec));
    return std::string();
  }));
  const NetworkPlan plan = plan_network(machine.spec);
  ProbeSet set = probe_set(plan, machine.spec, sizes);
  select(set, options.only);
  const ProbeReport report = simulate_all(options, set, need, plan, machine.spec);
  const auto tables = [&](const Terminal& terminal) {
    return styled("probes of " + machine.spec.name, Style::kBold, terminal.colours) + ", packets of " +
           format_quantity(machine.spec.simulation.packet, Dimension::kBytes) + "\n\n" +
           format_probes(report, terminal);
  };
  options.output.deliver(tables, results_documents([&] { return probe_results(report, machine); }));
  bool failed = false;
  for (std::size_t i = 0; i < report.reasons.size(); ++i) {
    if (report.reasons[i].empty()) continue;
    failed = true;
    std::cerr << "error: " << report.outcomes[i].probe.name << ": " << report.reasons[i] << "\n";
  }
  for (const ProbeCheck& check : report.checks) failed = failed || !check.failures.empty();
  return failed ? 1 : 0;
}

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  options->machine = MachineOptions::add_to(command, MachineOptions::File::kArgumentToo);
  command.add_option("--sizes,--bytes", options->sizes, "Size of a transfer, several with commas between")
      .type_name("SIZE,...")
      .show_default();
  command.add_option("--only", options->only, "Only the probes that match, e.g. 'own-*,die-far-read'")
      .type_name("PATTERN,...")
      .show_default();
  command.add_flag("--hops", options->hops, "Show the terms of each closed form, and when the first packet is where");
  options->children.add_jobs(command);
  options->children.add_limits(command);
  options->output.add_to(command);
  command.footer(kExamples);
  return [options] { return run(*options); };
}

const bool registered =
    register_command({41, "probe", "Transfers between any two places of a machine beside their closed forms", set_up});

}  // namespace
}  // namespace kernbench::probe_command
