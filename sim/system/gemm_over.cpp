#include "sim/system/gemm_over.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/errors.hpp"
#include "sim/base/registry.hpp"
#include "sim/system/kernel_names.hpp"

namespace kernbench {

namespace {

Registry<GemmOverKernel>& over_registry() {
  static Registry<GemmOverKernel> kernels("variant");
  return kernels;
}

/// Gives every PE's parts of A and B their values.
void fill_parts(System& system, const PlacedGemm& gemm, const std::vector<std::int32_t>& pes) {
  for (std::size_t rank = 0; rank < pes.size(); ++rank) {
    ValueStore& partition = *system.store(pes[rank], MemoryTier::kHbm);
    const auto pe = static_cast<int>(rank);
    for (const auto& [matrix, number] : {std::pair(&gemm.a, kOperandA), std::pair(&gemm.b, kOperandB)}) {
      const Rect has = matrix->tiles(pe);
      const MatrixLayout& part = matrix->part(pe);
      fill_matrix(part, operand_values(number, has.rows.begin * part.tile_rows, has.columns.begin * part.tile_columns),
                  partition);
    }
  }
}

void check_parts(System& system, const PlacedGemm& gemm, const GemmOverKernel& kernel,
                 const std::vector<std::int32_t>& pes) {
  GemmReference reference(gemm.problem);
  const MatrixElement expected =
      kernel.reference ? kernel.reference(gemm, static_cast<int>(pes.size())) : MatrixElement(std::ref(reference));
  Differences differences;
  for (std::size_t rank = 0; rank < pes.size(); ++rank) {
    const auto pe = static_cast<int>(rank);
    const Rect has = gemm.c.tiles(pe);
    const MatrixLayout& part = gemm.c.part(pe);
    differences.compare(part, expected, *system.store(pes[rank], MemoryTier::kHbm), "C",
                        has.rows.begin * part.tile_rows, has.columns.begin * part.tile_columns);
  }
  differences.refuse();
}

PlacedGemm placed(const MachineSpec& machine, const GemmProblem& problem, const GemmPlacement& placement,
                  const GemmOverKernel& kernel, const std::vector<MemoryNode>& memories) {
  if (problem.has_epilogue(VectorOp::kBias)) {
    throw ConfigError("--epilogue bias: over several PEs expected scale, relu, gelu, silu");
  }
  PlacedGemm gemm = place_gemm_over(problem, placement, kernel.partial, machine, memories);
  if (kernel.check != nullptr) kernel.check(gemm, static_cast<int>(memories.size()));
  return gemm;
}

}  // namespace

RegisterGemmOverKernel::RegisterGemmOverKernel(GemmOverKernel kernel, SourcePlace place) {
  over_registry().add(std::move(kernel), place);
}

const std::vector<GemmOverKernel>& gemm_over_kernels() { return over_registry().all(); }

const GemmOverKernel& find_gemm_over_kernel(const std::string& name) {
  refuse_other_kinds(KernelKind::kGemmOver, name);
  return over_registry().find(name);
}

PlacedGemm place_on(const MachineSpec& machine, const GemmProblem& problem, const GemmPlacement& placement,
                    const GemmOverKernel& kernel, int pes) {
  return placed(machine, problem, placement, kernel, std::vector<MemoryNode>(static_cast<std::size_t>(pes), 0));
}

GemmOverLaunch::GemmOverLaunch(System& system, const GemmProblem& problem, const GemmPlacement& placement,
                               const GemmOverKernel& kernel, const std::vector<std::int32_t>& pes)
    : KernelLaunch(
          "the GEMM", [this](KernelPe pe) { return kernel_.run(pe, gemm_); }, pes),
      kernel_(kernel) {
  std::vector<MemoryNode> memories;
  for (const std::int32_t pe : pes) memories.push_back(system.memory_node(pe, MemoryTier::kHbm));
  gemm_ = std::make_shared<const PlacedGemm>(placed(system.machine(), problem, placement, kernel, memories));
  for (const std::int32_t pe : pes) {
    system.space(pe, MemoryTier::kHbm).allocate(gemm_->bytes_of_pe, "the GEMM's matrices");
  }
  if (system.values() != nullptr) fill_parts(system, *gemm_, pes);
}

void GemmOverLaunch::check(System& system) const { check_parts(system, *gemm_, kernel_, pes()); }

OverResult run_gemm_over(const MachineSpec& machine, const GemmProblem& problem, const GemmPlacement& placement,
                         const std::string& kernel, const std::vector<std::int32_t>& pes, const RunSettings& settings) {
  System system(machine, {.sink = settings.sink, .values = settings.verify});
  GemmOverLaunch launch(system, problem, placement, find_gemm_over_kernel(kernel), pes);
  run_launches(system, {&launch}, settings.limit);
  if (settings.verify) launch.check(system);
  return report_of(system, launch);
}

}  // namespace kernbench
