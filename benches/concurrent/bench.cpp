// concurrent: a GEMM and a collective on the same PEs or GPUs, each alone and both together.
#include "benches/concurrent/workload.hpp"

namespace kernbench {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench sim concurrent --m 512 --k 512 --n 512 --sizes 1MiB --variant ring_shift
  kernbench sim concurrent --m 1024 --k 1024 --n 1024 --collective all_gather --sizes 256KiB --scale package
  kernbench sim concurrent --m 512 --k 512 --n 512 --sizes '16 KiB..4 MiB*4'
  kernbench sim concurrent --topology topology/h200_x4.yaml --m 1024 --k 4096 --n 4096 --sizes 64MiB --channels 8

The GEMM is over all PEs of the collective's ranks; auto is the kernel owner_computes, by a mapping it cannot be.)";

Workload concurrent_workload() {
  Axes<ConcurrentAsked> axes;
  axes.include(gemm_axes(), &ConcurrentAsked::gemm, {"over", "dtype_b", "launch"});
  axes.include(collective_axes(), &ConcurrentAsked::collective, {"values"});
  return {.name = "concurrent",
          .summary = "A GEMM and a collective at the same time, on the same PEs or GPUs",
          .version = "1",
          .folder = "benches/concurrent",
          .examples = kExamples,
          .gpu_file = "topology/h200_x4.yaml",
          .axes = axes.all(),
          .on_pes = concurrent_on_pes(axes),
          .on_gpu = concurrent_on_gpus(axes)};
}

const bool registered = register_workload(concurrent_workload());

}  // namespace
}  // namespace kernbench
