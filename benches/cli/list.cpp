// `kernbench list`: the registered benches, and whether their committed results are fresh.
#include <memory>

#include "benches/cli/committed.hpp"
#include "benches/cli/machine_options.hpp"
#include "benches/cli/output_options.hpp"
#include "benches/experiments/run/run_bench.hpp"
#include "benches/io/program/program.hpp"
#include "benches/io/text/table.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/gpu/load_gpu.hpp"

namespace kernbench::list_command {
namespace {

struct CommittedState {
  std::string state;  ///< fresh, stale, none, unreadable
  std::string why;    ///< for stale and unreadable
};

/// The machine that is asked for, or the bench's own where that is of the other kind.
LoadedMachine machine_for(const Bench& bench, const MachineOptions& options) {
  if (is_gpu_file(options.file()) == (bench.machine == MachineKind::kGpu)) return options.load(bench);
  return load_bench_machine(bench, usual_machine_file(bench), bench.machine_defaults);
}

CommittedState committed_state(const Bench& bench, const LoadedMachine& machine) {
  try {
    const auto committed = read_committed(bench);
    if (!committed) return {"none", ""};
    const auto reasons = staleness(committed->simulated.source, current_source(bench, machine, "sim"));
    if (reasons.empty()) return {"fresh", ""};
    return {"stale", joined_in_words(reasons)};
  } catch (const ConfigError& error) {
    return {"unreadable", error.what()};
  }
}

std::string as_json(const MachineOptions& options) {
  Json list = Json::array();
  for (const Bench& bench : all_benches()) {
    const CommittedState committed = committed_state(bench, machine_for(bench, options));
    Json axes = Json::object();
    Json open = Json::array();   // axes that take other values too
    Json sets = Json::object();  // of which names stand for several values
    for (const Axis& axis : bench.axes) {
      if (axis.open) open.push_back(axis.name);
      for (const AxisValue& value : axis.values) axes[axis.name].push_back(value.label);
      if (!axis.open) continue;
      for (const auto& [name, values] : axis.open->sets) {
        for (const AxisValue& value : values()) sets[axis.name][name].push_back(value.label);
      }
    }
    Json entry{{"name", bench.name},
               {"summary", bench.summary},
               {"version", bench.version},
               {"points", expand_points(bench).size()},
               {"axes", axes},
               {"open_axes", open},
               {"sets", sets},
               {"theory", static_cast<bool>(bench.theory)},
               {"committed", committed.state}};
    if (!committed.why.empty()) entry["why"] = committed.why;
    list.push_back(std::move(entry));
  }
  return list.dump(2) + "\n";
}

std::string as_table(const MachineOptions& options, const Terminal& terminal) {
  Table table({{"bench"},
               {"points", Align::kRight},
               {"committed results", Align::kLeft, 0, true},
               {"summary", Align::kLeft, 0, true}});
  for (const Bench& bench : all_benches()) {
    const CommittedState committed = committed_state(bench, machine_for(bench, options));
    const Style style = committed.state == "fresh" ? Style::kGreen : Style::kYellow;
    table.add_row({bench.name,
                   std::to_string(expand_points(bench).size()),
                   {committed.state + (committed.why.empty() ? "" : ": " + committed.why), style},
                   bench.summary});
  }
  return table.format(terminal);
}

std::function<int()> set_up(CommandSpec& command) {
  auto machine = MachineOptions::add_to(command);
  auto output = std::make_shared<OutputOptions>();
  output->add_to(command, OutputOptions::Kinds::kJson);
  command.footer("Examples:\n  kernbench list\n  kernbench list --json | jq '.[].name'");
  return [machine, output] {
    output->deliver([&](const Terminal& terminal) { return as_table(*machine, terminal); },
                    {[&] { return as_json(*machine); }, {}});
    return 0;
  };
}

const bool registered = register_command({12, "list", "List the benches and the state of their results", set_up});

}  // namespace
}  // namespace kernbench::list_command
