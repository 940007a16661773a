// `kernbench whatif gemm` of a GPU: a product on every machine that differs from its file in a key or a few.
#include <algorithm>
#include <vector>

#include "benches/cli/gpu_gemm.hpp"
#include "benches/cli/whatif_gemm.hpp"
#include "benches/harness/results/row_from_gpu.hpp"
#include "sim/base/errors.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"

namespace kernbench {
namespace {

/// The fastest of the kernels that the library could launch on the machine as it is, of equal ones the first.
FreeChange best_kernel(const std::vector<GpuKernel>& kernels, const GpuGemm& gemm, const GpuSpec& gpu,
                       const GpuAsked& asked) {
  std::vector<FreeChange> all;
  for (const GpuKernel& kernel : kernels) {
    all.push_back({to_text(kernel), row_from_gpu(gemm, kernel, gpu, asked.l2, asked.state)});
  }
  return *std::ranges::min_element(all, {},
                                   [](const FreeChange& one) { return one.row.metrics.at("time_ns").get<double>(); });
}

}  // namespace

int run_whatif_gemm_gpu(const WhatIfGemmOptions& options) {
  WhatIfGemmOptions of_pes = options;
  if (of_pes.variant.empty()) of_pes.variant = "all";
  refuse_options_of_pes(of_pes);
  if (options.channels != 0 || options.nccl_threads != 0 || options.gpus != 0) {
    throw ConfigError("--channels, --nccl-threads, --gpus: expected none, a what-if is of a product alone");
  }
  if (options.launch != "graph") throw ConfigError("--launch: expected none, a what-if is of a CUDA graph");
  const LoadedMachine machine = as_machine(load_gpu(*options.machine));
  const LoadedGpu& gpu = *machine.spec.gpu;
  const GpuGemm gemm = gpu_gemm_of(options, gpu.spec);
  const GpuAsked asked{options.map, l2_state_of(options), gpu_state_of(options)};
  const GpuKernel kernel = gpu_kernel_of(options, gemm, gpu.spec);

  WhatIfReport report;
  report.title = gpu_title(gemm, gpu) + ", " + std::string(kGpuStates[asked.state]) +
                 (asked.l2 == L2State::kFlushed ? ", L2 flushed" : "");
  report.kernel = to_text(kernel) + (is_librarys_choice(options.map)
                                         ? " on the machine as it is; on every other the library chooses anew"
                                         : ", as --map says, on every machine");
  const std::vector<GpuKernel> candidates = gpu_candidates(gemm, gpu.spec);
  if (!candidates.empty()) report.free = best_kernel(candidates, gemm, gpu.spec, asked);
  report.mappings = candidates.size();

  Evaluator evaluator("whatif", options.child, options.what_if.cache);
  const Json workload{{"gpu gemm",
                       {{"m", gemm.m},
                        {"k", gemm.k},
                        {"n", gemm.n},
                        {"dtype", name_of(gemm.dtype)},
                        {"l2", options.l2},
                        {"state", kGpuStates[asked.state]},
                        {"map", is_librarys_choice(options.map) ? kLibrarysChoice : to_text(kernel)}}}};
  const Evaluate evaluate = [&](const std::vector<MachineSpec>& machines) {
    std::vector<Evaluation> evaluations;
    for (const MachineSpec& one : machines) {
      Evaluation& evaluation = evaluations.emplace_back();
      evaluation.simulate = [&] { return gpu_row(gemm, one.gpu->spec, asked, "--map"); };
      evaluation.identity = [&] { return WorkloadOnMachine{"gemm", workload, one.gpu->sha256}; };
    }
    return evaluator(evaluations);
  };
  const WhatIfQuestion question{"gemm", words_of(options), *options.machine, machine, evaluate, evaluator};
  return answer_what_if(report, question, options.what_if, options.output);
}

}  // namespace kernbench
