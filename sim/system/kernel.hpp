// How kernels are written: short coroutines over a KernelPe (adr/0014-kernels.md, docs/kernels.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/source_place.hpp"
#include "sim/engine/process.hpp"
#include "sim/hw/pe/pe.hpp"
#include "sim/plan/gemm_plan.hpp"
#include "sim/plan/math_plan.hpp"

namespace kernbench {

/// A matrix as an operand: resident in TCM once `done` is complete, or left in HBM to be streamed (`done` is null).
struct Operand {
  MatrixLayout matrix;
  Completion* done = nullptr;
  [[nodiscard]] bool resident() const { return done != nullptr; }
};

/// Something that was started and can be waited for.
struct Pending {
  Completion* done = nullptr;
};

/// A GEMM that a kernel is asked to run.
struct GemmCall {
  GemmProblem problem;
  GemmMatrices matrices;
  [[nodiscard]] bool has_bias() const { return problem.has_epilogue(VectorOp::kBias); }
};

/// An element-wise operation that a kernel is asked to run.
struct MathCall {
  MathProblem problem;
  MathMatrices matrices;
};

/// What a kernel sees of its PE: a handle, to be copied. Every call first costs the control processor
/// pe.control_latency.
class KernelPe {
 public:
  KernelPe(Pe& pe, const PeSpec& spec) : pe_(&pe), spec_(&spec) {}

  /// Starts to bring a matrix from HBM into TCM.
  Task<Operand> load(MatrixLayout matrix);
  /// Leaves a matrix in HBM, to be streamed tile by tile.
  Task<Operand> ref(MatrixLayout matrix);
  /// Starts C = A x B on the PE's scheduler. The caller has waited for resident operands.
  Task<Pending> composite(GemmCall gemm, Operand a, Operand b);
  /// Starts an element-wise operation on streamed operands.
  Task<Pending> composite(MathCall math);
  /// Starts a plan of one's own, e.g. tiles in another order. What it reads from TCM has been loaded.
  Task<Pending> composite(TilePlan plan);
  /// Starts to write a resident matrix back to HBM.
  Task<Pending> store(Operand operand);
  /// Goes on when the thing is done; returns the time.
  Task<Picoseconds> wait(Pending pending);
  Task<Picoseconds> wait(Operand operand) { return wait(Pending{operand.done}); }

 private:
  Pe* pe_;
  const PeSpec* spec_;
};

/// A GEMM kernel, e.g. one staging variant.
struct GemmKernel {
  std::string name;
  std::string summary;
  Residency residency;  ///< for the closed-form bound
  Process (*run)(KernelPe pe, GemmCall gemm) = nullptr;
};

/// All registered kernels, by name.
[[nodiscard]] const std::vector<GemmKernel>& gemm_kernels();
/// Throws ConfigError that names the nearest kernel, and all of them.
[[nodiscard]] const GemmKernel& find_gemm_kernel(const std::string& name);

/// `const RegisterGemmKernel kRegistered({"name", "summary", {...}, run});` in the kernel's own file. Throws
/// std::logic_error that names both places where the name is there already.
class RegisterGemmKernel {
 public:
  explicit RegisterGemmKernel(GemmKernel kernel, SourcePlace place = SourcePlace::here());
};

}  // namespace kernbench
