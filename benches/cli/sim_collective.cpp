// `kernbench sim collective`: collectives over sizes and algorithms, printed as nccl-tests prints them.
#include <algorithm>
#include <memory>
#include <optional>

#include "benches/cli/collective_options.hpp"
#include "benches/cli/gpu_collective.hpp"
#include "benches/cli/output_options.hpp"
#include "benches/cli/sim_collective_report.hpp"
#include "benches/cli/sim_collective_sizes.hpp"
#include "benches/cli/sim_run.hpp"
#include "benches/cli/sim_workloads.hpp"
#include "benches/harness/collective/derive_collectives.hpp"
#include "benches/harness/collective/port_time.hpp"
#include "benches/harness/collective/row_from_collective.hpp"
#include "benches/harness/program/option_values.hpp"
#include "benches/harness/results/results_json.hpp"
#include "benches/harness/run/row_work.hpp"
#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/wrap.hpp"
#include "sim/base/errors.hpp"
#include "sim/plan/network/slot_room.hpp"
#include "sim/system/model_version.hpp"
#include "sim/system/trace/trace_writer.hpp"

namespace kernbench::sim_collective_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench sim collective                                            ring all_reduce of 1 MiB on the PEs of a die
  kernbench sim collective --algorithm all --sizes 16B:1MiB:x4        who is fastest at which size
  kernbench sim collective --collective all_gather --algorithm ring,direct --sizes 1KiB,1MiB --scale package
  kernbench sim collective --algorithm hierarchical --scale system --sizes 96KiB --packet 4KiB --root-die corner
  kernbench sim collective --ranks 64 --sizes 16MiB --packet 4KiB --counts
  kernbench sim collective --ranks-per package --sizes 1MiB:16MiB:x4  one rank a package, as an accelerator has
  kernbench sim collective --sizes 64KiB --verify bf16 --set pe.message_queue.tier=hbm
  kernbench sim collective --topology topology/h200_x4.yaml --sizes 1KiB:1GiB:x4 --channels 16   as NCCL on four H200s
  kernbench sim collective --topology topology/alpha_beta.yaml        the textbook's ring

A size is what nccl-tests counts: the buffer of a rank; of an all_gather the buffer it fills, of a reduce_scatter the one
it reads. algbw = size / time; busbw = algbw x 2(n-1)/n for all_reduce, (n-1)/n for reduce_scatter, all_gather and
all_to_all, 1 for broadcast and reduce. The bound is what no algorithm beats (adr/0018).
Exit codes: 0 all well, 1 a simulation failed or computed a wrong value, 2 wrong input.)";

struct Options {
  std::shared_ptr<MachineOptions> machine;
  CollectiveOptions workload;
  std::string verify;
  std::filesystem::path trace;
  std::string time_limit;
  ChildOptions children;
  bool counts = false;
  bool no_fast_forward = false;
  GpuCollectiveOptions gpu;
  OutputOptions output;
};

/// What one child simulates.
struct Asked {
  CollectiveCase what;
  Json point;
  std::string skipped;  ///< why it is not simulated; "" where it is
};

std::vector<Asked> asked_for(const CollectiveOptions& options, const MachinePart& part) {
  std::vector<Asked> all;
  for (const std::string& algorithm : algorithms_of(options)) {
    for (const Bytes bytes : parse_sizes(options.sizes)) {
      const CollectiveCase what = collective_case(options, algorithm, bytes, part);
      all.push_back({what, collective_point(options, what, part), ""});
    }
  }
  return all;
}

TraceHeader header_of(const Options& options, const Asked& asked, const MachinePart& part,
                      const LoadedMachine& machine) {
  TraceHeader header{options.workload.collective + " " + asked.what.algorithm + " " +
                         format_quantity(asked.what.bytes, Dimension::kBytes) + " on " + machine.spec.name,
                     {{"machine", machine.spec.name},
                      {"machine_sha256", machine.sha256},
                      {"model", kModelVersion},
                      {"collective", options.workload.collective},
                      {"algorithm", asked.what.algorithm},
                      {"ranks", std::to_string(part.grid.size())}}};
  if (options.workload.ranks_per != "pe") header.facts.emplace_back("ranks_per", options.workload.ranks_per);
  return header;
}

/// In the child.
Row simulate(const Options& options, const Asked& asked, const MachinePart& part, const LoadedMachine& machine) {
  CollectiveSettings settings;
  settings.fast_forward = !options.no_fast_forward;
  settings.limit = parse_time_limit(options.time_limit);
  if (options.verify == "integers") settings.values = CollectiveValues::kIntegers;
  if (options.verify == "bf16") settings.values = CollectiveValues::kBf16;
  std::optional<TraceWriter> trace;
  if (!options.trace.empty()) settings.sink = &trace.emplace(options.trace, header_of(options, asked, part, machine));
  const CollectiveLanes lanes = lanes_of(asked.what, part);
  const CollectiveResult run = run_collective(part.machine, lanes, settings);
  if (trace) trace->finish();
  Row row = row_from_collective(run, *lanes.front(), asked.what, part);
  row.metrics["packet_hops"] = run.packet_hops;
  row.metrics["wakeups"] = run.wakeups;
  row.metrics["pes_simulated"] = run.pes_simulated;
  if (!options.verify.empty()) row.flags.emplace_back("verified");
  if (options.verify == "bf16") row.metrics["largest_error"] = run.largest_error;
  return row;
}

std::vector<MemoryNeed> needs_of(const Options& options, const std::vector<Asked>& all, const MachinePart& part) {
  std::vector<MemoryNeed> needs;
  for (const Asked& asked : all) {
    if (!asked.skipped.empty()) continue;
    needs.push_back(
        {options.workload.collective + " " + asked.what.algorithm + " of " +
             format_quantity(asked.what.bytes, Dimension::kBytes) + " over " + counted(part.grid.size(), "rank"),
         memory_of(asked.what, part, !options.verify.empty()), "fewer --ranks, smaller --sizes or a larger --chunk"});
  }
  return needs;
}

