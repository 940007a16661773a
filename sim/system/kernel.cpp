#include "sim/system/kernel.hpp"

#include <utility>

#include "sim/base/registry.hpp"

namespace kernbench {

Task<Operand> KernelPe::load(MatrixLayout matrix) {
  co_await pe_->control_call();
  Completion& done = pe_->load(matrix.whole(), matrix.element_bytes());
  co_return Operand{matrix, &done};
}

Task<Operand> KernelPe::ref(MatrixLayout matrix) {
  co_await pe_->control_call();
  co_return Operand{matrix, nullptr};
}

Task<Pending> KernelPe::composite(GemmCall gemm, Operand a, Operand b) {
  co_await pe_->control_call();
  const Residency residency{a.resident(), b.resident()};
  co_return Pending{&pe_->composite(make_gemm_plan(gemm.problem, gemm.matrices, residency, *spec_))};
}

Task<Pending> KernelPe::composite(MathCall math) {
  co_await pe_->control_call();
  co_return Pending{&pe_->composite(make_math_plan(math.problem, math.matrices, *spec_))};
}

Task<Pending> KernelPe::composite(TilePlan plan) {
  co_await pe_->control_call();
  co_return Pending{&pe_->composite(std::move(plan))};
}

Task<Pending> KernelPe::store(Operand operand) {
  co_await pe_->control_call();
  const MatrixLayout& layout = operand.matrix;
  co_return Pending{&pe_->store(layout.whole(), layout.element_bytes())};
}

Task<Picoseconds> KernelPe::wait(Pending pending) {
  co_await pe_->control_call();
  if (pending.done != nullptr) co_await pending.done->wait();
  co_return pe_->now();
}

namespace {

Registry<GemmKernel>& registry() {
  static Registry<GemmKernel> kernels("variant");
  return kernels;
}

}  // namespace

RegisterGemmKernel::RegisterGemmKernel(GemmKernel kernel, SourcePlace place) {
  registry().add(std::move(kernel), place);
}

const std::vector<GemmKernel>& gemm_kernels() { return registry().all(); }

const GemmKernel& find_gemm_kernel(const std::string& name) { return registry().find(name); }

}  // namespace kernbench
