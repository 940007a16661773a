// collective: one collective, any size, any part of a machine of PEs, or GPUs.
#include <cctype>

#include "benches/collective/workload.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench sim collective                                            ring all_reduce of 1 MiB on the PEs of a die
  kernbench sim collective --algorithm all --sizes '16 B..1 MiB*4'    who is fastest at which size
  kernbench sim collective --collective all_gather --algorithm ring,direct --sizes 1KiB,1MiB --scale package
  kernbench sim collective --algorithm hierarchical --scale system --sizes 96KiB --packet 4KiB --root-die corner
  kernbench sim collective --ranks-per package --sizes '1 MiB..16 MiB*4'   one rank a package, as an accelerator has
  kernbench sim collective --sizes 64KiB --verify --values bf16 --set pe.message_queue.tier=hbm
  kernbench sim collective --topology topology/h200_x4.yaml --sizes '1 KiB..1 GiB*4' --channels 16   as NCCL on H200s
  kernbench sim collective --topology topology/alpha_beta.yaml        the textbook's ring

A size is what nccl-tests counts: the buffer of a rank; of an all_gather the buffer it fills, of a reduce_scatter the one
it reads. algbw = size / time; busbw = algbw x 2(n-1)/n for all_reduce, (n-1)/n for reduce_scatter, all_gather and
all_to_all, 1 for broadcast and reduce. The bound is what no algorithm beats (adr/0018).)";

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

Workload collective_workload() {
  const Axes<CollectiveAsked> axes = collective_axes();
  return {.name = "collective",
          .summary = "An all_reduce, all_gather, ... between PEs, or between GPUs as NCCL does it",
          .version = "1",
          .folder = "benches/collective",
          .examples = kExamples,
          .gpu_file = "topology/h200_x4.yaml",
          .axes = axes.all(),
          .on_pes = collectives_on_pes(axes),
          .on_gpu = collectives_on_gpus(axes)};
}

Bench collective_bench() {
  Bench bench = bench_of(collective_workload(), {{"scale", {"die"}}});
  bench.summary = "Any collective on a die, a package or all: axes collective, algorithm, size, ... take any values";
  return bench;
}

const bool registered = register_workload(collective_workload(), collective_bench());

}  // namespace
}  // namespace kernbench
