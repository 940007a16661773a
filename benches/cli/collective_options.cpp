#include "benches/cli/collective_options.hpp"

#include <algorithm>

#include "benches/cli/sim_collective_sizes.hpp"
#include "benches/cli/sim_run.hpp"
#include "benches/harness/program/option_values.hpp"
#include "benches/harness/text/lists.hpp"
#include "benches/harness/text/numbers.hpp"
#include "sim/base/errors.hpp"
#include "sim/machine/optional_sections.hpp"

namespace kernbench {
namespace {

/// More than any machine has: whether this one has them is asked once it is read.
constexpr std::int64_t kMostRanks = std::int64_t{1} << 30;

RanksPer rank_of(const CollectiveOptions& options) { return kRanksPer.parse(options.ranks_per, "--ranks-per"); }

bool has_root(Collective collective) {
  return collective == Collective::kBroadcast || collective == Collective::kReduce;
}

/// What names a root of a collective that has none.
void refuse_roots_of_none(const CollectiveOptions& options) {
  const Collective collective = kCollectives.parse(options.collective, "--collective");
  static_cast<void>(kRootDies.parse(options.root_die, "--root-die"));
  if (options.root_option->given() && !has_root(collective)) {
    throw ConfigError("--root " + std::to_string(options.root) + ": expected --collective broadcast or reduce; " +
                      options.collective + " has no root");
  }
  const std::vector<std::string> algorithms = algorithms_of(options);
  if (options.root_die_option->given() && std::ranges::find(algorithms, "hierarchical") == algorithms.end()) {
    throw ConfigError("--root-die " + options.root_die + ": expected --algorithm hierarchical, which alone has one");
  }
}

std::string algorithms_help(bool several) {
  std::string text =
      several ? "Algorithms, with commas between, or all that do the collective and are not far behind" : "Algorithm";
  for (const CollectiveAlgorithm& algorithm : collective_algorithms())
    text += "\n" + algorithm.name + ": " + algorithm.summary;
  return text;
}

}  // namespace

void CollectiveOptions::add_to(CommandSpec& command, Asks asks) {
  const bool several = asks == Asks::kSeveral;
  command
      .add_option("--collective", collective, "all_reduce, reduce_scatter, all_gather, broadcast, all_to_all, reduce")
      .type_name("NAME")
      .show_default();
  command.add_option("--algorithm", algorithms, algorithms_help(several))
      .type_name(several ? "NAME,..." : "NAME")
      .show_default();
  command
      .add_option("--sizes,--bytes", sizes,
                  several ? "One size, several, or a range: 64KiB; 16B,1MiB; 16B:64MiB:x4; 1KiB:8KiB:+1KiB"
                          : "The size, as nccl-tests counts it: 64KiB")
      .type_name("SIZE")
      .show_default();
  Option& by_scale =
      command
          .add_option("--scale", scale,
                      "Ranks: all those of a die, a package or the system\n[the first of these with more than one]")
          .rule(one_of({"die", "package", "system"}))
          .type_name("SCALE");
  command
      .add_option("--ranks-per", ranks_per,
                  "What a rank is: pe, or all PEs of a die or a package, which share its data and links")
      .type_name("UNIT")
      .show_default();
  command.add_option("--ranks", ranks, "Ranks: the first N PEs, die by die; with --ranks-per dies or packages")
      .rule(whole_number(1, kMostRanks))
      .type_name("N")
      .excludes(by_scale);
  root_option = &command.add_option("--root", root, "Of broadcast and reduce: the rank that gives, or that gets")
                     .rule(whole_number(0, kMostRanks - 1))
                     .type_name("RANK")
                     .show_default();
  root_die_option =
      &command.add_option("--root-die", root_die, "Where hierarchical gathers a package's data: centre or corner")
           .type_name("WHERE")
           .show_default();
  command
      .add_option("--chunk", chunk,
                  "Most bytes of a message, so that steps overlap; 0B: whole blocks\n[a slot for trees, hierarchical, "
                  "broadcast and reduce; else whole blocks]")
      .type_name("SIZE");
  command.add_option("--packet", packet, "Short for --set simulation.packet_bytes=SIZE: larger is faster and coarser")
      .type_name("SIZE");
}

LoadedMachine load_for_collective(const MachineOptions& machine, const CollectiveOptions& options) {
  refuse_roots_of_none(options);
  const std::vector<std::string> packet{"simulation.packet_bytes=" + options.packet};
  LoadedMachine loaded = machine.load(options.packet.empty() ? std::vector<std::string>{} : packet);
  require_section(loaded.spec, "pe.message_queue", "a collective");
  return loaded;
}

std::vector<std::string> algorithms_of(const CollectiveOptions& options) {
  const Collective collective = kCollectives.parse(options.collective, "--collective");
  std::vector<std::string> names;
  if (options.algorithms == kAllAlgorithms) {
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

std::string usual_scale(const CollectiveOptions& options, const MachineSpec& machine) {
  const std::int64_t pes = pes_of_rank(machine, rank_of(options));
  if (pes_of_die(machine) / pes > 1) return "die";
  return pes_of_package(machine) / pes > 1 ? "package" : "system";
}

MachinePart collective_part(const CollectiveOptions& options, const MachineSpec& machine) {
  const RanksPer per = rank_of(options);
  if (options.ranks != 0) return first_ranks(machine, options.ranks, per);
  return *part_by_scale(machine, options.scale.empty() ? usual_scale(options, machine) : options.scale, per);
}

CollectiveCase collective_case(const CollectiveOptions& options, const std::string& algorithm, Bytes bytes,
                               const MachinePart& part) {
  CollectiveCase what{.collective = kCollectives.parse(options.collective, "--collective"),
                      .algorithm = algorithm,
                      .bytes = bytes,
                      .root = options.root,
                      .root_die = kRootDies.parse(options.root_die, "--root-die"),
                      .chunk = 0};
  what.chunk = options.chunk.empty() ? usual_chunk(what, part.machine)
                                     : option_quantity("--chunk", options.chunk, Dimension::kBytes);
  return what;
}

Json collective_point(const CollectiveOptions& options, const CollectiveCase& what, const MachinePart& part) {
  const GridShape& packages = part.grid.packages;
  Json point{{"collective", options.collective},
             {"algorithm", what.algorithm},
             {"packages", std::to_string(packages.rows) + "x" + std::to_string(packages.columns)},
             {"pes", part.pes()}};
  if (options.ranks_per != "pe") point["ranks_per"] = options.ranks_per;
  if (what.algorithm == "hierarchical") point["root_die"] = options.root_die;
  if (has_root(what.collective)) point["root"] = what.root;
  if (!options.chunk.empty()) point["chunk"] = what.chunk;
  point["bytes"] = what.bytes;
  return point;
}

std::string collective_title(const CollectiveOptions& options, const MachinePart& part, const LoadedMachine& machine) {
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

}  // namespace kernbench
