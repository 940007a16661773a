// `kernbench sim collective`: collectives over sizes and algorithms, printed as nccl-tests prints them.
#include <memory>
#include <optional>

#include "benches/cli/output_options.hpp"
#include "benches/cli/sim_collective_report.hpp"
#include "benches/cli/sim_collective_sizes.hpp"
#include "benches/cli/sim_run.hpp"
#include "benches/cli/sim_workloads.hpp"
#include "benches/harness/collective/derive_collectives.hpp"
#include "benches/harness/collective/row_from_collective.hpp"
#include "benches/harness/program/option_values.hpp"
#include "benches/harness/results/results_json.hpp"
#include "benches/harness/run/row_work.hpp"
#include "benches/harness/text/lists.hpp"
#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/wrap.hpp"
#include "sim/base/errors.hpp"
#include "sim/machine/optional_sections.hpp"
#include "sim/plan/network/slot_room.hpp"
#include "sim/system/model_version.hpp"
#include "sim/system/trace/trace_writer.hpp"

namespace kernbench {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench sim collective                                            ring all_reduce of 1 MiB on the PEs of a die
  kernbench sim collective --algorithm all --sizes 16B:1MiB:x4        who is fastest at which size
  kernbench sim collective --collective all_gather --algorithm ring,direct --sizes 1KiB,1MiB --scale package
  kernbench sim collective --algorithm hierarchical --scale system --sizes 96KiB --packet 4KiB --root-die corner
  kernbench sim collective --ranks 64 --sizes 16MiB --packet 4KiB --counts
  kernbench sim collective --ranks-per package --sizes 1MiB:16MiB:x4  one rank a package, as an accelerator has
  kernbench sim collective --sizes 64KiB --verify bf16 --set pe.message_queue.tier=hbm
  kernbench sim collective --topology topology/alpha_beta.yaml        the textbook's ring

A size is what nccl-tests counts: the buffer of a rank; of an all_gather the buffer it fills, of a reduce_scatter the one
it reads. algbw = size / time; busbw = algbw x 2(n-1)/n for all_reduce, (n-1)/n for reduce_scatter, all_gather and
all_to_all, 1 for broadcast and reduce. The bound is what no algorithm beats (adr/0018).
Exit codes: 0 all well, 1 a simulation failed or computed a wrong value, 2 wrong input.)";

/// More than any machine has: whether this one has them is asked once it is read.
constexpr std::int64_t kMostRanks = std::int64_t{1} << 30;

struct Options {
  std::shared_ptr<MachineOptions> machine;
  std::string collective = "all_reduce";
  std::string algorithms = "ring";
  std::string sizes = "1MiB";
  std::string scale;
  std::int64_t ranks = 0;
  std::string ranks_per = "pe";
  std::int32_t root = 0;
  std::string root_die = "centre";
  std::string chunk;
  std::string packet;
  std::string verify;
  std::filesystem::path trace;
  std::string time_limit;
  ChildOptions children;
  bool counts = false;
  OutputOptions output;
};

/// What one child simulates.
struct Asked {
  CollectiveCase what;
  Json point;
};

std::vector<std::string> algorithms_of(const Options& options, Collective collective) {
  std::vector<std::string> names;
  if (options.algorithms == "all") {
    for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
      if (algorithm.does(collective)) names.push_back(algorithm.name);
    }
    return names;
  }
  for (const std::string& name : list_items("--algorithm", options.algorithms)) {
    names.push_back(find_collective_algorithm(name).name);
  }
  return each_once(names);
}

MachinePart part_of(const Options& options, const MachineSpec& machine) {
  const RanksPer per = kRanksPer.parse(options.ranks_per, "--ranks-per");
  if (options.ranks != 0) return first_ranks(machine, options.ranks, per);
  if (auto part = part_by_scale(machine, options.scale, per)) return *part;
  // The smallest scale that has somebody to talk to.
  for (const std::int64_t pes : {pes_of_die(machine), pes_of_package(machine)}) {
    const std::int64_t ranks = pes / pes_of_rank(machine, per);
    if (ranks > 1) return first_ranks(machine, ranks, per);
  }
  return *part_by_scale(machine, "system", per);
}

