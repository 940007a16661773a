// collective: one collective, any size, any part of a machine of PEs, or GPUs.
#include "benches/collective/workload.hpp"

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
