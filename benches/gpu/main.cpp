// The entry of `kernbench-gpu`.
#include "benches/gpu/invocation.hpp"
#include "benches/io/program/program.hpp"

namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench-gpu gemm --list                                the cases, without a GPU
  kernbench-gpu device --out reference/device.json         what the GPU is and can do at best
  kernbench-gpu gemm --out reference/gemm.json --budget 300
  kernbench-gpu calibrate --out my_gpu.yaml                a machine file of the GPU, by probes

Each command writes one file of rows (schema kernbench.results/1), anew every few seconds: what is there when it is
stopped stays. `kernbench-gpu COMMAND --help` says more. Exit codes: 0 all well, 1 something failed, 2 wrong input.)";

}  // namespace

int main(int argc, char** argv) {
  kernbench::gpu::record_command_line(argc, argv);
  return kernbench::run_program(
      {"kernbench-gpu", "Measures this machine's GPUs and writes rows that kernbench reads beside simulated ones.",
       KERNBENCH_VERSION, kExamples},
      argc, argv);
}
