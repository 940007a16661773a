// `kernbench whatif collective`: one collective over the PEs of a machine.
#include <memory>

#include "benches/cli/collective_options.hpp"
#include "benches/cli/sim_collective_sizes.hpp"
#include "benches/cli/whatif.hpp"
#include "benches/harness/collective/row_from_collective.hpp"
#include "benches/harness/text/numbers.hpp"
#include "sim/base/errors.hpp"
#include "sim/machine/schema.hpp"

namespace kernbench::whatif_collective_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench whatif collective                                         ring all_reduce of 1 MiB on the PEs of a die
  kernbench whatif collective --algorithm halving_doubling --sizes 16KiB --scale package
  kernbench whatif collective --algorithm hierarchical --scale system --sizes 96KiB --packet 4KiB --out out/whatif

Algorithm, size and scale stay as they are on every machine. Messages that --chunk does not limit are as large as the
slots of the machine allow.)";

struct Options {
  CollectiveOptions workload;
  std::shared_ptr<MachineOptions> machine;
  WhatIfOptions what_if;
  ChildOptions child;
  OutputOptions output;
};

/// The collective on one machine, which has as many PEs as it likes.
class CollectiveOn {
 public:
  CollectiveOn(const CollectiveOptions& options, const std::string& algorithm, Bytes bytes, const MachineSpec& machine)
      : options_(options),
        part_(collective_part(options, machine)),
        what_(collective_case(options, algorithm, bytes, part_)) {}

  [[nodiscard]] Row simulate() const {
    const CollectiveLanes lanes = lanes_of(what_, part_);
    return row_from_collective(run_collective(part_.machine, lanes, {}), *lanes.front(), what_, part_);
  }
  /// All that the row follows from, but the machine.
  [[nodiscard]] Json identity() const {
    Json point = collective_point(options_, what_, part_);
    point["root"] = what_.root;
    point["chunk"] = what_.chunk;
    return Json{{"collective", point}};
  }
  [[nodiscard]] MemoryEstimate memory() const { return memory_of(what_, part_, false); }
  [[nodiscard]] std::int32_t ranks() const { return part_.grid.size(); }

 private:
  const CollectiveOptions& options_;
  MachinePart part_;
  CollectiveCase what_;
};

template <class T>
T only(const std::string& option, const std::vector<T>& values) {
  if (values.size() == 1) return values.front();
  throw ConfigError(option + ": expected one, got " + std::to_string(values.size()));
}

/// Of the command line: those that choose the workload.
std::vector<std::string> words_of(const CollectiveOptions& options) {
  std::vector<std::string> words{"collective"};
  const auto add = [&words](const char* option, const std::string& value, const std::string& usual = "") {
    if (value != usual) words.insert(words.end(), {option, value});
  };
  add("--collective", options.collective);
  add("--algorithm", options.algorithms);
  add("--sizes", options.sizes);
  add("--scale", options.scale);
  add("--ranks-per", options.ranks_per, "pe");
  add("--ranks", std::to_string(options.ranks), "0");
  add("--root", std::to_string(options.root), "0");
  add("--root-die", options.root_die, "centre");
  add("--chunk", options.chunk);
  add("--packet", options.packet);
  return words;
}

int run(const Options& options) {
  const std::string algorithm = only("--algorithm", algorithms_of(options.workload));
  const Bytes bytes = only("--sizes", parse_sizes(options.workload.sizes));
  const LoadedMachine machine = load_for_collective(*options.machine, options.workload);
  CollectiveOptions workload = options.workload;
  if (workload.ranks == 0 && workload.scale.empty()) workload.scale = usual_scale(workload, machine.spec);
  const CollectiveOn first(workload, algorithm, bytes, machine.spec);
  WhatIfReport report;
  report.title = workload.collective + " " + algorithm + " of " + format_quantity(bytes, Dimension::kBytes) + ", " +
                 counted(first.ranks(), "rank") + " on " + machine.spec.name;
  Evaluator evaluator("whatif", options.child, options.what_if.cache);
  const Evaluate evaluate = [&](const std::vector<MachineSpec>& machines) {
    std::vector<Evaluation> evaluations;
    for (const MachineSpec& one : machines) {
      const auto on = [&] { return CollectiveOn(workload, algorithm, bytes, one); };
      Evaluation& evaluation = evaluations.emplace_back();
      evaluation.simulate = [on] { return on().simulate(); };
      evaluation.identity = [on, &one] {
        return WorkloadOnMachine{"collective", on().identity(), machine_sha256(one)};
      };
      try {
        evaluation.memory = {report.title, on().memory(), "fewer --ranks, smaller --sizes or a larger --chunk"};
      } catch (const ConfigError&) {
        continue;  // the collective does not fit this machine: its row will say so
      }
    }
    return evaluator(evaluations);
  };
  const WhatIfQuestion question{"collective", words_of(workload), *options.machine, machine, evaluate, evaluator};
  return answer_what_if(report, question, options.what_if, options.output);
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  options->workload.add_to(command, CollectiveOptions::Asks::kOne);
  options->what_if.add_to(command, options->machine, options->child, options->output);
  command.footer(kExamples);
  return [options] { return run(*options); };
}

}  // namespace kernbench::whatif_collective_command
