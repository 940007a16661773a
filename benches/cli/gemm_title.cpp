// What titles say of a product.
#include <string>

#include "benches/cli/sim_gemm.hpp"

namespace kernbench {

std::string shape_of(const GemmProblem& problem) { return to_text(TileShape{problem.m, problem.k, problem.n}); }

std::string gemm_title(const GemmProblem& problem, const std::string& way, const LoadedMachine& machine) {
  return "gemm " + shape_of(problem) + what_else(problem) + (way.empty() ? "" : " " + way) + " on " + machine.spec.name;
}

std::string what_else(const GemmProblem& problem) {
  std::string text;
  if (problem.dtype != Dtype::kBf16 || problem.dtype_b) text += " " + std::string(name_of(problem.dtype));
  if (problem.dtype_b) text += " x " + std::string(name_of(*problem.dtype_b));
  for (const Epilogue& epilogue : problem.epilogues) {
    text += " + " + std::string(kVectorOps[epilogue.op]);
    if (epilogue.scope == EpilogueScope::kKTile) text += "@k_tile";
  }
  if (problem.layout != Layout::kBlocked) text += " " + std::string(kLayouts[problem.layout]);
  return text;
}

}  // namespace kernbench
