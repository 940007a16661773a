// load_ref: A is loaded into TCM first, B is streamed tile by tile.
#include "sim/system/kernel.hpp"

namespace kernbench {

namespace {

Process run(KernelPe pe, GemmCall gemm) {
  if (gemm.has_bias()) {
    gemm.bias = co_await pe.load(gemm.matrices.bias);
    co_await pe.wait(gemm.bias);
  }
  const Operand a = co_await pe.load(gemm.matrices.a);
  const Operand b = co_await pe.ref(gemm.matrices.b);
  co_await pe.wait(a);
  co_await pe.wait(co_await pe.composite(gemm, a, b));
}

const RegisterGemmKernel kRegistered(
    {"load_ref", "A is loaded into TCM first, B is streamed tile by tile", {.a = true, .b = false}, run});

}  // namespace

}  // namespace kernbench
