#include "sim/system/kernel.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/errors.hpp"
#include "sim/base/nearest.hpp"

namespace kernbench {

Task<Operand> KernelPe::load(MatrixLayout matrix) {
  co_await pe_.control_call();
  Completion& done = pe_.load(matrix.whole(), matrix.element_bytes());
  co_return Operand{matrix, &done};
}

Task<Operand> KernelPe::ref(MatrixLayout matrix) {
  co_await pe_.control_call();
  co_return Operand{matrix, nullptr};
}

Task<Pending> KernelPe::composite(const GemmCall& gemm, const Operand& a, const Operand& b) {
  co_await pe_.control_call();
  const Residency residency{a.resident(), b.resident()};
  co_return Pending{&pe_.composite(make_gemm_plan(gemm.problem, gemm.matrices, residency, spec_))};
}

Task<Pending> KernelPe::composite(const MathCall& math) {
  co_await pe_.control_call();
  co_return Pending{&pe_.composite(make_math_plan(math.problem, math.matrices, spec_))};
}

Task<Pending> KernelPe::composite(TilePlan plan) {
  co_await pe_.control_call();
  co_return Pending{&pe_.composite(std::move(plan))};
}

Task<Pending> KernelPe::store(const Operand& operand) {
  co_await pe_.control_call();
  const MatrixLayout& layout = operand.matrix;
  co_return Pending{&pe_.store(layout.whole(), layout.element_bytes())};
}

Task<Picoseconds> KernelPe::wait(Pending pending) {
  co_await pe_.control_call();
  if (pending.done != nullptr) co_await pending.done->wait();
  co_return pe_.now();
}

namespace {

std::vector<GemmKernel>& registry() {
  static std::vector<GemmKernel> kernels;
  return kernels;
}

}  // namespace

RegisterGemmKernel::RegisterGemmKernel(GemmKernel kernel) {
  auto& kernels = registry();
  const auto place = std::ranges::upper_bound(kernels, kernel.name, {}, &GemmKernel::name);
  kernels.insert(place, std::move(kernel));
}

const std::vector<GemmKernel>& gemm_kernels() { return registry(); }

const GemmKernel& find_gemm_kernel(const std::string& name) {
  std::vector<std::string> names;
  for (const GemmKernel& kernel : registry()) {
    if (kernel.name == name) return kernel;
    names.push_back(kernel.name);
  }
  std::string all;
  for (const std::string& known : names) all += (all.empty() ? "" : ", ") + known;
  const std::string nearest = nearest_name(name, names);
  throw ConfigError("unknown variant '" + name + "'" + (nearest.empty() ? "." : ": did you mean '" + nearest + "'?") +
                    " There are: " + all);
}

}  // namespace kernbench
