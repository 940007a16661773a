// ref_ref: A and B stay in HBM and are streamed tile by tile.
#include "sim/system/kernel.hpp"

namespace kernbench {

namespace {

Process run(KernelPe pe, GemmCall gemm) {
  if (gemm.has_bias()) {
    gemm.bias = co_await pe.load(gemm.matrices.bias);
    co_await pe.wait(gemm.bias);
  }
  const Operand a = co_await pe.ref(gemm.matrices.a);
  const Operand b = co_await pe.ref(gemm.matrices.b);
  co_await pe.wait(co_await pe.composite(gemm, a, b));
}

const RegisterGemmKernel kRegistered(
    {"ref_ref", "A and B stay in HBM and are streamed tile by tile", {.a = false, .b = false}, run});

}  // namespace

}  // namespace kernbench