/// Before the network is planned: what takes least.
void require_memory(const Options& options, const std::vector<Asked>& all, const MachinePart& part) {
  const std::vector<MemoryNeed> needs = needs_of(options, all, part);
  const auto less = [](const MemoryNeed& a, const MemoryNeed& b) { return a.estimate.bytes() < b.estimate.bytes(); };
  options.children.memory.limit().require(*std::min_element(needs.begin(), needs.end(), less));
}

/// Refuses what no simulation need start for, prints what the network is short of, and of all algorithms leaves out
/// those that are far behind.
void plan(const Options& options, std::vector<Asked>& all, const MachinePart& part) {
  require_memory(options, all, part);
  const Json planned = Json::parse(plan_in_child(options.children, [&] {
    std::vector<CollectiveCase> cases;
    for (const Asked& asked : all) cases.push_back(asked.what);
    std::vector<std::string> skipped(cases.size());
    if (options.workload.algorithms == kAllAlgorithms) {
      skipped = far_behind(cases, part);
    } else {
      for (const CollectiveCase& what : cases) static_cast<void>(bound_of(what, part));
    }
    return Json{{"notes", slot_notes(plan_network(part.machine), part.machine)}, {"skipped", skipped}}.dump();
  }));
  print_notes(planned.at("notes"));
  for (std::size_t i = 0; i < all.size(); ++i) all[i].skipped = planned.at("skipped").at(i);
}

CollectiveReport simulate_all(const Options& options, const ChildOptions& children, const std::vector<Asked>& all,
                              const MachinePart& part, const LoadedMachine& machine) {
  std::vector<Work> works;
  for (const Asked& asked : all) {
    if (asked.skipped.empty()) works.push_back(row_work([&] { return simulate(options, asked, part, machine); }));
  }
  const auto clean_up = [&options] { remove_partial_trace(options.trace); };
  CollectiveReport report{.rows = {}, .costs = {}, .verified = !options.verify.empty(), .counts = options.counts};
  const std::vector<Outcome> outcomes = run_children("sim collective", works, children, clean_up);
  auto outcome = outcomes.begin();
  for (const Asked& asked : all) {
    RowAnswer answer;
    if (asked.skipped.empty()) {
      answer = row_answer(*outcome++);
    } else {
      answer.row.status = "skipped";
      answer.row.reason = asked.skipped;
    }
    answer.row.point = asked.point;
    report.rows.push_back(std::move(answer.row));
    report.costs.push_back({answer.cpu_s});
  }
  return report;
}

int run(const Options& options) {
  if (is_gpu(*options.machine)) {
    if (!options.verify.empty() || !options.trace.empty() || !options.time_limit.empty() || options.no_fast_forward) {
      throw ConfigError(
          "--verify, --trace, --time-limit, --no-fast-forward: expected a machine of PEs; the machine file is a GPU");
    }
    return run_sim_collective_gpu(*options.machine, options.workload, options.gpu, options.output);
  }
  refuse_gpu_collective_options(options.gpu);
  const LoadedMachine machine = load_for_collective(*options.machine, options.workload);
  const MachinePart part = collective_part(options.workload, machine.spec);
  note_defaults(machine);
  warn_of_buffers(part.machine);
  std::vector<Asked> all = asked_for(options.workload, part);
  if (!options.trace.empty()) {
    if (all.size() > 1)
      throw ConfigError("--trace: expected one algorithm and one size, got " + std::to_string(all.size()));
    check_trace(options.trace);
  }
  plan(options, all, part);
  const ChildOptions children = options.children.fitted(needs_of(options, all, part));
  const CollectiveReport report = simulate_all(options, children, all, part, machine);
  Results results{
      "sim-collective", {"sim", machine.spec.name, machine.sha256, kModelVersion, "1"}, Json::object(), report.rows};
  const std::vector<Row> derived = derive_collectives(results);
  const auto tables = [&](const Look& look) {
    std::string text =
        styled(prose(collective_title(options.workload, part, machine), look), Style::kBold, look.colours) + "\n" +
        format_collectives(report, look) + format_collective_summary(derived, look);
    if (!options.trace.empty()) text += "\ntrace  " + options.trace.string() + " (opens in https://ui.perfetto.dev)\n";
    return text;
  };
  options.output.deliver(tables, results_documents([&] {
                           results.rows.insert(results.rows.end(), derived.begin(), derived.end());
                           return results;
                         }));
  for (const Row& row : report.rows) {
    if (row.status == "failed") throw SimulationError(row.point.at("algorithm").get<std::string>() + ": " + row.reason);
  }
  return 0;
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  options->workload.add_to(command, CollectiveOptions::Asks::kSeveral);
  command.add_option("--verify", options->verify, "Carry values and compare every rank's result: integers or bf16")
      .rule(one_of({"integers", "bf16"}))
      .type_name("VALUES");
  options->machine = MachineOptions::add_to(command, MachineOptions::File::kArgumentToo);
  add_run_options(command, options->trace, options->time_limit);
  options->children.add_limits(command);
  options->children.add_jobs(command);
  command.add_flag("--counts", options->counts,
                   "Show packet-hops, wake-ups a packet-hop, and packet-hops a second of CPU time");
  command.add_flag("--no-fast-forward", options->no_fast_forward,
                   "Simulate every package, also where one stands for all (adr/0062)");
  options->gpu.add_to(command);
  options->output.add_to(command);
  command.footer(kExamples);
  return [options] { return run(*options); };
}

}  // namespace kernbench::sim_collective_command
