// gemm: any GEMM on one PE, over several, or on a GPU; by a kernel, a mapping, or the mapping that suits it best.
#include "benches/gemm/on_pes.hpp"

namespace kernbench {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench sim gemm --m 512 --k 512 --n 512                          by the fastest mapping
  kernbench sim gemm --m 512 --k 512 --n 512 --variant all            all kernels compared
  kernbench sim gemm --m 512 --k 512 --n 512 --variant load_ref       one of them, stage by stage
  kernbench sim gemm --m 32 --k 3072 --n 32 --variant ref_ref --verify
  kernbench sim gemm --m 256 --k 256 --n 256 --epilogue bias+gelu
  kernbench sim gemm --m 128 --k 128 --n 128 --variant ref_ref --layout row_major --set pe.dma.outstanding_bursts=16
  kernbench sim gemm --m 128 --k 128 --n 128 --variant load_ref --trace gemm.perfetto-trace.gz
  kernbench sim gemm --m 2048 --k 2048 --n 2048 --map 'block=512x512x512 order=mnk buffers=2'
  kernbench sim gemm --m 512 --k 512 --n 512 --dtype fp8 --set pe.mac.rates.fp8_e4m3=2
  kernbench sim gemm --m 512 --k 512 --n 512 --dtype bfp8 --set pe.mac.rates.bfp8=2    elements that share exponents
  kernbench sim gemm --m 512 --k 512 --n 512 --dtype bf16 --dtype-b int8       weights of a byte, converted
  kernbench sim gemm --m 1024 --k 1024 --n 1024 --over die            the PEs of a die together
  kernbench sim gemm --m 1024 --k 1024 --n 1024 --over die --map 'split_k=4'
  kernbench sim gemm --m 1024 --k 1024 --n 1024 --over die --variant all --verify
  kernbench sim gemm --m 512 --k 512 --n 512 --over 0.0.0-0.1.3 --place a=rows,b=rows,c=rows --variant owner_computes
  kernbench sim gemm --m 1024 --k 4096 --n 4096 --topology topology/h200.yaml --state burst,steady)";

Workload gemm_workload() {
  const Axes<GemmAsked> axes = gemm_axes();
  return {.name = "gemm",
          .summary = "C = A x B on one PE, over several, or on a GPU",
          .version = "2",
          .folder = "benches/gemm",
          .examples = kExamples,
          .axes = axes.all(),
          .on_pes = gemm_on_pes(axes),
          .on_gpu = gemm_on_gpu(axes)};
}

Bench gemm_bench() {
  Bench bench = bench_of(gemm_workload());
  bench.summary = "Any GEMM on one PE, over several or on a GPU: axes m, k, n, variant, over, ... take any values";
  return bench;
}

const bool registered = register_workload(gemm_workload(), gemm_bench());

}  // namespace
}  // namespace kernbench
