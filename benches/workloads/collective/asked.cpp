#include "benches/workloads/collective/asked.hpp"

#include <cctype>

#include "sim/base/capacity_error.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/optional_sections.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {
namespace {

/// More than any machine has: whether this one has them is asked once it is read.
constexpr std::int64_t kMostRanks = std::int64_t{1} << 30;
constexpr Names<CollectiveValues> kValues{
    "values", {{CollectiveValues::kIntegers, "integers"}, {CollectiveValues::kBf16, "bf16"}}};

std::string read_chunk(const std::string& text) {
  if (text == "usual") return text;
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) == 0) {
    throw ConfigError("expected usual or a size such as 16 KiB, got " + text);
  }
  return format_quantity(parse_quantity(text, Dimension::kBytes), Dimension::kBytes);
}

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const CollectiveAlgorithm& one : collective_algorithms()) names.push_back(one.name);
  return names;
}

std::string algorithm_summaries() {
  std::string text;
  for (const CollectiveAlgorithm& one : collective_algorithms()) text += "\n" + one.name + ": " + one.summary;
  return text;
}

bool has_root(Collective collective) {
  return collective == Collective::kBroadcast || collective == Collective::kReduce;
}

/// What would be ignored.
void refuse_roots_of_none(const CollectiveAsked& asked) {
  const std::string collective(kCollectives[asked.collective]);
  if (asked.root != 0 && !has_root(asked.collective)) {
    throw ConfigError("root " + std::to_string(asked.root) + ": expected a broadcast or a reduce; " + collective +
                      " has no root");
  }
  if (asked.root_die != RootDie::kCentre && asked.algorithm != "hierarchical") {
    throw ConfigError("root die " + std::string(kRootDies[asked.root_die]) +
                      ": expected the algorithm hierarchical, which alone has one");
  }
}

/// The smallest of die, package and system that has more than one rank, else system.
Scale smallest_scale(const MachineSpec& machine, RanksPer per) {
  const std::int64_t pes = pes_of_rank(machine, per);
  if (pes_of_die(machine) / pes > 1) return Scale::kDie;
  return pes_of_package(machine) / pes > 1 ? Scale::kPackage : Scale::kSystem;
}

/// Throws CapacityError where a scale has one rank.
MachinePart part_of(const MachineSpec& machine, const CollectiveAsked& asked) {
  if (asked.ranks == 0) {
    const std::string scale(kScales[settled_collective(machine, asked).scale]);
    MachinePart part = *part_by_scale(machine, scale, asked.ranks_per);
    if (part.grid.size() > 1) return part;
    throw CapacityError("scale " + scale + " has one rank on machine " + machine.name +
                        ": expected one of die, package and system that has several, or another ranks_per");
  }
  if (asked.scale == Scale::kAuto) return first_ranks(machine, asked.ranks, asked.ranks_per);
  throw ConfigError("scale " + std::string(kScales[asked.scale]) + ": expected none beside ranks, " +
                    std::to_string(asked.ranks));
}

}  // namespace

Axes<CollectiveAsked> collective_axes() {
  using R = CollectiveAsked;
  Axes<R> axes;
  axes.choice({"collective", "--collective", "One of " + joined(kCollectives.all())}, "NAME", &R::collective,
              kCollectives);
  axes.text({"algorithm", "--algorithm", "all: those that do the collective and are not far behind"}, "NAME",
            &R::algorithm, [](const std::string& text) { return find_collective_algorithm(text).name; })
      .named("all", algorithm_names)
      .explained(algorithm_summaries)
      .only_on(MachineKind::kPes);
  axes.quantity({"size", "--sizes,--bytes", "As nccl-tests counts it: 64KiB", "bytes"}, Dimension::kBytes, &R::bytes);
  axes.choice({"scale", "--scale", "Ranks: all those of a die, a package or the system; auto: the first with several"},
              "SCALE", &R::scale, kScales)
      .only_on(MachineKind::kPes);
  axes.choice({"ranks_per", "--ranks-per",
               "What a rank is: pe, or all PEs of a die or a package, which share its data and links"},
              "UNIT", &R::ranks_per, kRanksPer)
      .only_on(MachineKind::kPes);
  axes.choice({"root_die", "--root-die", "Where hierarchical gathers a package's data: centre or corner"}, "WHERE",
              &R::root_die, kRootDies)
      .only_on(MachineKind::kPes);
  axes.text({"chunk", "--chunk",
             "Most bytes of a message, so that steps overlap; 0B: whole blocks; usual: a slot for trees, hierarchical, "
             "broadcast and reduce, else whole blocks"},
            "SIZE", &R::chunk, read_chunk)
      .only_on(MachineKind::kPes);
  axes.count({"ranks", "--ranks", "In place of a scale the first N ranks, die by die; 0: those of the scale"},
             &R::ranks, 0, kMostRanks)
      .only_on(MachineKind::kPes)
      .quiet();
  axes.count({"root", "--root", "Of broadcast and reduce: the rank that gives, or that gets"}, &R::root, 0,
             kMostRanks - 1)
      .only_on(MachineKind::kPes)
      .quiet();
  axes.choice({"values", "--values", "What --verify carries: integers, or bf16, whose sums are rounded"}, "VALUES",
              &R::values, kValues)
      .only_on(MachineKind::kPes)
      .of_verify()
      .quiet();
  axes.count({"gpus", "--gpus", "Those that take part; 0: all"}, &R::gpus, 0, 128).only_on(MachineKind::kGpu).quiet();
  axes.count({"channels_asked", "--channels", "Channels, a CTA each; 0: the library's number"}, &R::channels, 0, 1024)
      .only_on(MachineKind::kGpu)
      .quiet();
  axes.count({"threads_asked", "--nccl-threads", "Threads of a channel; 0: the library's number"}, &R::threads, 0, 512)
      .only_on(MachineKind::kGpu)
      .quiet();
  return axes;
}

CollectiveAsked settled_collective(const MachineSpec& machine, const CollectiveAsked& asked) {
  CollectiveAsked settled = asked;
  if (asked.scale == Scale::kAuto && asked.ranks == 0) settled.scale = smallest_scale(machine, asked.ranks_per);
  return settled;
}

CollectiveOnPes place_collective(const MachineSpec& machine, const CollectiveAsked& asked) {
  require_section(machine, "pe.message_queue", "a collective");
  refuse_roots_of_none(asked);
  CollectiveOnPes placed{asked, machine.name, part_of(machine, asked), {}};
  placed.what = {.collective = asked.collective,
                 .algorithm = asked.algorithm,
                 .bytes = asked.bytes,
                 .root = static_cast<std::int32_t>(asked.root),
                 .root_die = asked.root_die,
                 .chunk = 0};
  placed.what.chunk = asked.chunk == "usual" ? usual_chunk(placed.what, placed.part.machine)
                                             : parse_quantity(asked.chunk, Dimension::kBytes);
  find_collective_algorithm(asked.algorithm).check(request_of(placed.what, placed.part));
  return placed;
}

NcclCollective nccl_of(const CollectiveAsked& asked, const GpuSpec& gpu) {
  NcclCollective nccl;
  nccl.collective = asked.collective;
  nccl.gpus = asked.gpus == 0 ? static_cast<std::int64_t>(gpu.nvlink.gpus) : asked.gpus;
  nccl.bytes = asked.bytes;
  nccl.channels = asked.channels;
  nccl.threads = asked.threads;
  check_nccl(nccl, gpu);
  return nccl;
}

}  // namespace kernbench
