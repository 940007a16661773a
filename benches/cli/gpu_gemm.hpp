// A product on a GPU: `kernbench sim gemm` and `kernbench map gemm` of a machine file of `kind: gpu`.
#pragma once

#include <string>
#include <vector>

#include "benches/cli/sim_gemm.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "sim/plan/gpu/gpu_power.hpp"
#include "sim/plan/gpu/nccl.hpp"

namespace kernbench {

/// Whether the machine that is asked for is a GPU.
[[nodiscard]] bool is_gpu(const MachineOptions& machine);
[[nodiscard]] LoadedGpu load_gpu(const MachineOptions& machine);

/// Adds what only a GPU takes.
void add_gpu_options(CommandSpec& command, SimGemmOptions& options);

/// `kernbench sim gemm`. Throws ConfigError for options that a GPU does not have.
int run_sim_gemm_gpu(const SimGemmOptions& options);
/// `kernbench map gemm`: the `top` fastest kernels.
int run_map_gemm_gpu(const SimGemmOptions& options, std::size_t top);

/// `kernbench sim gemm --beside` of GPUs: a product and a collective (gpu_beside.cpp).
int run_sim_gemm_gpu_beside(const SimGemmOptions& options);
/// Into a point: what of its channels was asked for, and not left to the library.
void add_asked_of_nccl(const NcclCollective& asked, Json& point);
/// Adds --channels, --nccl-threads and --gpus.
void add_nccl_options(CommandSpec& command, std::int64_t& channels, std::int64_t& threads, std::int64_t& gpus);

/// Throws ConfigError that names the first of the options that only simulated PEs have and that is given.
void refuse_options_of_pes(const SimGemmOptions& options);
/// As SimOptions::deliver, on that GPU.
void deliver_gpu(const SimGemmOptions& options, const std::function<std::string(const Look&)>& tables,
                 const Results& results, const LoadedGpu& gpu, const std::string& title);
/// Of --m, --k, --n, --dtype. Throws ConfigError, CapacityError for what the GPU cannot do.
[[nodiscard]] GpuGemm gpu_gemm_of(const SimGemmOptions& options, const GpuSpec& gpu);
/// The kernel that --map names, or the library's choice.
[[nodiscard]] GpuKernel gpu_kernel_of(const SimGemmOptions& options, const GpuGemm& gemm, const GpuSpec& gpu);
/// Of --l2.
/// Throws ConfigError where something is asked for that PEs do not have.
void refuse_options_of_gpus(const SimGemmOptions& options);
[[nodiscard]] L2State l2_state_of(const SimGemmOptions& options);
[[nodiscard]] GpuState gpu_state_of(const SimGemmOptions& options);

/// "gemm 1024x4096x4096 bf16 on h200"
[[nodiscard]] std::string gpu_title(const GpuGemm& gemm, const LoadedGpu& gpu);
/// Rows as results of this GPU.
[[nodiscard]] Results gpu_results(std::vector<Row> rows, const std::string& workload, const LoadedGpu& gpu);

}  // namespace kernbench