std::vector<Asked> asked_for(const Options& options, const MachinePart& part) {
  const Collective collective = kCollectives.parse(options.collective, "--collective");
  const GridShape& packages = part.grid.packages;
  std::vector<Asked> all;
  for (const std::string& algorithm : algorithms_of(options, collective)) {
    for (const Bytes bytes : parse_sizes(options.sizes)) {
      Asked asked{{.collective = collective,
                   .algorithm = algorithm,
                   .bytes = bytes,
                   .root = options.root,
                   .root_die = kRootDies.parse(options.root_die, "--root-die"),
                   .chunk = 0},
                  Json::object()};
      asked.point = {{"collective", options.collective},
                     {"algorithm", algorithm},
                     {"packages", std::to_string(packages.rows) + "x" + std::to_string(packages.columns)},
                     {"pes", part.pes()}};
      if (options.ranks_per != "pe") asked.point["ranks_per"] = options.ranks_per;
      asked.what.chunk = options.chunk.empty() ? usual_chunk(asked.what, part.machine)
                                               : option_quantity("--chunk", options.chunk, Dimension::kBytes);
      if (algorithm == "hierarchical") asked.point["root_die"] = options.root_die;
      asked.point["bytes"] = bytes;
      all.push_back(std::move(asked));
    }
  }
  return all;
}

TraceHeader header_of(const Options& options, const Asked& asked, const MachinePart& part,
                      const LoadedMachine& machine) {
  TraceHeader header{options.collective + " " + asked.what.algorithm + " " +
                         format_quantity(asked.what.bytes, Dimension::kBytes) + " on " + machine.spec.name,
                     {{"machine", machine.spec.name},
                      {"machine_sha256", machine.sha256},
                      {"model", kModelVersion},
                      {"collective", options.collective},
                      {"algorithm", asked.what.algorithm},
                      {"ranks", std::to_string(part.grid.size())}}};
  if (options.ranks_per != "pe") header.facts.emplace_back("ranks_per", options.ranks_per);
  return header;
}

/// In the child.
Row simulate(const Options& options, const Asked& asked, const MachinePart& part, const LoadedMachine& machine) {
  CollectiveSettings settings;
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
  if (!options.verify.empty()) row.flags.emplace_back("verified");
  if (options.verify == "bf16") row.metrics["largest_error"] = run.largest_error;
  return row;
}

std::vector<MemoryNeed> needs_of(const Options& options, const std::vector<Asked>& all, const MachinePart& part) {
  std::vector<MemoryNeed> needs;
  for (const Asked& asked : all) {
    needs.push_back(
        {options.collective + " " + asked.what.algorithm + " of " +
             format_quantity(asked.what.bytes, Dimension::kBytes) + " over " + counted(part.grid.size(), "rank"),
         memory_of(asked.what, part, !options.verify.empty()), "fewer --ranks, smaller --sizes or a larger --chunk"});
  }
  return needs;
}

CollectiveReport simulate_all(const Options& options, const ChildOptions& children, const std::vector<Asked>& all,
                              const MachinePart& part, const LoadedMachine& machine) {
  std::vector<Work> works;
  works.reserve(all.size());
  for (const Asked& asked : all) {
    works.push_back(row_work([&] { return simulate(options, asked, part, machine); }));
  }
  const auto clean_up = [&options] { remove_partial_trace(options.trace); };
  CollectiveReport report{.rows = {}, .costs = {}, .verified = !options.verify.empty(), .counts = options.counts};
  for (const Outcome& outcome : run_children("sim collective", works, children, clean_up)) {
    RowAnswer answer = row_answer(outcome);
    answer.row.point = all[report.rows.size()].point;
    report.rows.push_back(std::move(answer.row));
    report.costs.push_back({answer.cpu_s});
  }
  return report;
}

std::string heading(const Options& options, const MachinePart& part, const LoadedMachine& machine) {
  const auto shape = [](const GridShape& grid) {
    return std::to_string(grid.rows) + "x" + std::to_string(grid.columns);
  };
  const RankGrid& grid = part.grid;
  std::string text = options.collective + ", " + counted(grid.size(), "rank");
  if (part.pes_of_rank > 1) text += " of " + counted(part.pes_of_rank, "PE");
  text += " on " + machine.spec.name + ": ";
  if (part.pes_of_rank > 1 && grid.pes.size() > 1) {
    text += "a row of " + std::to_string(grid.pes.size());
  } else {
    text += shape(grid.packages) + " packages";
    if (options.ranks_per != "package") text += " of " + shape(grid.dies) + " dies";
    if (options.ranks_per == "pe") text += " of " + shape(grid.pes) + " PEs";
  }
  return text + ", packets of " + format_quantity(part.machine.simulation.packet, Dimension::kBytes);
}

int run(const Options& options) {
  const std::vector<std::string> packet{"simulation.packet_bytes=" + options.packet};
  const LoadedMachine machine = options.machine->load(options.packet.empty() ? std::vector<std::string>{} : packet);
  require_section(machine.spec, "pe.message_queue", "a collective");
  const MachinePart part = part_of(options, machine.spec);
  note_defaults(machine);
  warn_of_buffers(part.machine);
  const std::vector<Asked> all = asked_for(options, part);
  if (!options.trace.empty()) {
    if (all.size() > 1)
      throw ConfigError("--trace: expected one algorithm and one size, got " + std::to_string(all.size()));
    check_trace_name(options.trace);
  }
  require_files_apart(options.output, options.trace, options.machine->file());
  const ChildOptions children = options.children.fitted(needs_of(options, all, part));
  const std::string notes = plan_in_child(options.children, [&] {  // refuses what no simulation need start for
    for (const Asked& asked : all) static_cast<void>(bound_of(asked.what, part));
    return Json(slot_notes(plan_network(part.machine), part.machine)).dump();
  });
  print_notes(Json::parse(notes));
  const CollectiveReport report = simulate_all(options, children, all, part, machine);
  Results results{
      "sim-collective", {"sim", machine.spec.name, machine.sha256, kModelVersion, "1"}, Json::object(), report.rows};
  const std::vector<Row> derived = derive_collectives(results);
  const auto tables = [&](const Look& look) {
    std::string text = styled(prose(heading(options, part, machine), look), Style::kBold, look.colours) + "\n" +
                       format_collectives(report, look) + format_collective_summary(derived, look);
    if (!options.trace.empty()) text += "\ntrace  " + options.trace.string() + " (opens in https://ui.perfetto.dev)\n";
    return text;
  };
  options.output.deliver(tables, results_documents([&] {
                           results.rows.insert(results.rows.end(), derived.begin(), derived.end());
                           return results;
                         }));
  for (const Row& row : report.rows) {
    if (row.status != "ok") throw SimulationError(row.point.at("algorithm").get<std::string>() + ": " + row.reason);
  }
  return 0;
}

std::string algorithms_help() {
  std::string text = "Algorithms, with commas between, or all that do the collective";
  for (const CollectiveAlgorithm& algorithm : collective_algorithms())
    text += "\n" + algorithm.name + ": " + algorithm.summary;
  return text;
}

}  // namespace

std::function<int()> set_up_sim_collective(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  command
      .add_option("--collective", options->collective,
                  "all_reduce, reduce_scatter, all_gather, broadcast, all_to_all, reduce")
      .type_name("NAME")
      .show_default();
  command.add_option("--algorithm", options->algorithms, algorithms_help()).type_name("NAME,...").show_default();
  command
      .add_option("--sizes,--bytes", options->sizes,
                  "One size, several, or a range: 64KiB; 16B,1MiB; 16B:64MiB:x4; 1KiB:8KiB:+1KiB")
      .type_name("SIZE")
      .show_default();
  Option& scale =
      command
          .add_option("--scale", options->scale,
                      "Ranks: all those of a die, a package or the system\n[the first of these with more than one]")
          .rule(one_of({"die", "package", "system"}))
          .type_name("SCALE");
  command
      .add_option("--ranks-per", options->ranks_per,
                  "What a rank is: pe, or all PEs of a die or a package, which share its data and links")
      .type_name("UNIT")
      .show_default();
  command.add_option("--ranks", options->ranks, "Ranks: the first N PEs, die by die; with --ranks-per dies or packages")
      .rule(whole_number(1, kMostRanks))
      .type_name("N")
      .excludes(scale);
  command.add_option("--root", options->root, "Rank that broadcasts, or that reduces")
      .rule(whole_number(0, kMostRanks - 1))
      .type_name("RANK")
      .show_default();
  command.add_option("--root-die", options->root_die, "Where hierarchical gathers a package's data: centre or corner")
      .type_name("WHERE")
      .show_default();
  command
      .add_option("--chunk", options->chunk,
                  "Most bytes of a message, so that steps overlap; 0B: whole blocks\n[a slot for trees, hierarchical, "
                  "broadcast and reduce; else whole blocks]")
      .type_name("SIZE");
  command
      .add_option("--packet", options->packet,
                  "Short for --set simulation.packet_bytes=SIZE: larger is faster and coarser")
      .type_name("SIZE");
  command.add_option("--verify", options->verify, "Carry values and compare every rank's result: integers or bf16")
      .rule(one_of({"integers", "bf16"}))
      .type_name("VALUES");
  options->machine = MachineOptions::add_to(command, MachineOptions::File::kArgumentToo);
  add_run_options(command, options->trace, options->time_limit);
  options->children.add_limits(command);
  options->children.add_jobs(command);
  command.add_flag("--counts", options->counts,
                   "Show packet-hops, wake-ups a packet-hop, and packet-hops a second of CPU time");
  options->output.add_to(command);
  command.footer(kExamples);
  return [options] { return run(*options); };
}

}  // namespace kernbench
